//! `taikyoku-lab nn-bench`: which library and which file it runs, and what it prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const FAST: &str = "tiny-fast.onnx";
#[cfg(target_os = "linux")]
const QUANTISED: &str = "tiny-fast.int8.onnx";
#[cfg(target_os = "linux")]
const LIBRARY: &str = "libonnxruntime.so";

/// A file of `models/fixtures`.
fn path(name: &str) -> PathBuf {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/fixtures");
    Path::new(fixtures).join(name)
}

/// `taikyoku-lab nn-bench` for a moment.
fn bench(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_remove("ORT_DYLIB_PATH").env_remove("RUST_LOG");
    command.args(["nn-bench", "--seconds", "0.001", "--json"]);
    command
}

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_taikyoku-lab"))
}

/// What it printed and said, and its exit status.
fn run(command: &mut Command) -> (String, String, i32) {
    let output = command.output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("no signal");
    (text(output.stdout), text(output.stderr), code)
}

/// A copy of the program in a folder of its own. Another process makes it: a program that this one has open for writing cannot be
/// started as long as a child of another test has inherited the open file.
#[cfg(target_os = "linux")]
fn copy(folder: &Path) -> PathBuf {
    fs::create_dir_all(folder).expect("a folder");
    let copy = folder.join("taikyoku-lab");
    let status = Command::new("cp").arg(program()).arg(&copy).status();
    assert!(status.expect("cp runs").success(), "a copy");
    copy
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Whether there is a library of ONNX Runtime.
///
/// # Panics
/// Where there is none, and the environment says that there must be.
#[cfg(target_os = "linux")]
fn has_onnx_runtime() -> bool {
    let mut command = Command::new(program());
    command.args(["nn-bench", "--seconds", "0.001", "--nn-engine", "ort"]);
    let (_, said, code) = run(command.arg(path(FAST)));
    assert!(
        code == 0 || std::env::var_os("TAIKYOKU_REQUIRE_ORT").is_none(),
        "{said}"
    );
    code == 0
}

#[test]
fn a_named_library_that_is_bad_is_an_error() {
    let bad = path("expected.json");
    for (engine, status) in [("auto", 2), ("ort", 2), ("rten", 0)] {
        let mut command = bench(&program());
        command
            .args(["--nn-engine", engine])
            .arg(path(FAST))
            .env("ORT_DYLIB_PATH", &bad);
        let (_, said, code) = run(&mut command);
        assert_eq!(code, status, "{engine}: {said}");
        let named = said.contains("ORT_DYLIB_PATH") && said.contains("expected.json");
        assert_eq!(named, status == 2, "{said}");
    }
}

/// A bad library beside the program keeps one that the system may have away as well.
#[cfg(target_os = "linux")]
#[test]
fn without_a_library_ort_is_an_error_and_auto_is_rten_with_one_warning() {
    let folder = folder();
    let program = copy(folder.path());
    fs::write(folder.path().join(LIBRARY), "not a library").expect("a file");

    let mut command = bench(&program);
    let (_, said, code) = run(command.args(["--nn-engine", "ort"]).arg(path(FAST)));
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("models/fetch-onnxruntime") && said.contains("rten"),
        "{said}"
    );

    let mut command = bench(&program);
    let (printed, said, code) = run(command.args([path(FAST), path("tiny-paper.onnx")]));
    assert_eq!(code, 0, "{said}");
    assert_eq!(
        printed.matches("\"engine\":\"rten\"").count(),
        2,
        "{printed}"
    );
    assert_eq!(
        said.matches("models/fetch-onnxruntime").count(),
        1,
        "{said}"
    );
    assert!(
        said.contains(&format!("{LIBRARY} cannot be used")),
        "{said}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_is_found_by_name_beside_the_program_and_above_it() {
    use std::os::unix::fs::symlink;
    if !has_onnx_runtime() {
        return;
    }
    let Some(library) = library() else {
        return eprintln!("NOT TESTED: the system's own library cannot be moved about");
    };
    let folder = folder();
    let deep = copy(&folder.path().join("target/debug"));
    let found = |command: &mut Command| {
        let (printed, said, code) = run(command.args(["--nn-engine", "ort"]).arg(path(QUANTISED)));
        assert_eq!(code, 0, "{said}");
        assert!(
            printed.contains("\"engine\":\"ort\",\"precision\":\"int8\",\"batch\":1,"),
            "{printed}"
        );
    };
    found(bench(&deep).env("ORT_DYLIB_PATH", &library));
    fs::create_dir(folder.path().join(".ort")).expect("a folder");
    symlink(&library, folder.path().join(".ort").join(LIBRARY)).expect("a link");
    found(&mut bench(&deep));
    fs::remove_dir_all(folder.path().join(".ort")).expect("removed");
    symlink(&library, deep.with_file_name(LIBRARY)).expect("a link");
    found(&mut bench(&deep));
}

/// The library that this test uses, if it is a file that is known.
#[cfg(target_os = "linux")]
fn library() -> Option<PathBuf> {
    let named = std::env::var_os("ORT_DYLIB_PATH").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let fetched = above.map(|folder| folder.join(".ort").join(LIBRARY));
    named.into_iter().chain(fetched).find(|path| path.is_file())
}

#[test]
fn the_program_says_what_is_wrong_with_a_file() {
    let (printed, said, code) = run(bench(&program()).arg("nowhere/none.onnx"));
    assert_eq!((printed.as_str(), code), ("", 2));
    assert!(said.contains("nowhere/none.onnx"), "{said}");
    let (_, said, code) = run(bench(&program()).arg(path(FAST)).args(["--batch", "0"]));
    assert_eq!(code, 2, "{said}");
}

#[test]
fn the_program_prints_a_line_of_json_for_each_batch() {
    let mut command = bench(&program());
    let (printed, said, code) = run(command
        .args(["--nn-engine", "rten", "--batch", "1,3"])
        .arg(path(FAST)));
    assert_eq!(code, 0, "{said}");
    let lines: Vec<serde_json::Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    for (line, batch) in lines.iter().zip([1, 3]) {
        assert_eq!(line["batch"], batch);
        assert_eq!(
            (&line["engine"], &line["precision"]),
            (&"rten".into(), &"fp32".into())
        );
        let number = |key: &str| line[key].as_f64().expect("a number");
        let speed = number("evaluations") / number("cpu_seconds");
        assert!(speed > 0.0);
        assert!((number("evaluations_per_cpu_second") / speed - 1.0).abs() < 1e-6);
    }
}
