//! `taikyoku-lab` of 3D four-in-a-row: samples and a network from them.

use std::process::{Command, Output};

fn lab(folder: &tempfile::TempDir, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_taikyoku-lab"))
        .current_dir(folder.path())
        .args(arguments.split_whitespace())
        .output()
        .expect("the program starts")
}

fn succeed(folder: &tempfile::TempDir, arguments: &str) -> String {
    let output = lab(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

fn fail(folder: &tempfile::TempDir, arguments: &str, hint: &str) {
    let output = lab(folder, arguments);
    assert!(!output.status.success(), "{arguments}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains(hint), "{errors}");
}

#[test]
fn samples_are_the_same_with_any_threads_and_train_a_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let samples = |file: &str, threads: u32| {
        let options = format!("--games 60 --nodes 100 --threads {threads} --out {file}");
        succeed(&folder, &format!("score-four samples {options}"));
        let bytes = std::fs::read(folder.path().join(file)).expect("a file");
        let (records, []) = bytes.as_chunks::<17>() else {
            panic!("a sample is cut off");
        };
        let mut records = records.to_vec();
        records.sort_unstable();
        records
    };
    let of_one = samples("one", 1);
    assert!(of_one.len() > 300);
    assert!(samples("two", 2) == of_one);
    fail(
        &folder,
        "score-four samples --games 1 --out one",
        "is there already",
    );

    let said = succeed(
        &folder,
        "train score-four one --passes 2 --batch 64 --out net",
    );
    assert!(said.contains("held out: loss "), "{said}");
    let network = std::fs::metadata(folder.path().join("net")).expect("a file");
    assert_eq!(network.len(), 559_176);
    // Before anything is read and learned.
    fail(&folder, "train score-four none --out no/net", "no/net: ");
    fail(
        &folder,
        "train score-four none --out .",
        ".: is a directory",
    );
    for (options, hint) in [
        ("--passes 0", "not in 1"),
        ("--batch 0", "not in 1"),
        ("--rate NaN", "a number above 0"),
        ("--rate 0", "a number above 0"),
    ] {
        fail(
            &folder,
            &format!("train score-four one {options} --out net"),
            hint,
        );
    }
}
