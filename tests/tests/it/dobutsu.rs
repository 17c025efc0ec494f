//! The project's own client in both protocols of Dobutsu shogi.

use end_to_end::native::Client;
use end_to_end::programs::{bot, end_of, started};
use end_to_end::run::Server;
use serde_json::{Value, json};

#[test]
fn bots_of_two_protocols_meet_at_tables() {
    let server = Server::serve("dobutsu --animal-shogi 0 --games 1 --json");
    let bot = |port, line: &str| started(&mut bot("dobutsu", port, line));
    let keio = |line: &str| bot(server.ports[1], &format!("--protocol animal-shogi {line}"));
    let search = keio("--games 2 --engine alphabeta --playouts 300 --json");
    let dice = keio("--games 2 --engine random --seed 1");
    let [search, dice] = [search, dice].map(|bot| end_of(bot).good());
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
        bot(server.port, "--engine random --seed 1"),
    ];
    let [keio, native] = bots.map(|bot| end_of(bot).good());
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
    let native = format!("{network} --threads 2");
    let keio = format!("{network} --protocol animal-shogi --exploration log --mate 3");
    let bots = [(server.port, native), (server.ports[1], keio)];
    for bot in bots.map(|(port, line)| started(&mut bot("dobutsu", port, &line))) {
        let output = end_of(bot).good();
        assert!(output.contains("\"engine\":\"alphazero\""), "{output}");
        let last = output.lines().last().expect("a summary");
        let line: Value = serde_json::from_str(last).expect("JSON");
        assert_eq!(line["summary"]["games"], 1, "{line}");
        assert_eq!(line["summary"]["refused"], 0, "{line}");
    }
    assert!(server.finish().status.success());
}

#[test]
fn a_bot_declines_a_draw_and_plays_on() {
    let server = Server::serve("dobutsu --draws --games 1 --once");
    let mut client = Client::seated(server.port, "ana");
    let bot = started(&mut bot("dobutsu", server.port, "--engine random"));
    client.wait_for("request");
    client.say(r#"{"type":"draw","game":1,"act":"offer"}"#);
    assert_eq!(client.wait_for("draw")["seat"], 0);
    let answer = client.wait_for("draw");
    assert_eq!(
        (&answer["seat"], &answer["act"]),
        (&json!(1), &json!("decline"))
    );
    client.play("2c2b");
    client.wait_for("request");
    client.say(r#"{"type":"resign"}"#);
    client.wait_for("over");
    end_of(bot).good();
    assert!(server.finish().status.success());
}
