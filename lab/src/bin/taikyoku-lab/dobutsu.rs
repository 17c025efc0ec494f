//! Experiments on Dobutsu shogi.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use bots::dobutsu::{AlphaZeroOptions, Exploration, Line, Table, default_folder};
use bots::search::lock;
use bots::search::network::{Model, ModelOptions, NetworkEvaluator};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use models::dobutsu::Dobutsu;
use models::{Encoding as _, Network, NnEngine};
use serde_json::json;
use stats::wilson;
use taikyoku_lab::arena::spread;
use taikyoku_lab::dobutsu::{Accuracy, Correction, Draw, correct, mistakes, write_samples};

use crate::{Failure, Refused};

/// Experiments on Dobutsu shogi.
#[derive(Subcommand)]
pub(crate) enum DobutsuCommand {
    /// Write positions of the solved game with their values and good moves, for a network to learn from.
    Samples(TableSamplesOptions),
    /// Tell how quickly a search corrects a network, by C.
    CStudy(CStudyOptions),
}

pub(crate) fn run(command: &DobutsuCommand) -> Result<(), Failure> {
    match command {
        DobutsuCommand::Samples(options) => samples(options),
        DobutsuCommand::CStudy(options) => c_study(options),
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
pub(crate) struct TableSamplesOptions {
    #[command(flatten)]
    table: TableOptions,
    /// Positions.
    #[arg(long, value_name = "N", default_value_t = 4_000_000)]
    positions: usize,
    /// Seed of the draw.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// The file, of sample blocks as `models/SELF_PLAY.md` describes them.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

fn samples(options: &TableSamplesOptions) -> Result<(), Failure> {
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
/// move that is preferred leads to a position that is lost for the other side, over the won ones.
/// The move of a network is its likeliest legal one.
#[derive(Args)]
pub(crate) struct AccuracyOptions {
    /// A network of the layout `dobutsu`.
    model: PathBuf,
    #[command(flatten)]
    table: TableOptions,
    /// Positions, drawn uniformly from those that are no end.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: usize,
    /// Seed of the draw.
    #[arg(long, value_name = "SEED", default_value_t = 1_000_000)]
    seed: u64,
    #[command(flatten)]
    runtime: RuntimeOptions,
    /// Print a line of JSON each for value and policy (schema: docs/schema/lab-accuracy-dobutsu.json).
    #[arg(long)]
    json: bool,
}

/// What runs networks.
#[derive(Args)]
struct RuntimeOptions {
    /// What runs the network.
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t)]
    nn_engine: NnEngine,
    /// Threads [default: one for each processor].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl RuntimeOptions {
    fn threads(&self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(processors).max(1)
    }

    /// The network that is named, not a faster one beside it.
    fn open(&self, path: &Path) -> Result<Network, Failure> {
        let network = Network::open(path, &Dobutsu::LAYOUT, self.nn_engine);
        network.map_err(Refused::because)
    }
}

pub(crate) fn accuracy(options: &AccuracyOptions) -> Result<(), Failure> {
    let table = options.table.open()?;
    let network = options.runtime.open(&options.model)?;
    let (positions, threads) = (options.positions, options.runtime.threads());
    let networks = (0..threads).map(|_| network.try_clone());
    let networks = Mutex::new(networks.collect::<Result<Vec<_>, _>>()?);
    let table = &table;
    let begin = Instant::now();
    let bar = &ProgressBar::new(positions as u64);
    let parts = spread("part", threads as u64, threads, |number| {
        let more = usize::from((number as usize) < positions % threads);
        let draw = Draw::new(table, options.seed.wrapping_add(number));
        let draw = draw.take(positions / threads + more);
        let mut network = lock(&networks).pop().expect("each part has one");
        Ok(Accuracy::of(
            &mut network,
            table,
            draw.inspect(|_| bar.inc(1)),
        )?)
    })?;
    let mut accuracy = Accuracy::default();
    for part in parts {
        accuracy.add(part);
    }
    bar.finish_and_clear();
    let seconds = begin.elapsed().as_secs_f64();
    let about = json!({
        "model": options.model,
        "parameters": network.parameters(),
        "recipe": network.metadata().recipe,
        "steps": network.metadata().steps,
        "positions": positions,
        "seed": options.seed,
        "threads": threads,
        "seconds": seconds,
    });
    if !options.json {
        println!("{} parameters", network.parameters());
    }
    for (name, [of, right]) in [("value", accuracy.value), ("policy", accuracy.policy)] {
        let [low, high] = wilson(right, of);
        let share = right as f64 / of.max(1) as f64;
        if options.json {
            let mut line = about.clone();
            line["what"] = json!(name);
            line["right"] = json!(right);
            line["of"] = json!(of);
            line["share"] = json!(share);
            line["low"] = json!(low);
            line["high"] = json!(high);
            println!("{line}");
        } else {
            let [share, low, high] = [share, low, high].map(|share| 100.0 * share);
            println!("{name:<6} {share:.3} % ({low:.3} to {high:.3}) of {of} positions");
        }
    }
    Ok(())
}

/// Searches positions whose result the network is wrongly sure of, by each C, and tells after how many simulations the
/// value of the root has the right sign for good.
#[derive(Args)]
pub(crate) struct CStudyOptions {
    /// A network of the layout `dobutsu`.
    model: PathBuf,
    #[command(flatten)]
    table: TableOptions,
    /// Constants of PUCT, each a number or `log`.
    #[arg(
        long,
        value_name = "C,...",
        value_delimiter = ',',
        default_value = "1.0,1.5,2.0,log"
    )]
    c: Vec<Exploration>,
    /// Positions: the first ones of the draw of whose result the network is wrongly sure.
    #[arg(long, value_name = "N", default_value_t = 200)]
    positions: usize,
    /// The share in the win that the network gives the winner of such a position, at most; 0 to 1.
    #[arg(long, default_value_t = 0.1, value_name = "SHARE", value_parser = crate::learning::share)]
    share: f64,
    /// Positions that are drawn for them at the most.
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    draw: usize,
    /// Simulations of each search.
    #[arg(long, default_value_t = 1600, value_name = "N")]
    simulations: u64,
    /// Seed of the draw.
    #[arg(long, value_name = "SEED", default_value_t = 1_000_000)]
    seed: u64,
    #[command(flatten)]
    runtime: RuntimeOptions,
    /// Print a line of JSON for each C (schema: docs/schema/lab-c-study.json).
    #[arg(long)]
    json: bool,
}

fn c_study(options: &CStudyOptions) -> Result<(), Failure> {
    let table = options.table.open()?;
    let network = options.runtime.open(&options.model)?;
    let model = Arc::new(Model::open(ModelOptions {
        model: Some(options.model.clone()),
        nn_engine: network.engine(),
        precision: network.metadata().precision,
    })?);
    let evaluator = || NetworkEvaluator::<Line>::new(Arc::clone(&model), 0.0);
    let draw = Draw::new(&table, options.seed).take(options.draw);
    let found = mistakes(&mut evaluator(), draw, options.share, options.positions)?;
    if found.is_empty() {
        return Err(
            "the network is not that wrong anywhere in the draw; try a larger --share".into(),
        );
    }
    let share = found.iter().map(|mistake| mistake.share).sum::<f64>() / found.len() as f64;
    if !options.json {
        println!(
            "{} positions; the network gives the winner {share:.3} on average",
            found.len()
        );
    }
    let threads = options.runtime.threads().min(found.len());
    for &c in &options.c {
        let bar = &ProgressBar::new(found.len() as u64);
        let zero = AlphaZeroOptions {
            exploration: c,
            ..AlphaZeroOptions::default()
        };
        let corrections = spread("position", found.len() as u64, threads, |number| {
            bar.inc(1);
            let mistake = &found[number as usize];
            Ok(correct(
                &mut evaluator(),
                zero.plan(),
                mistake,
                options.simulations,
            )?)
        })?;
        bar.finish_and_clear();
        tell_study(options, c, &corrections);
    }
    Ok(())
}

fn tell_study(options: &CStudyOptions, c: Exploration, corrections: &[Correction]) {
    let count = corrections.len();
    let mut after: Vec<u64> = corrections.iter().filter_map(|one| one.after).collect();
    after.sort_unstable();
    let [low, high] = wilson(after.len() as u64, count as u64);
    // Half of all positions are right after so many.
    let half = after.get(count.div_ceil(2) - 1).copied();
    let steps = corrections.iter().map(|one| one.shares.len()).min();
    let mean = |i: usize| corrections.iter().map(|one| one.shares[i]).sum::<f64>() / count as f64;
    let shares: Vec<f64> = (0..steps.unwrap_or(0)).map(mean).collect();
    if options.json {
        let line = json!({
            "model": options.model,
            "c": c.to_string(),
            "positions": count,
            "simulations": options.simulations,
            "corrected": after.len(),
            "low": low,
            "high": high,
            "median": half,
            "mean_shares": shares,
        });
        println!("{line}");
    } else {
        let [part, low, high] = [after.len() as f64 / count as f64, low, high].map(|p| 100.0 * p);
        let half = half.map_or("more".to_owned(), |half| half.to_string());
        let shares: Vec<_> = shares.iter().map(|share| format!("{share:.2}")).collect();
        println!(
            "C = {c:<4} right in the end: {part:.1} % ({low:.1} to {high:.1}); half of them after {half} simulations; \
             the winner's share after 0, 1, 2, 4, ... simulations: {}",
            shares.join(" ")
        );
    }
}
