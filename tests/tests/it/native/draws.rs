//! Draws by agreement, over TCP. What may be said when is a matter of the referee.

use std::process::Command;

use end_to_end::native::Client;
use end_to_end::programs;
use end_to_end::run::Server;
use serde_json::json;

#[test]
fn two_clients_agree_on_a_draw() {
    let server = Server::serve("score-four --draws --games 1 --once --json");
    let [mut first, mut second] = ["ana", "bo"].map(|name| Client::seated(server.port, name));
    assert_eq!(first.wait_for("match")["draws"], true);
    first.wait_for("request");
    second.say(r#"{"type":"draw","game":1,"act":"offer"}"#);
    assert_eq!(first.wait_for("draw")["act"], "offer");
    first.say(r#"{"type":"draw","game":1,"act":"accept"}"#);
    for client in [&mut first, &mut second] {
        assert_eq!(client.wait_for("result")["end"], "agreed");
        assert_eq!(client.wait_for("over")["scores"], json!([0.5, 0.5]));
    }
    let finished = server.finish();
    assert_eq!(finished.json()["ends"], json!({ "agreed": 1 }));
    assert!(finished.status.success());
}

#[test]
fn a_bot_declines_a_draw_and_plays_on() {
    let server = Server::serve("dobutsu --draws --games 1 --once");
    let mut client = Client::seated(server.port, "ana");
    let mut bot = Command::new(programs::dobutsu())
        .args(["--engine", "random", "--port", &server.port.to_string()])
        .spawn()
        .expect("a bot");
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
    assert!(bot.wait().expect("it ends").success());
    assert!(server.finish().status.success());
}
