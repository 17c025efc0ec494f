//! Experiments on Blokus: the tables of random play, generators and networks against each other, training.

mod compare;
mod generators;
pub(crate) mod tables;
pub(crate) mod train;

use clap::Subcommand;

use crate::Failure;

/// Experiments on Blokus.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compare the generators of legal moves on whole random games.
    Generators(generators::Options),
    /// Compare what two networks say of positions of recorded games, such as one and its 8-bit version.
    Compare(compare::Options),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Generators(options) => generators::run(options),
        Command::Compare(options) => compare::run(options),
    }
}
