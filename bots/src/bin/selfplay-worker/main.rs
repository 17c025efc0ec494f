//! Plays games to learn from, and shows them to what learns.

mod encode;
mod evaluate;
mod info;
mod play;
mod progress;
mod teach;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Plays games to learn from, and shows them to what learns.
///
/// Files of games (*.tkg) can be added to at any time: a game whose number is in the file is not played again, and one
/// that was being written when the program was killed is played again under its number.
///
/// Exit status: 0 all is done; 1 something failed; 2 the command line, or a network that cannot be
/// opened; 3 stopped before all games were played.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Examples:
  selfplay-worker teach --out teacher.tkg --games 1000 --engine best:playouts=400
                                                       games of a classical engine, to begin with
  selfplay-worker play blokus-fast --model blokus-zero.onnx --out games.tkg --games 100 --threads 2
                                                       games of a network, evaluated here
  selfplay-worker info teacher.tkg                     what is in it
  selfplay-worker encode blokus-fast teacher.tkg       positions and targets, as bytes on stdout
The formats are described in models/SELF_PLAY.md."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Let a network play all seats.
    Play(play::Options),
    /// Let an engine that needs no network play all four seats of Blokus.
    Teach(teach::Options),
    /// Write the positions of games and what is to be learned of them to stdout, a block for each game.
    Encode(encode::Options),
    /// Write what a network says of the positions of games to stdout.
    Evaluate(evaluate::Options),
    /// Tell what is in files of games.
    Info(info::Options),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let result = match Arguments::parse().command {
        Command::Play(options) => match play::run(&options) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(3),
            Err(error) => Err(error),
        },
        Command::Teach(options) => teach::run(&options),
        Command::Encode(options) => encode::run(&options),
        Command::Evaluate(options) => evaluate::run(&options),
        Command::Info(options) => info::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("selfplay-worker: {error}");
            ExitCode::from(if error.is::<Refused>() { 2 } else { 1 })
        }
    }
}

/// What was asked for cannot be begun with.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Refused(Failure);

impl Refused {
    fn because(error: impl Into<Failure>) -> Failure {
        Self(error.into()).into()
    }
}

/// Why a command stopped.
type Failure = Box<dyn std::error::Error + Send + Sync>;
