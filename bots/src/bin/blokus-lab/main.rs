//! Experiments on Blokus: matches between engines, the tables of random play, generators against each other,
//! and speed.

mod assignment;
mod compare;
mod contest;
mod generators;
mod report;
mod speed;
mod tables;
mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Experiments on Blokus for four players.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Examples:
  blokus-lab match brs:ms=100 paranoid:ms=100 maxn:ms=100 --games 144
  blokus-lab match best:ms=1000 mcts-maxn:ms=1000 --one-against-three --games 200
  blokus-lab match blokus-zero:model=FILE.onnx:simulations=800 mcts-maxn:playouts=800 --one-against-three --games 300
                                          the experiment of the BlokusZero paper
  blokus-lab compare FILE.onnx FILE.int8.onnx GAMES.tkg
                                          what 8 bits change
  blokus-lab tables --games 1000          random, greedy and epsilon-greedy play
  blokus-lab generators --games 1000      both generators and the scan, ply by ply
  blokus-lab speed mcts-maxn:playouts=800 milliseconds a move over whole games"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play two to four engines against each other over all assignments to the seats in which all are present.
    ///
    /// A block is as many games as there are engines, from one random opening, in which they take each other's
    /// seats in a circle; with --one-against-three it is four games. Intervals are those of 95 % over
    /// blocks.
    Match(contest::Options),
    /// Play simple players against themselves and print what their games are like.
    Tables(tables::Options),
    /// Compare the generators of legal moves on whole random games.
    Generators(generators::Options),
    /// Play an engine against itself and print the time of its moves.
    Speed(speed::Options),
    /// Compare what two networks say of positions of recorded games, such as one and its 8-bit version.
    Compare(compare::Options),
    /// Let `best` play itself and learn the weights by which it judges moves.
    Train(train::Options),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let result = match Arguments::parse().command {
        Command::Match(options) => contest::run(&options),
        Command::Tables(options) => {
            tables::run(&options);
            Ok(())
        }
        Command::Generators(options) => generators::run(&options),
        Command::Speed(options) => speed::run(&options),
        Command::Compare(options) => compare::run(&options),
        Command::Train(options) => train::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("blokus-lab: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why a command stopped.
type Failure = Box<dyn std::error::Error + Send + Sync>;
