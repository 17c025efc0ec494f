//! Players of the native protocol that misbehave, over TCP.

use std::thread;

use end_to_end::native::{Client, serve};
use end_to_end::run::Server;
use record::EndKind;
use serde_json::json;

const HELLO: &str = r#"{"type":"hello","versions":[1],"name":"x"}"#;

fn kinds(server: &Server) -> Vec<Vec<EndKind>> {
    let records = server.records();
    let events = records.iter().flat_map(|record| &record.events);
    events
        .filter_map(|event| match &event.what {
            record::What::End { kinds, .. } => Some(kinds.clone()),
            _ => None,
        })
        .collect()
}

/// The end of a game and what both players are told of it.
fn result(clients: &mut [Client; 2]) -> serde_json::Value {
    let first = clients[0].wait_for("result");
    assert_eq!(clients[1].wait_for("result"), first);
    first
}

#[test]
fn lines_that_are_no_messages_cost_the_game_and_the_match_goes_on() {
    let server = serve(&["--games", "100", "--no-swap"]);
    let mut clients = Client::pair(server.port);
    let long = "x".repeat(5000);
    let deep = format!("{{\"type\":\"resign\",\"x\":{}", "[".repeat(3000));
    let lines: [(&[u8], &str); 12] = [
        (b"hello", "malformed"),
        (b"{", "malformed"),
        (b"[]", "malformed"),
        (b"null", "malformed"),
        (b"{}", "malformed"),
        (b"\xff\xfe\x00", "malformed"),
        (b"GET / HTTP/1.1", "malformed"),
        (br#"{"type":"move"}"#, "malformed"),
        (br#"{"type":"move","move":["a1"]}"#, "malformed"),
        (br#"{"type":"move","move":"a1","ply":1.5}"#, "malformed"),
        (long.as_bytes(), "too-long"),
        (deep.as_bytes(), "too-deep"),
    ];
    for (game, (line, code)) in (1..).zip(lines) {
        // In turn and out of turn.
        let player = game % 2;
        clients[player]
            .write(&[line, b"\r\n"].concat())
            .expect("a server that listens");
        clients[player].error(code);
        let result = result(&mut clients);
        assert_eq!(result["game"], game);
        assert_eq!(
            (&result["end"], &result["by"]),
            (&json!("protocol-error"), &json!(player))
        );
        assert_eq!(result["places"][player], 2);
    }
    // After all of that a game can be played.
    clients[0].play("a1");
    clients[1].wait_for("moved");
    drop(clients);
}

#[test]
fn an_endless_line_and_a_flood_of_lines_end_the_connection() {
    let endless = [b'x'; 4096];
    let legal = b"{\"type\":\"legal\"}\n".repeat(200);
    for flood in [&endless[..], &legal, b"\n\n\n\n\n\n\n\n"] {
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
fn moves_out_of_turn_cost_nothing_and_illegal_ones_the_game() {
    let server = serve(&["--games", "2", "--no-swap", "--once", "--json"]);
    let mut clients = Client::pair(server.port);
    clients[1].play("a1");
    clients[1].error("not-your-turn");
    for ply in 0..4 {
        clients[ply % 2].play("a1");
        clients[(ply + 1) % 2].wait_for("request");
    }
    clients[0].send(&json!({"type": "move", "game": 1, "ply": 3, "move": "b1"}));
    clients[0].error("stale");
    clients[0].say(r#"{"type":"chat","text":"hi"}"#);
    clients[0].error("unknown-type");
    clients[0].say(HELLO);
    clients[0].error("hello");
    clients[0].play("a1");
    clients[0].error("illegal");
    let first = result(&mut clients);
    assert_eq!(
        (&first["end"], &first["places"]),
        (&json!("illegal"), &json!([2, 1]))
    );
    clients[0].play("e9");
    assert_eq!(result(&mut clients)["end"], "illegal");
    let over = clients[0].expect("over");
    assert_eq!(over["scores"], json!([0.0, 2.0]));
    assert!(clients.iter_mut().all(Client::is_closed));
    server.wait_for_results(1);
    let sum = &server.replay_all()[0];
    assert_eq!((sum.games, sum.plies, sum.closed), (2, 4, true));
    let finished = server.finish();
    assert!(finished.status.success());
    assert_eq!(finished.json()["faults"], json!([{"illegal": 2}, {}]));
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
fn one_that_resigns_or_leaves() {
    let server = serve(&["--games", "3", "--once", "--json"]);
    let mut clients = Client::pair(server.port);
    clients[1].say(r#"{"type":"resign"}"#);
    assert_eq!(result(&mut clients)["end"], "resign");
    clients[0].say(r#"{"type":"leave"}"#);
    let left = result(&mut clients);
    assert_eq!(
        (&left["end"], &left["game"]),
        (&json!("disconnect"), &json!(2))
    );
    assert!(clients.iter_mut().all(Client::is_closed));
    // The record is written a moment later.
    server.wait_for_results(1);
    assert_eq!(kinds(&server).len(), 2);
    let finished = server.finish();
    assert_eq!(
        finished.json()["reason"],
        "player 0 is gone: it gave up its seat"
    );
    assert_eq!(finished.json()["points"], json!([1.0, 1.0]));
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
fn a_third_client_is_turned_away_and_troubles_nobody() {
    let server = serve(&["--games", "2", "--once"]);
    let mut clients = Client::pair(server.port);
    let mut third = Client::connect(server.port);
    third.say(HELLO);
    third.error("full");
    assert!(third.is_closed());
    clients[0].play("a1");
    clients[1].expect("moved");
    clients[1].expect("request");
    clients[1].play("a2");
    clients[1].expect("moved");
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
