//! Options of servers of the native protocol that cannot be.

use std::fs;
use std::process::Command;

use end_to_end::programs;

/// Exit code and what is said, of a server that does not serve.
fn refused(options: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("file"), "").expect("a file");
    let output = Command::new(programs::taikyoku())
        .arg("serve")
        .args(options.split_whitespace())
        .args(["--port", "0"])
        .current_dir(folder.path())
        .output()
        .expect("the server runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn values_that_cannot_be_are_said_at_once() {
    for (options, why) in [
        ("blokus --games 0", "--games"),
        ("blokus --random-plies 41", "at most 40"),
        ("score-four --random-plies 60", "at most 24"),
        ("score-four --move-ms 0", "give --move-ms or --budget-ms"),
        (
            "blokus --budget-ms 0 --increment-ms 100",
            "--budget-ms above 0",
        ),
    ] {
        let (code, said) = refused(options);
        assert_eq!(code, Some(2), "{options}: {said}");
        assert!(said.contains(why), "{options}: {said}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_said_before_anyone_comes() {
    for option in [
        "--records file/records",
        "--record file/records",
        "--blksgf file/games",
        "--blksgf file",
    ] {
        let (code, said) = refused(&format!("blokus {option}"));
        assert_eq!(code, Some(1), "{option}: {said}");
        assert!(said.contains("file"), "{option}: {said}");
    }
}
