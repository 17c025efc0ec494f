//! The training program: checkpoints, stop and resume, matches, errors.

use std::path::Path;
use std::process::{Command, Output};

fn train(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_taikyoku-lab"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn succeed(arguments: &[&str]) -> String {
    let output = train(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

fn fail(arguments: &[&str], hint: &str) {
    let output = train(arguments);
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains(hint), "{errors}");
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn a_run_that_was_stopped_goes_on_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let run = |out: &Path, games: &str| {
        succeed(&[
            "train",
            "geister",
            "--games",
            games,
            "--seed",
            "3",
            "--out",
            text(out),
        ])
    };
    // Each checkpoint has its line, whether or not a terminal shows it.
    let laps = |said: &str| said.matches(" games/s\n").count();
    for (out, games) in [(&whole, "300"), (&parts, "100"), (&parts, "300")] {
        assert_eq!(laps(&run(out, games)), 1);
    }
    let read = |out: &Path| std::fs::read(out.join("theta_300.npy")).expect("a checkpoint");
    assert_eq!(read(&whole), read(&parts));
    assert_eq!(read(&whole).len(), 65_152, "the author's layout");
    let side = std::fs::read_to_string(whole.join("theta_300.json")).expect("a side file");
    let side: serde_json::Value = serde_json::from_str(&side).expect("JSON");
    assert_eq!(side["games"], 300);
    assert_eq!(side["seed"], 3);
    fail(
        &[
            "train",
            "geister",
            "--games",
            "400",
            "--seed",
            "4",
            "--out",
            text(&whole),
        ],
        "another --out",
    );
}

#[test]
fn checkpoints_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = text(folder.path());
    succeed(&["train", "geister", "--games", "200", "--out", out]);
    let theta = |games: u32| folder.path().join(format!("theta_{games}.npy"));
    std::fs::copy(theta(200), theta(1_000_000)).expect("a copy");
    let run = ["geister", "experiment1", out, "--games", "40"];
    let lines = succeed(&[&run[..], &["--json"]].concat());
    let rows: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (&rows[0]["checkpoint"], &rows[0]["games"]),
        (&200.into(), &40.into())
    );
    let table = succeed(&run);
    assert!(table.contains("| 1000000 |"), "{table}");
    let table = succeed(&["geister", "figure7", out, "--games", "20"]);
    assert!(table.contains("| 200 |"), "{table}");
}

#[test]
fn files_that_are_no_weights_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bad.npy");
    for (bytes, hint) in [
        (&b"theta"[..], "not a NumPy file"),
        (b"\x93NUMPY\x01\x00\xff\xff{", "cut"),
        (b"\x93NUMPY\x09\x00\x00\x00", "version"),
        (
            b"\x93NUMPY\x01\x00\x3b\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } \n\0\0\0\0",
            "64-bit floats",
        ),
        (
            b"\x93NUMPY\x01\x00\x3b\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } \n\0\0\0\0\0\0\0\0",
            "1 elements",
        ),
        (
            b"\x93NUMPY\x01\x00\x3b\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2,), } \n\0\0\0\0\0\0\0\0",
            "cut",
        ),
    ] {
        std::fs::write(&path, bytes).expect("written");
        let engine = format!("paper:weights={}", text(&path));
        fail(&["match", "geister", &engine, "random"], hint);
        fail(&["match", "geister", &engine, "random"], "bad.npy");
    }
    for command in [
        ["match", "geister", "random", "paper:weights=absent.npy"],
        ["geister", "figure7", "absent.npy", "--json"],
    ] {
        fail(&command, "absent.npy");
    }
    let path = folder.path().join("theta_300.npy");
    bots::geister::Weights::zero()
        .write(&path)
        .expect("written");
    fail(
        &["geister", "experiment1", text(folder.path())],
        "theta_1000000.npy",
    );
}
