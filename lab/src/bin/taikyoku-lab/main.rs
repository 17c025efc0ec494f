//! The laboratory: matches between engines with their intervals, training, tables, speeds, and what else is
//! measured inside one process.

/// As the standard one, but a reader that has gone (`taikyoku-lab ... | head`) ends the program in peace.
macro_rules! println {
    ($($part:tt)*) => {
        program::write_out(format_args!("{}\n", format_args!($($part)*)))
    };
}

/// The same without the end of the line.
macro_rules! print {
    ($($part:tt)*) => {
        program::write_out(format_args!($($part)*))
    };
}

mod blokus;
mod contest;
mod daihinmin;
mod dobutsu;
mod geister;
mod learning;
mod meter;
mod nn_bench;
mod score_four;
mod selfplay;
mod signature;
mod tune;
mod work;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use taikyoku_lab::arena::Failure;

/// Measure, train and compare the engines of all games, inside one process.
///
/// Exit status: 0 all is done; 1 something failed; 2 the command line, or a network that cannot be
/// opened; 3 self-play was stopped before all games were played.
#[derive(Parser)]
#[command(
    name = "taikyoku-lab",
    version = program::version!(),
    after_help = "\
Examples:
  taikyoku-lab match daihinmin crow:playouts=2000 mc:playouts=2000
  taikyoku-lab match geister best:simulations=2000 paper:weights=theta.npy --games 100
  taikyoku-lab match blokus best:ms=1000 mcts-maxn:ms=1000 --one-against-three --games 200
  taikyoku-lab match score-four best:ms=1000 uct:playouts=50000 --games 200
  taikyoku-lab match dobutsu perfect alphabeta:ms=100 --second --games 100
  taikyoku-lab tune uct.toml                                 the options of an engine, by games
  taikyoku-lab tables score-four --games 100 --json          the paper's three tables again
  taikyoku-lab train geister --games 1000000 --seed 1 --out run1
                                                             again: goes on where it stopped
  taikyoku-lab geister experiment1 run1                      each checkpoint against the one of 1M games
  taikyoku-lab speed blokus mcts-maxn:playouts=800           milliseconds a move over whole games
  taikyoku-lab signature                                     the number of every search"
)]
struct Arguments {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    /// Play engines against each other, the seats exchanged, with 95 % intervals over blocks.
    ///
    /// An engine is NAME[:option=value]..., for example best:ms=1000.
    #[command(subcommand)]
    Match(contest::Match),
    Work(work::WorkOptions),
    Tune(tune::TuneOptions),
    /// Print the tables of a paper beside its figures.
    #[command(subcommand)]
    Tables(TablesCommand),
    /// Learn what an engine is shipped with.
    #[command(subcommand)]
    Train(Train),
    /// Play an engine against itself and print the time of its moves.
    #[command(subcommand)]
    Speed(contest::Speed),
    /// Print the signature of every search: a number that changes whenever the search does.
    Signature(signature::SignatureOptions),
    NnBench(nn_bench::NnBenchOptions),
    Selfplay(selfplay::SelfPlayOptions),
    /// Measure how much of a solved game a network has learned.
    #[command(subcommand)]
    Accuracy(AccuracyCommand),
    /// Experiments on Daihinmin.
    #[command(subcommand)]
    Daihinmin(daihinmin::DaihinminCommand),
    /// Experiments on Geister.
    #[command(subcommand)]
    Geister(geister::GeisterCommand),
    /// Experiments on 3D four-in-a-row.
    #[command(subcommand)]
    ScoreFour(score_four::ScoreFourCommand),
    /// Experiments on Dobutsu shogi.
    #[command(subcommand)]
    Dobutsu(dobutsu::DobutsuCommand),
}

#[derive(Subcommand)]
enum AccuracyCommand {
    /// Value and policy over drawn positions of the table of Dobutsu shogi.
    Dobutsu(dobutsu::AccuracyOptions),
}

#[derive(Subcommand)]
enum TablesCommand {
    /// The three tables of Hayashi's thesis, beside its figures.
    ScoreFour(score_four::TablesOptions),
}

#[derive(Subcommand)]
enum Train {
    /// Learn the networks of policy and value by self-play for points (proximal policy optimisation).
    Daihinmin(learning::LearnOptions),
    /// Learn from records what players do of whom `best` of Daihinmin knows nothing yet.
    DaihinminField(daihinmin::FieldOptions),
    /// Learn by self-play (REINFORCE), writing checkpoints; goes on from the last one in the folder.
    Geister(geister::ReinforceOptions),
    /// Learn the networks of policy and value of Geister by self-play, by games against engines, or by both.
    GeisterNetworks(geister::NetworksOptions),
    /// Let `best` play itself and learn the weights by which it judges moves.
    Blokus(blokus::ArchiveLessons),
    /// Learn from games the network by which `best` of Blokus evaluates positions.
    BlokusEvaluation(blokus::ArchiveLessons),
    /// Learn the evaluation of `best` from games against itself.
    ScoreFour(score_four::TrainOptions),
}

fn main() -> ExitCode {
    program::start_log();
    match run(&program::options::<Arguments>().command) {
        Ok(code) => code,
        Err(error) => {
            let is_usage = error.is::<Refused>();
            let code = if is_usage {
                program::USAGE
            } else {
                program::FAILED
            };
            program::fail("taikyoku-lab", &error, code)
        }
    }
}

fn run(command: &LabCommand) -> Result<ExitCode, Failure> {
    match command {
        LabCommand::Selfplay(options) => return selfplay::run(options),
        LabCommand::Match(command) => contest::run(command),
        LabCommand::Work(options) => work::run(options),
        LabCommand::Tune(options) => tune::run(options),
        LabCommand::Tables(TablesCommand::ScoreFour(options)) => score_four::tables(options),
        LabCommand::Train(command) => match command {
            Train::Daihinmin(options) => daihinmin::train(options),
            Train::DaihinminField(options) => daihinmin::train_field(options),
            Train::Geister(options) => geister::train(options),
            Train::GeisterNetworks(options) => geister::learn(options),
            Train::Blokus(options) => blokus::train_judge(options),
            Train::BlokusEvaluation(options) => blokus::train_evaluation(options),
            Train::ScoreFour(options) => score_four::train(options),
        },
        LabCommand::Speed(command) => contest::speed(command),
        LabCommand::Signature(options) => {
            signature::run(options);
            Ok(())
        }
        LabCommand::Accuracy(AccuracyCommand::Dobutsu(options)) => dobutsu::accuracy(options),
        LabCommand::NnBench(options) => nn_bench::run(options),
        LabCommand::Daihinmin(command) => daihinmin::run(command),
        LabCommand::Geister(command) => geister::run(command),
        LabCommand::ScoreFour(command) => score_four::run(command),
        LabCommand::Dobutsu(command) => dobutsu::run(command),
    }?;
    Ok(ExitCode::SUCCESS)
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
