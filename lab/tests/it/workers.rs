//! `taikyoku-lab match` and `tables` with `--workers`: what workers play has the figures of one process, whatever the carrier loses.

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
fn workers_make_the_tables_of_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "tables score-four --table 3 --games 3 --random-plies 4 --seed 7 --json";
    let rows = |more: &str, carrier| -> Vec<Value> {
        let output = lab(folder.path(), &format!("{words}{more}"), carrier);
        let errors = String::from_utf8_lossy(&output.stderr);
        // On a slow machine there is progress; nothing is warned of, as the budgets are in playouts.
        let is_progress = |line: &str| line.ends_with(" of 4 rows");
        assert!(
            output.status.success() && errors.lines().all(is_progress),
            "{errors}"
        );
        let text = String::from_utf8(output.stdout).expect("text");
        let rows = text.lines().map(serde_json::from_str);
        let mut rows: Vec<Value> = rows.map(|row| row.expect("JSON")).collect();
        for row in &mut rows {
            for side in ["a", "b"] {
                let seconds = row[side]["seconds_per_move"].take();
                assert!(seconds.as_f64() > Some(0.0), "{seconds}");
                row[side]["times_faster"].take();
            }
        }
        rows
    };
    let here = rows("", None);
    assert_eq!(here.len(), 4);
    assert_eq!(rows("", Some(CARRIER)), here);
    assert_eq!(rows(" --threads 2", None), here);
    // A worker is told of a match or of tables that are made of sittings, and of nothing else.
    let version = String::from_utf8(lab(folder.path(), "--version", None).stdout).expect("text");
    let version = version.trim().trim_start_matches("taikyoku-lab ");
    for (words, hint) in [
        (r#"["tables","score-four","--table","9"]"#, "9"),
        (r#"["signature"]"#, "signature"),
        (r#"["tables","score-four","--games","1"]"#, "no sitting 99"),
    ] {
        let league = serde_json::json!({"lab": version, "folder": folder.path()});
        let piece = format!(r#"{{"piece":0,"words":{words},"sittings":[99]}}"#);
        let (code, said) = work(folder.path(), &format!("{league}\n{piece}\n"));
        assert!(code == Some(2) && said.contains(hint), "{said}");
    }
}

/// Has a worker read lines; gives its exit code, and what it says.
fn work(folder: &Path, lines: &str) -> (Option<i32>, String) {
    std::fs::write(folder.join("lines"), lines).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_taikyoku-lab"))
        .arg("work")
        .stdin(std::fs::File::open(folder.join("lines")).expect("a file"))
        .output()
        .expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    (output.status.code(), errors.into_owned())
}

#[test]
fn a_match_by_the_clock_is_warned_of_where_workers_play_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for (words, timed) in [
        ("score-four best:ms=5 uct:playouts=20", "some: best:ms=5. "),
        ("score-four best uct", "some: best. "),
        ("score-four best:playouts=9 random", ""),
        (
            "dobutsu alphabeta alphabeta:ms=5:playouts=9",
            "some: alphabeta, alphabeta:ms=5:playouts=9. ",
        ),
        ("dobutsu perfect alphabeta:playouts=9", ""),
        (
            "geister best best:ms=5:simulations=9",
            "some: best:ms=5:simulations=9. ",
        ),
        ("geister paper policy:ms=5", ""),
        ("blokus greedy brs mcts-maxn:playouts=2", "some: brs. "),
        ("blokus brs maxn brs greedy", "some: brs, maxn. "),
        ("daihinmin best mc:ms=5 random:ms=5", "some: mc:ms=5. "),
    ] {
        // A carrier without a worker.
        let output = lab(folder.path(), &format!("match {words}"), Some("exit 1"));
        let errors = String::from_utf8_lossy(&output.stderr);
        let said = errors.contains("limits of time are worth less");
        assert!(
            said != timed.is_empty() && errors.contains(timed),
            "{words}: {errors}"
        );
    }
    let words = "match score-four best:ms=2 random --games 2";
    let output = lab(folder.path(), words, None);
    assert!(output.status.success() && output.stderr.is_empty());
}

/// Each of the matches was lost in two of three cases when the end was read with the answer.
#[test]
fn a_carrier_may_end_with_its_last_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let carrier = r#"
read -r league
echo '{"slots":1}'
read -r line
piece=${line#*:}; piece=${piece%%,*}
lines=$(printf '%s\n%s\n' "$league" "$line" | "$LAB" work | paste -sd, -)
echo '{"piece":'$piece',"ms":1000,"lines":['"$lines"']}'
"#;
    for _ in 0..8 {
        let output = lab(
            folder.path(),
            "match geister random random --games 2",
            Some(carrier),
        );
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn a_match_that_workers_cannot_play_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let gone = "the carrier of the workers is gone";
    for (players, carrier, hint) in [
        ("random paper:weights=none.npy", CARRIER, "none.npy"),
        ("random random", "echo no slots", gone),
        ("random random", "exec true", gone),
    ] {
        let words = format!("match geister {players} --games 4");
        let output = lab(folder.path(), &words, Some(carrier));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(1) && errors.contains(hint),
            "{errors}"
        );
    }
    let other = r#"{"lab":"0.0.0","folder":"/"}"#;
    let (code, said) = work(folder.path(), other);
    assert!(code == Some(2) && said.contains("the same one"), "{said}");
}
