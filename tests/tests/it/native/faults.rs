//! Players of the native protocol that misbehave, over TCP. What each fault costs is a matter of the referee.

use end_to_end::native::Client;
use end_to_end::run::Server;
use serde_json::json;

#[test]
fn a_hello_that_does_not_fit_is_told_why() {
    let server = Server::serve("score-four");
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
    let server = Server::serve("score-four --tables 1 --games 1 --matches 2");
    let [mut first, _second] = Client::pair(server.port);
    let mut next = ["cy", "dan"].map(|name| Client::seated(server.port, name));
    let mut full = Client::connect(server.port);
    full.say(r#"{"type":"hello","versions":[1],"name":"x"}"#);
    full.error("full");
    first.say(r#"{"type":"leave"}"#);
    for client in &mut next {
        client.expect("match");
    }
}
