//! Experiments on 3D four-in-a-row.

mod accuracy;
pub(crate) mod tables;
pub(crate) mod train;

use clap::Subcommand;

use crate::Failure;

/// Experiments on 3D four-in-a-row.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Measure how often engines keep the exact value of late positions.
    Accuracy(accuracy::Options),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Accuracy(options) => accuracy::run(options),
    }
}
