//! `taikyoku-lab` of 3D four-in-a-row: hard positions and engines that are asked about them, samples and a network from them.

use std::process::{Command, Output};

use serde_json::Value;

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
fn hard_positions_are_written_once_and_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let hard = "score-four hard --empty 16 --positions 6 --nodes 300 --out hard.txt";
    let said = succeed(&folder, hard);
    assert!(said.starts_with("6 positions; "), "{said}");
    let text = std::fs::read_to_string(folder.path().join("hard.txt")).expect("a file");
    assert_eq!(text.lines().count(), 6);
    fail(&folder, hard, "is there already");
    let ask = "score-four accuracy best --playouts 100000 --json --file hard.txt";
    let row: Value = serde_json::from_str(&succeed(&folder, ask)).expect("JSON");
    let numbers = ["positions", "kept", "kept_critical"].map(|key| row[key].as_u64());
    assert_eq!(numbers, [Some(6); 3], "{row}");

    for line in ["--least-empty 25", "--least-empty 9 --most-empty 8"] {
        let ask = format!("score-four accuracy random --positions 1 {line}");
        fail(&folder, &ask, "is above --most-empty");
    }

    // A position of which no move is solved in time is left out and counted.
    let quick =
        "score-four hard --empty 12 --positions 1 --nodes 300 --solution-nodes 20 --out few.txt";
    let said = succeed(&folder, quick);
    assert!(!said.contains("; 0 others"), "{said}");
    for (lines, hint) in [
        ("", "no positions"),
        ("a1b1 2 c1\n", "line 1"),
        ("a1b1 1 e1\n", "line 1"),
        ("a1a1a1a1 0 a1\n", "line 1"),
    ] {
        std::fs::write(folder.path().join("hard.txt"), lines).expect("a file");
        fail(&folder, ask, hint);
    }
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
        "train score-four one --epochs 2 --batch 64 --out net",
    );
    assert!(said.contains("held out: loss "), "{said}");
    let network = std::fs::metadata(folder.path().join("net")).expect("a file");
    assert_eq!(network.len(), 559_176);
    // Before anything is read and learned.
    fail(&folder, "train score-four none --out no/net", "no/net: ");
    fail(&folder, "train score-four none --out .", ". is a folder");
    {
        std::os::unix::fs::symlink("net", folder.path().join("link")).expect("a link");
        let command = "train score-four none --out link";
        fail(&folder, command, "link is no regular file");
    }
    for (options, hint) in [
        ("--epochs 0", "not in 1"),
        ("--batch 0", "not in 1"),
        ("--rate NaN", "a rate is"),
        ("--rate 0", "a rate is"),
    ] {
        fail(
            &folder,
            &format!("train score-four one {options} --out net"),
            hint,
        );
    }
}
