//! Score four on the command line: one move, matches, and the experiments.

mod accuracy;
mod duel;
mod one_move;
mod play;
mod tables;
mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// 3D four-in-a-row: moves, matches and the paper's tables.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Examples:
  score-four play --host game.example --engine best --move-ms 900   a match on a server
  score-four play --engine human --name ana                      the same for a person
  score-four move a1b2c3 --engine best --move-ms 1000          a peg for the seat to move
  score-four match best:ms=1000 uct:playouts=50000 --games 200  both orders, random first two plies
  score-four tables --games 100 --json                         the paper's three tables again"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play a match on a server in the native protocol, as an engine or as a person.
    ///
    /// Exit status: 0 the match was played to its end; 2 the command line; 3 no connection or no seat; 4
    /// the match ended early or the connection was lost for good.
    Play(Box<taikyoku_bots::score_four::client::Options>),
    /// Print the peg that an engine plays in a position.
    Move(one_move::Options),
    /// Play two engines against each other, both orders, with a 95 % interval.
    Match(duel::Options),
    /// Repeat the three tables of the paper and print them beside its figures.
    Tables(tables::Options),
    /// Measure how often engines keep the exact value of late positions.
    Accuracy(accuracy::Options),
    /// Learn the evaluation of `best` from games against itself.
    Train(train::Options),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let result = match Arguments::parse().command {
        Command::Play(options) => return play::run(&options),
        Command::Move(options) => one_move::run(&options),
        Command::Match(options) => duel::run(&options),
        Command::Tables(options) => tables::run(&options),
        Command::Accuracy(options) => accuracy::run(&options),
        Command::Train(options) => train::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("score-four: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why a command stopped.
type Failure = Box<dyn std::error::Error>;
