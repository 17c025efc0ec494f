//! Seeds and tokens that no list of processes shows.

use std::process::Command;

use end_to_end::native::Client;
use end_to_end::programs::{self, Ended, bot, end_of, started};
use end_to_end::run::Server;

#[test]
fn a_variable_gives_the_seed_of_a_server() {
    let mut command = Command::new(programs::taikyoku());
    command.env("TAIKYOKU_SEED", "77");
    let line = "score-four --games 1 --random-plies 2 --once --json";
    let server = Server::run(command, line);
    let bot = || started(&mut bot("score-four", server.port, "--engine random"));
    for bot in [bot(), bot()] {
        end_of(bot).good();
    }
    assert_eq!(server.finish().json()["seed"], 77);
}

#[test]
fn a_variable_gives_the_token_and_the_seed_of_a_client() {
    let server = Server::serve("score-four --games 1 --once");
    let mut bot = bot("score-four", server.port, "--engine random");
    let [mut first, second] = Client::pair(server.port);
    let token = second.token.clone();
    second.cut();
    bot.env("TAIKYOKU_TOKEN", &token).env("TAIKYOKU_SEED", "77");
    let bot = started(bot.env("RUST_LOG", "debug"));
    // It is back in the seat of the token: it is told that it is, and the other one gives up.
    while first.expect("presence")["here"] == false {}
    first.say(r#"{"type":"resign"}"#);
    let Ended { code, err, .. } = end_of(bot);
    assert!(code == Some(0) && err.contains("seed 77"), "{err}");
}
