//! Seeds and tokens that no list of processes shows.

use std::process::{Command, Output, Stdio};

use end_to_end::native::Client;
use end_to_end::programs;
use end_to_end::run::Server;

fn bot(port: u16) -> Command {
    let mut command = Command::new(programs::score_four());
    command
        .args(["play", "--engine", "random", "--port", &port.to_string()])
        .env("TAIKYOKU_SEED", "77")
        .stdin(Stdio::null());
    command
}

#[test]
fn a_variable_gives_the_seed_of_a_server() {
    let mut command = Command::new(programs::taikyoku());
    command.env("TAIKYOKU_SEED", "77");
    let line = "score-four --games 1 --random-plies 2 --once --json";
    let server = Server::run(command, line);
    for mut bot in [(); 2].map(|()| bot(server.port).spawn().expect("the bot starts")) {
        assert!(bot.wait().expect("a child").success());
    }
    assert_eq!(server.finish().json()["seed"], 77);
}

#[test]
fn a_variable_gives_the_token_and_the_seed_of_a_client() {
    let server = Server::serve("score-four --games 1 --once");
    let mut bot = bot(server.port);
    let [mut first, second] = Client::pair(server.port);
    let token = second.token.clone();
    second.cut();
    bot.env("TAIKYOKU_TOKEN", &token)
        .env("RUST_LOG", "debug")
        .stderr(Stdio::piped());
    let bot = bot.spawn().expect("the bot starts");
    // It is back in the seat of the token: it is told that it is, and the other one gives up.
    while first.expect("presence")["here"] == false {}
    first.say(r#"{"type":"resign"}"#);
    let Output { status, stderr, .. } = bot.wait_with_output().expect("a child");
    let text = String::from_utf8_lossy(&stderr);
    assert!(status.success() && text.contains("seed 77"), "{text}");
}
