//! Training and measuring the Geister policy.

mod average;
mod duel;
mod experiments;
mod placements;
mod run;
mod versus;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Train the Geister policy by self-play, and measure policies against each other.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Examples:
  geister-train run --games 1000000 --seed 1 --out run1            the paper's training
  geister-train run --games 1000000 --seed 1 --out run1            again: goes on where it stopped
  geister-train versus run1/theta_1000000.npy other.npy --games 10000 --ply-limit 200
  geister-train experiment1 run1                                   each checkpoint against the one of 1M games
  geister-train figure7 run1                                       draws of each checkpoint against itself
  geister-train seeds run1 run2 run3 --against theta_1M.npy theta_9M.npy"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Learn by self-play (REINFORCE), writing checkpoints; goes on from the last one in the folder.
    Run(run::Options),
    /// Play two policies against each other, both seats, with a 95 % interval.
    Versus(versus::Options),
    /// Write the mean of several weights: steadier than a single checkpoint.
    Average(average::Options),
    /// The score of each of the 70 placements under a policy.
    Placements(placements::Options),
    /// Play two engines against each other: the policy alone, or with search.
    Match(duel::Options),
    /// The paper's experiment 1: every checkpoint of a run against the one of 1,000,000 games.
    Experiment1(experiments::Experiment1),
    /// The paper's figure 7: the share of draws of every checkpoint against itself.
    Figure7(experiments::Figure7),
    /// The last checkpoint of several runs against policies from files.
    Seeds(experiments::Seeds),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let result = match Arguments::parse().command {
        Command::Run(options) => run::run(&options),
        Command::Versus(options) => versus::run(&options),
        Command::Average(options) => average::run(&options),
        Command::Placements(options) => placements::run(&options),
        Command::Match(options) => duel::run(&options),
        Command::Experiment1(options) => options.run(),
        Command::Figure7(options) => options.run(),
        Command::Seeds(options) => options.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("geister-train: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why a command stopped.
type Failure = Box<dyn std::error::Error>;
