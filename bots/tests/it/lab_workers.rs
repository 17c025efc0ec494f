//! `taikyoku-lab match --workers`: what workers play has the figures of one process, whatever the carrier loses.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// A carrier of one worker on this machine. Of some pieces it brings nothing, half, or all twice; one line is forged.
pub(super) const CARRIER: &str = r#"
read -r league
echo '{"slots":2}'
n=0
while read -r line; do
    piece=${line#*:}; piece=${piece%%,*}; n=$((n + 1))
    lines=$(printf '%s\n%s\n' "$league" "$line" | "$LAB" work | paste -sd, -)
    case $n in
        2) echo '{"piece":'$piece',"lost":"its machine has vanished"}' ;;
        3) lines='{"sitting":0,"games":[]},{"odd":1}' ;;
        4) lines=$(echo "$lines" | sed 's/"entrants":\[[01],[01]\]/"entrants":[0,7]/') ;;
    esac
    echo '{"piece":'$piece',"ms":1000,"lines":['"$lines"']}'
    [ $n != 6 ] || echo '{"piece":'$piece',"ms":1000,"lines":['"$lines"']}'
done
"#;

pub(super) fn lab(folder: &Path, words: &str, carrier: Option<&str>) -> Output {
    let program = env!("CARGO_BIN_EXE_taikyoku-lab");
    let mut command = Command::new(program);
    command.current_dir(folder).env("LAB", program);
    command.args(words.split_whitespace());
    if let Some(carrier) = carrier {
        std::fs::write(folder.join("carrier.sh"), carrier).expect("a file");
        command.args(["--workers", "sh carrier.sh", "--piece", "3"]);
    }
    command.output().expect("the program starts")
}

/// The figures of a match, without times.
fn figures(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let mut all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // In Daihinmin only moves that take time count as moves.
    let is_daihinmin = all["game"] == "daihinmin";
    let times = ["ms_per_move", "longest_ms", "work_per_second", "moves"];
    for entrant in all["entrants"].as_array_mut().expect("entrants") {
        for time in &times[..3 + usize::from(is_daihinmin)] {
            entrant[time].take();
        }
    }
    all
}

#[test]
fn workers_play_the_games_of_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    for words in [
        "match score-four uct:playouts=60 flat:playouts=40 --games 24 --json",
        "match daihinmin random default --blocks 2 --session 2 --json",
        "match blokus random greedy --games 14 --json",
        "match geister random random --games 20 --json",
        "match dobutsu random alphabeta:playouts=20 --second --games 10 --json",
    ] {
        let [here, there] = [None, Some(CARRIER)].map(|carrier| lab(folder.path(), words, carrier));
        let (here, there) = (figures(&here), figures(&there));
        assert!(here["games"].as_u64() >= Some(10), "{here}");
        assert_eq!(here, there, "{words}");
    }
}

#[test]
fn a_match_that_workers_cannot_play_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "match geister random paper:weights=none.npy --games 4";
    for (carrier, hint) in [
        (CARRIER, "none.npy"),
        ("echo no slots", "the carrier of the workers is gone"),
        ("exec true", "the carrier of the workers is gone"),
    ] {
        let output = lab(folder.path(), words, Some(carrier));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(1) && errors.contains(hint),
            "{errors}"
        );
    }
    let other = r#"{"lab":"0.0.0","folder":"/"}"#;
    std::fs::write(folder.path().join("lines"), other).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_taikyoku-lab"))
        .arg("work")
        .stdin(std::fs::File::open(folder.path().join("lines")).expect("a file"))
        .output()
        .expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && errors.contains("the same one"),
        "{errors}"
    );
}
