//! Training and measuring the Geister policy.

mod average;
mod experiments;
mod placements;
pub(crate) mod run;
mod versus;

use clap::Subcommand;

use crate::Failure;

/// Experiments on Geister.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Play two policies against each other, both seats, with a 95 % interval.
    Versus(versus::Options),
    /// Write the mean of several weights: steadier than a single checkpoint.
    Average(average::Options),
    /// The score of each of the 70 placements under a policy.
    Placements(placements::Options),
    /// The paper's experiment 1: every checkpoint of a run against the one of 1,000,000 games.
    Experiment1(experiments::Experiment1),
    /// The paper's figure 7: the share of draws of every checkpoint against itself.
    Figure7(experiments::Figure7),
    /// The last checkpoint of several runs against policies from files.
    Seeds(experiments::Seeds),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Versus(options) => versus::run(options),
        Command::Average(options) => average::run(options),
        Command::Placements(options) => placements::run(options),
        Command::Experiment1(options) => options.run(),
        Command::Figure7(options) => options.run(),
        Command::Seeds(options) => options.run(),
    }
}
