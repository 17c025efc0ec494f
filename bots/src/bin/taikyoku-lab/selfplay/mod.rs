//! Plays games to learn from, and shows them to what learns.

mod encode;
mod evaluate;
mod info;
mod play;
mod progress;
pub(crate) mod teach;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::Failure;

/// Plays games to learn from, and shows them to what learns.
///
/// Files of games (*.tkg) can be added to at any time: a game whose number is in the file is not played again, and one
/// that was being written when the program was killed is played again under its number.
///
/// Exit status: 0 all is done; 1 something failed; 2 the command line, or a network that cannot be
/// opened; 3 stopped before all games were played.
#[derive(Args)]
#[command(after_help = "\
Examples:
  taikyoku-lab selfplay teach --out teacher.tkg --games 1000 --engine best:playouts=400
                                                       games of a classical engine, to begin with
  taikyoku-lab selfplay play blokus-fast --model blokus-zero.onnx --out games.tkg --games 100 --threads 2
                                                       games of a network, evaluated here
  taikyoku-lab selfplay info teacher.tkg               what is in it
  taikyoku-lab selfplay encode blokus-fast teacher.tkg positions and targets, as bytes on stdout
The formats are described in models/SELF_PLAY.md.")]
pub(crate) struct Options {
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

/// Runs a command; 3 as exit status says that the learner wanted no more games.
pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    match &options.command {
        Command::Play(options) => {
            return Ok(ExitCode::from(if play::run(options)? { 0 } else { 3 }));
        }
        Command::Teach(options) => teach::run(options),
        Command::Encode(options) => encode::run(options),
        Command::Evaluate(options) => evaluate::run(options),
        Command::Info(options) => info::run(options),
    }?;
    Ok(ExitCode::SUCCESS)
}
