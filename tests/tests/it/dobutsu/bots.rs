//! The project's own client in both protocols of Dobutsu shogi.

use std::process::{Child, Command, Output, Stdio};

use end_to_end::programs;
use end_to_end::run::Server;
use serde_json::{Value, json};

/// Starts `taikyoku bot dobutsu`, with the words in `line`.
fn bot(port: u16, line: &str) -> Child {
    // The client lies beside the server.
    assert!(programs::dobutsu().is_file());
    let port = port.to_string();
    Command::new(programs::taikyoku())
        .args(["bot", "dobutsu", "--host", "127.0.0.1", "--port", &port])
        .args(line.split_whitespace())
        .stdin(Stdio::null())
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
fn bots_of_two_protocols_meet_at_tables() {
    let server = Server::serve("dobutsu --animal-shogi 0 --games 1 --json");
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
fn a_network_plays_in_both_protocols() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../models/fixtures/tiny-dobutsu.onnx"
    );
    let server = Server::serve("dobutsu --animal-shogi 0 --games 1 --once --json");
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
