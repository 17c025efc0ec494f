//! Players of the native protocol that misbehave, over TCP.

use std::thread;

use end_to_end::native::{Client, serve};
use serde_json::json;

const HELLO: &str = r#"{"type":"hello","versions":[1],"name":"x"}"#;

/// The end of a game and what both players are told of it.
fn result(clients: &mut [Client; 2]) -> serde_json::Value {
    let first = clients[0].wait_for("result");
    assert_eq!(clients[1].wait_for("result"), first);
    first
}

#[test]
fn an_endless_line_and_a_flood_of_lines_end_the_connection() {
    let legal = b"{\"type\":\"legal\"}\n".repeat(200);
    for flood in [&[b'x'; 4096][..], &legal] {
        let server = serve(&["--games", "9", "--resume-ms", "300", "--once", "--json"]);
        let mut clients = Client::pair(server.port);
        let [first, second] = &mut clients;
        let flooded = thread::scope(|scope| {
            let flooding = scope.spawn(|| {
                // Until the server has closed.
                while second.write(flood).is_ok() {}
            });
            let result = first.wait_for("result");
            flooding.join().expect("a thread");
            result
        });
        // A line that is too long costs the game before the flood does.
        assert_eq!(
            (&flooded["end"], &flooded["by"]),
            (&json!("protocol-error"), &json!(1))
        );
        let over = first.wait_for("over");
        assert!(
            over["reason"]
                .as_str()
                .expect("a reason")
                .contains("player 1 is gone"),
            "{over}"
        );
        let finished = server.finish();
        assert_eq!(finished.json()["faults"][0], json!({}));
        assert_eq!(finished.status.code(), Some(130));
    }
}

#[test]
fn silence_is_a_timeout() {
    let server = serve(&["--games", "2", "--move-ms", "150", "--once", "--json"]);
    let mut clients = Client::pair(server.port);
    let first = result(&mut clients);
    assert_eq!(
        (&first["end"], &first["by"]),
        (&json!("timeout"), &json!(0))
    );
    // Half a message is silence, too.
    clients[1]
        .write(br#"{"type":"move","move":"a1"}"#)
        .expect("a server that listens");
    assert_eq!(result(&mut clients)["end"], "timeout");
    let finished = server.finish();
    assert_eq!(
        finished.json()["faults"],
        json!([{"timeout": 1}, {"timeout": 1}])
    );
}

#[test]
fn a_hello_that_does_not_fit_is_told_why() {
    let server = serve(&[]);
    for (line, code) in [
        (r#"{"type":"hello","versions":[2,7],"name":"x"}"#, "version"),
        (r#"{"type":"hello","versions":[],"name":"x"}"#, "version"),
        (
            r#"{"type":"hello","versions":[1],"name":"x","game":"go"}"#,
            "game",
        ),
        (
            r#"{"type":"hello","versions":[1],"name":"x","token":"abc"}"#,
            "token",
        ),
        (r#"{"type":"hello","name":"x"}"#, "malformed"),
        (r#"{"type":"legal"}"#, "hello"),
        ("SET:ABCD", "malformed"),
    ] {
        let mut client = Client::connect(server.port);
        client.say(line);
        let error = client.expect("error");
        assert_eq!(error["code"], code, "{line}");
        if code == "version" {
            assert_eq!(error["versions"], json!([1]));
        }
        assert!(client.is_closed(), "{line}");
    }
    let mut later = Client::connect(server.port);
    later
        .say(r#"{"type":"hello","versions":[9,1],"name":"\u0007 ","shoe":41,"game":"score-four"}"#);
    assert_eq!(later.expect("welcome")["version"], 1);
    later.say("what?");
    later.error("malformed");
    later.say(r#"{"type":"legal"}"#);
    later.error("no-game");
    let mut second = Client::seated(server.port, "bo");
    assert_eq!(second.expect("match")["players"], json!(["player 0", "bo"]));
}

#[test]
fn the_players_of_the_next_match_wait_while_all_tables_are_busy() {
    let server = serve(&["--tables", "1", "--games", "1", "--matches", "2"]);
    let [mut first, _second] = Client::pair(server.port);
    let mut next = ["cy", "dan"].map(|name| Client::seated(server.port, name));
    let mut full = Client::connect(server.port);
    full.say(HELLO);
    full.error("full");
    first.say(r#"{"type":"leave"}"#);
    for client in &mut next {
        client.expect("match");
    }
}

#[test]
fn faults_at_one_table_do_not_touch_another() {
    let server = serve(&[
        "--tables",
        "2",
        "--games",
        "50",
        "--matches",
        "2",
        "--resume-ms",
        "100",
    ]);
    let mut calm = Client::pair(server.port);
    let mut wild = Client::pair(server.port);
    let mut full = Client::connect(server.port);
    full.say(HELLO);
    full.error("full");
    for peg in ["a1", "b1", "c1"] {
        for player in 0..2 {
            wild[player].say("}{");
            wild[player].error("malformed");
            calm[player].play(peg);
            calm[1 - player].wait_for("request");
        }
    }
    let [first, second] = wild;
    first.cut();
    second.cut();
    server.wait_for_results(1);
    calm[0].play("d1");
    calm[1].expect("moved");
    assert_eq!(calm[0].wait_for("result")["end"], "line");
}
