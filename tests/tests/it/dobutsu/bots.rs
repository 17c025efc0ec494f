//! Matches of the project's own client over TCP: bots, a person, and the record.

use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};

use end_to_end::native::{Client, serve_game};
use end_to_end::programs;
use record::{EndKind, What};
use serde_json::{Value, json};

/// Starts `taikyoku bot dobutsu`, with the words in `line`.
fn bot(port: u16, line: &str) -> Child {
    // The client lies beside the server.
    assert!(programs::dobutsu().is_file());
    let port = port.to_string();
    Command::new(programs::taikyoku())
        .args(["bot", "dobutsu", "--host", "127.0.0.1", "--port", &port])
        .args(line.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a bot starts")
}

fn text(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn two_bots_play_a_match_of_dobutsu_shogi() {
    let options = [
        "--games",
        "6",
        "--random-plies",
        "2",
        "--seed",
        "5",
        "--once",
        "--json",
    ];
    let server = serve_game("dobutsu", &options);
    let engines = [
        "--engine alphabeta --playouts 300 --name search",
        "--engine random --name dice",
    ];
    let bots = engines.map(|line| bot(server.port, &format!("{line} --seed 1 --json")));
    for bot in bots {
        let output = text(&bot.wait_with_output().expect("an output"));
        let last = output.lines().last().expect("a summary");
        let line: Value = serde_json::from_str(last).expect("JSON");
        for fault in [
            "corrected",
            "refused",
            "disagreements",
            "odd",
            "reconnected",
            "void",
        ] {
            assert_eq!(line["summary"][fault], 0, "{fault}: {line}");
        }
        assert_eq!(line["summary"]["games"], 6);
    }
    server.wait_for_results(1);
    let finished = server.finish();
    assert!(finished.status.success());
    let json = finished.json();
    let search = json["names"].as_array().expect("names");
    let search = search
        .iter()
        .position(|name| name == "search")
        .expect("a player");
    assert_eq!(json["wins"][search], 6, "{json}");
    let ends = finished.records[0]
        .events
        .iter()
        .filter_map(|event| match &event.what {
            What::End { kinds, .. } => Some(kinds.clone()),
            _ => None,
        });
    assert!(
        ends.into_iter()
            .all(|kinds| kinds[..] == [EndKind::Normal; 2])
    );
}

#[test]
fn bots_of_two_protocols_meet_at_tables() {
    let options = ["--animal-shogi", "0", "--games", "1", "--json"];
    let server = serve_game("dobutsu", &options);
    let keio = |line: &str| bot(server.ports[1], &format!("--protocol animal-shogi {line}"));
    let search = keio("--games 2 --engine alphabeta --playouts 300 --json");
    let dice = keio("--games 2 --engine random");
    let [search, dice] =
        [search, dice].map(|bot| text(&bot.wait_with_output().expect("an output")));
    let last = search.lines().last().expect("a summary");
    let last: Value = serde_json::from_str(last).expect("JSON");
    let due = json!({"won": 2, "drawn": 0, "lost": 0});
    assert_eq!(last["summary"]["results"], due, "{search}");
    for fault in ["corrected", "odd", "disagreements"] {
        assert_eq!(last["summary"][fault], 0, "{search}");
    }
    assert!(dice.contains("2 games: 0 won, 0 drawn, 2 lost"), "{dice}");
    // A game against one that speaks the native protocol.
    let bots = [
        keio("--engine alphabeta --playouts 300"),
        bot(server.port, "--engine random"),
    ];
    let [keio, native] = bots.map(|bot| text(&bot.wait_with_output().expect("an output")));
    assert!(keio.contains("1 game: 1 won"), "{keio}");
    assert!(native.contains("0 won, 0 drawn, 1 lost"), "{native}");
}

#[test]
fn a_person_plays_dobutsu_shogi_at_a_terminal() {
    let server = serve_game("dobutsu", &["--games", "1", "--once", "--json"]);
    let mut other = Client::seated(server.port, "bo");
    let mut person = bot(server.port, "--engine human --name ana");
    let mut lines = person.stdin.take().expect("a pipe");
    // The person is the second player.
    lines
        .write_all(b"help\nboard\nz9\n2b2c\n")
        .expect("it reads");
    other.wait_for("request");
    other.play("1d1c");
    other.wait_for("request");
    // A lion beside nothing of its own walks into the chick's way.
    other.play("2d1d");
    lines.write_all(b"moves\nresign\n").expect("it reads");
    let result = other.wait_for("result");
    assert_eq!(result["places"], json!([1, 2]), "{result}");
    drop(lines);
    let output = text(&person.wait_with_output().expect("an output"));
    for due in [
        "move the piece of one square to another",
        "d  E  L  G",
        "`z9` is not a move",
        "hand",
    ] {
        assert!(output.contains(due), "{due}: {output}");
    }
}

#[test]
fn a_network_plays_in_both_protocols() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../models/fixtures/tiny-dobutsu.onnx"
    );
    let options = ["--animal-shogi", "0", "--games", "1", "--once", "--json"];
    let server = serve_game("dobutsu", &options);
    let network = format!("--engine alphazero --model {model} --nn-engine rten --nodes 20 --json");
    let native = bot(server.port, &format!("{network} --threads 2"));
    let keio = bot(
        server.ports[1],
        &format!("{network} --protocol animal-shogi --exploration log --mate 3"),
    );
    for bot in [native, keio] {
        let output = text(&bot.wait_with_output().expect("an output"));
        assert!(output.contains("\"engine\":\"alphazero\""), "{output}");
        let last = output.lines().last().expect("a summary");
        let line: Value = serde_json::from_str(last).expect("JSON");
        assert_eq!(line["summary"]["games"], 1, "{line}");
        assert_eq!(line["summary"]["refused"], 0, "{line}");
    }
    assert!(server.finish().status.success());
}
