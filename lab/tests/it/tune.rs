//! `taikyoku-lab tune`: it finds what is better, and an interrupted tuning ends as one that was not.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::workers::{CARRIER, lab};

const FILE: &str = "
game = 'score-four'
engine = 'flat'
steps = 60
games = 20
rate = 4
verify = 100
[parameters.playouts]
start = 8
min = 2
max = 200
scale = 'log'
whole = true
";

fn result(folder: &Path, words: &str, carrier: Option<&str>) -> Value {
    let output = lab(folder, words, carrier);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn more_playouts_are_found_and_a_killed_tuning_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("it.toml"), FILE).expect("a file");
    let whole = result(folder, "tune it.toml --json --threads 2", None);
    let found = whole["found"]["playouts"].as_f64().expect("a number");
    assert!(found >= 50.0, "{whole}");
    let score = whole["verified"]["score"].as_f64().expect("a number");
    assert!(score > 0.7 && whole["games"] == 60 * 20, "{whole}");

    let torn = folder.join("torn.jsonl");
    let mut killed = Command::new(env!("CARGO_BIN_EXE_taikyoku-lab"))
        .current_dir(folder)
        .args(["tune", "it.toml", "--out", "torn.jsonl"])
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let steps = || fs::read_to_string(&torn).map_or(0, |text| text.lines().count());
    while steps() < 4 {
        assert_eq!(killed.try_wait().expect("a status"), None);
        std::thread::yield_now();
    }
    killed.kill().expect("a process");
    killed.wait().expect("a status");
    let before = steps();
    assert!(before < 61, "it was killed in the middle");
    let text = fs::read_to_string(&torn).expect("a journal") + "{\"step\":";
    fs::write(&torn, text).expect("a file");
    let words = "tune it.toml --json --out torn.jsonl";
    assert_eq!(result(folder, words, Some(CARRIER)), whole, "by workers");
    let journals = ["it.jsonl", "torn.jsonl"].map(|name| fs::read_to_string(folder.join(name)));
    let [one, other] = journals.map(|journal| journal.expect("a journal"));
    assert!(one == other && one.lines().count() == 61);
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (old, new, hint) in [
        ("'flat'", "'none'", "none"),
        ("start = 8", "start = 1", "min < max"),
        ("min = 2", "min = 0", "above 0"),
        ("whole = true", "whole = true\nstep = 1.0", "above 1"),
        ("steps = 60", "steps = 0", "at least 1"),
        ("verify", "verifies", "verifies"),
        (
            "playouts]",
            "ply]",
            "taikyoku-lab: it.toml: engine specification 'flat:ply=8': no option 'ply'",
        ),
        (
            "whole = true",
            "",
            "taikyoku-lab: it.toml: [parameters.playouts]: set `whole = true`: engine specification 'flat:playouts=65.0254': \
             playouts=65.0254 is not a whole number from 1 to 18446744073709551615\n",
        ),
        (
            "max = 200",
            "max = 1e30",
            "taikyoku-lab: it.toml: [parameters.playouts]: change min or max: engine specification 'flat:playouts=1",
        ),
        ("'flat'", "'flat:playouts=3'", "'playouts' is given twice"),
        ("'flat'", "'flat:nodes=3'", "set the same thing"),
    ] {
        fs::write(folder.join("it.toml"), FILE.replace(old, new)).expect("a file");
        let output = lab(folder, "tune it.toml", None);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2) && errors.contains(hint),
            "{errors}"
        );
        if hint.starts_with("taikyoku-lab: ") {
            assert!(
                errors.starts_with(hint) && errors.lines().count() == 1,
                "{errors}"
            );
        }
        assert!(!folder.join("it.jsonl").exists(), "{new}");
    }
    // A journal is of its settings.
    let few = FILE
        .replace("steps = 60", "steps = 1")
        .replace("verify = 100", "verify = 0");
    let against = few.replace("steps = 1", "steps = 1\nopponent = 'random'");
    fs::write(folder.join("it.toml"), &against).expect("a file");
    let one = result(folder, "tune it.toml --json", None);
    assert!(one["verified"].is_null() && one["games"] == 40, "{one}");
    fs::write(folder.join("it.toml"), few).expect("a file");
    let output = lab(folder, "tune it.toml", None);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && errors.contains("--out"),
        "{errors}"
    );
}
