//! Dobutsu shogi on the command line: a match on a server, or a USI engine.

use std::fmt::Display;
use std::io::{Write, stdin, stdout};
use std::process::ExitCode;

use ::client::run_program;
use clap::Parser;
use taikyoku_bots::dobutsu::client::{self, DobutsuOptions};
use taikyoku_bots::dobutsu::usi::{self, UsiSession};

/// Dobutsu shogi: plays on a server in the native protocol or in the lines of `AnimalShogiServer`, as an engine or as a
/// person, or is a USI engine.
///
/// perfect plays by the table of all positions, which `dobutsu-solve` makes in about a minute. alphazero needs a
/// network, an .onnx file: --model, or models/dobutsu/dobutsu-pairs.onnx in a folder above or among the installed data.
///
/// Exit status: 0 the match was played to its end, or USI's `quit`; 1 reading or writing failed; 2 the
/// command line or a file of it, such as the table; 3 no connection or no seat; 4 the match ended early or the connection
/// was lost for good.
#[derive(Parser)]
#[command(
    name = "dobutsu",
    version = program::version!(),
    after_help = "\
Examples:
  dobutsu --host game.example --engine perfect               a match on a server, by the table
  dobutsu --engine alphabeta --move-ms 1000                  a search of a second a move
  dobutsu --engine alphabeta --playouts 20000 --json         by positions: the same moves every time, and a log
  dobutsu --engine alphazero --simulations 800 --threads 2   a network guides the search
  dobutsu --engine human --name ana                          a person at the terminal
  dobutsu --protocol animal-shogi --port 8080 --games 10     games on an AnimalShogiServer
  dobutsu --usi --engine alphabeta                           a USI engine on stdin and stdout
  printf 'position startpos moves 2c2b\\ngo nodes 10000\\n' | dobutsu --usi --engine alphabeta
                                                             one move
docs/dobutsu.md describes the rules, bots/README.md the engines; protocol/NATIVE.md, protocol/ANIMAL_SHOGI.md and
protocol/USI.md specify the protocols."
)]
struct DobutsuArguments {
    /// Be a USI engine on stdin and stdout in place of playing on a server.
    #[arg(long, conflicts_with_all = ["host", "port", "tls", "tls_ca", "name", "token", "token_file", "connect_timeout", "json", "protocol", "games", "keio_rules"])]
    usi: bool,
    #[command(flatten)]
    options: DobutsuOptions,
}

fn main() -> ExitCode {
    program::start_log();
    let DobutsuArguments { usi, options } = program::options::<DobutsuArguments>();
    if usi {
        engine(&options)
    } else {
        play(&options)
    }
}

fn engine(options: &DobutsuOptions) -> ExitCode {
    let Some(engine) = options.usi_engine() else {
        return refuse(&"--usi needs an engine, not human");
    };
    let session = UsiSession::new(engine, options.native.common.seed_or_clock());
    match usi::run(session, stdin(), stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => program::fail("dobutsu", &error, program::FAILED),
    }
}

/// The command line is wrong, or a file of it.
fn refuse(reason: &dyn Display) -> ExitCode {
    program::fail("dobutsu", reason, program::USAGE)
}

fn play(options: &DobutsuOptions) -> ExitCode {
    let run = |lines, out: &mut dyn Write| client::run(options, lines, out);
    run_program("dobutsu", run)
}
