//! Experiments on Dobutsu shogi.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::thread;

use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use models::dobutsu::Dobutsu;
use models::{Encoding as _, Network, NnEngine};
use serde_json::json;
use stats::wilson;
use taikyoku_bots::dobutsu::{Accuracy, Draw, Table, default_folder, write_samples};

use crate::{Failure, Refused};

/// Experiments on Dobutsu shogi.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Write positions of the solved game with their values and good moves, for a network to learn from.
    Samples(SamplesOptions),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Samples(options) => samples(options),
    }
}

#[derive(Args)]
struct TableOptions {
    /// Folder of the table that `dobutsu-solve` has made [default: the user's folder for data].
    #[arg(long, value_name = "DIR")]
    table: Option<PathBuf>,
}

impl TableOptions {
    fn open(&self) -> Result<Table, Failure> {
        let folder = self.table.clone().map_or_else(default_folder, Ok);
        let table = folder.and_then(|folder| Table::open(&folder));
        table.map_err(Refused::because)
    }
}

/// Positions are drawn uniformly from those that are no end, each of their two mirror images with one half. A won
/// position has the moves that win as its target, a drawn one those that draw, a lost one those that lose latest.
#[derive(Args)]
pub(crate) struct SamplesOptions {
    #[command(flatten)]
    table: TableOptions,
    /// Positions.
    #[arg(long, default_value_t = 4_000_000)]
    positions: usize,
    /// Seed of the draw.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file, of sample blocks as `models/SELF_PLAY.md` describes them.
    #[arg(long, value_name = "FILE.tks")]
    out: PathBuf,
}

fn samples(options: &SamplesOptions) -> Result<(), Failure> {
    let table = options.table.open()?;
    let bar = ProgressBar::new(options.positions as u64);
    let file = |error| Failure::from(format!("{}: {error}", options.out.display()));
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&options.out).map_err(file)?);
    let progress = |written| bar.set_position(written as u64);
    write_samples(&table, options.seed, options.positions, &mut out, progress).map_err(file)?;
    out.flush().map_err(file)?;
    bar.finish_and_clear();
    Ok(())
}

/// Value is right where its sign is that of the result, over decided positions that are no end; policy is right where the
/// likeliest legal move leads to a position that is lost for the other side, over the won ones.
#[derive(Args)]
pub(crate) struct AccuracyOptions {
    /// A network of the layout `dobutsu`.
    model: PathBuf,
    #[command(flatten)]
    table: TableOptions,
    /// Positions, drawn uniformly from those that are no end.
    #[arg(long, default_value_t = 1_000_000)]
    positions: usize,
    /// Seed of the draw.
    #[arg(long, default_value_t = 1_000_000)]
    seed: u64,
    /// What runs the network.
    #[arg(long, value_enum, default_value_t)]
    nn_engine: NnEngine,
    /// Threads [default: one for each processor].
    #[arg(long)]
    threads: Option<usize>,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn accuracy(options: &AccuracyOptions) -> Result<(), Failure> {
    let table = options.table.open()?;
    let network = Network::open(&options.model, &Dobutsu::LAYOUT, options.nn_engine);
    let network = network.map_err(Refused::because)?;
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.unwrap_or_else(processors).max(1);
    let networks: Vec<_> = (0..threads)
        .map(|_| network.try_clone())
        .collect::<Result<_, _>>()?;
    let table = &table;
    let mut accuracy = Accuracy::default();
    thread::scope(|scope| {
        let workers: Vec<_> = networks
            .into_iter()
            .enumerate()
            .map(|(number, mut network)| {
                let more = usize::from(number < options.positions % threads);
                let draw = Draw::new(table, options.seed.wrapping_add(number as u64));
                let draw = draw.take(options.positions / threads + more);
                scope.spawn(move || Accuracy::of(&mut network, table, draw))
            })
            .collect();
        for worker in workers {
            accuracy.add(worker.join().expect("a measurement does not panic")?);
        }
        Ok::<(), Failure>(())
    })?;
    for (name, [of, right]) in [("value", accuracy.value), ("policy", accuracy.policy)] {
        let [low, high] = wilson(right, of);
        let share = right as f64 / of.max(1) as f64;
        if options.json {
            let line = json!({
                "model": options.model,
                "what": name,
                "right": right,
                "of": of,
                "share": share,
                "low": low,
                "high": high,
            });
            println!("{line}");
        } else {
            let [share, low, high] = [share, low, high].map(|share| 100.0 * share);
            println!("{name:<6} {share:.3} % ({low:.3} to {high:.3}) of {of} positions");
        }
    }
    Ok(())
}
