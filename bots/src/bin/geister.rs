//! The stand-alone Geister client.

use std::process::ExitCode;

use clap::Parser;
use client::run_program;
use taikyoku_bots::geister::client::{GeisterOptions, run};

/// Play Geister on a GAT server.
///
/// Connects to the port of a seat, plays one game on each connection as an engine or a person, and prints the results.
/// It speaks with the official Java server, its variant of 2024, and `taikyoku serve geister`.
#[derive(Parser)]
#[command(
    name = "geister",
    version = program::version!(),
    after_help = "\
Examples:
  geister                                    a game as the player of port 10000 at localhost
  geister --seat 1 --move-ms 500             as that of port 10001, half a second a move
  geister --host game.example --games 50     fifty games in a row at a tournament
  geister --swap-port 10001 --games 20       every second game at port 10001, where the server
                                             swaps the seats and the players must follow
  geister --engine paper --weights w.npy     the policy alone, with other weights
  geister --engine human --seat 1            a person at the terminal; help says what may be typed
  geister --seed 7 --simulations 5000 --json repeatable, with the reasons for every move
Exit status: 0 all games have a result; 2 the command line, or the file of --weights; 3 no connection,
or none that led to a game; 4 some game has no result, because its connection broke, or the player left.
The environment variable RUST_LOG (error, warn, info, debug) sets how much is logged to standard
error; the default is warn."
)]
struct GeisterArguments {
    #[command(flatten)]
    options: GeisterOptions,
}

fn main() -> ExitCode {
    program::start_log();
    let options = program::options::<GeisterArguments>().options;
    run_program("geister", |lines, out| run(&options, lines, out))
}
