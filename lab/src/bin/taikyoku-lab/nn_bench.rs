//! Measures how fast networks run on one thread of this machine.

use std::path::{Path, PathBuf};

use bots::blokus::gtp::cpu_time;
use bots::spec::Span;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use crate::{Failure, Refused};
use models::{Network, NetworkError, NnEngine};

/// Measures how many positions networks evaluate in a second of one thread's CPU time.
///
/// CPU time counts, not the time on the clock, so that other programs disturb it little; those that share caches and
/// memory still do: compare only what was measured in the same minute, best several times in turn. The positions are
/// random, and turning them into the network's inputs is part of what is measured; the search is not. A network that
/// is run for one position at a time, as in a game, is --batch 1.
///
/// Exit status: 0 all was measured; 1 a network failed while it ran; 2 the command line, or a network that cannot be
/// opened.
#[derive(Args)]
#[command(after_help = "\
Examples:
  taikyoku-lab nn-bench models/fixtures/tiny-fast.onnx
  taikyoku-lab nn-bench a.onnx a.int8.onnx --batch 1,16 --seconds 5
  taikyoku-lab nn-bench a.onnx --nn-engine ort,rten
  taikyoku-lab nn-bench a.onnx --json | jq .evaluations_per_cpu_second
The engine of a line is the one that really ran. `models/fetch-onnxruntime` fetches ONNX Runtime,
and ORT_DYLIB_PATH may name another build of it.")]
pub(crate) struct NnBenchOptions {
    /// Files of networks, for any layout.
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// Positions that are evaluated at once.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1], value_parser = clap::value_parser!(u16).range(1..=4096))]
    batch: Vec<u16>,
    /// What runs the networks.
    #[arg(long, value_name = "ENGINE", value_enum, value_delimiter = ',', default_values_t = [NnEngine::Auto])]
    nn_engine: Vec<NnEngine>,
    /// CPU seconds of each measurement.
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0, value_parser = |text: &str| Span::Above(0.0, 3600.0).read(text))]
    seconds: f64,
    /// Seed of the positions.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON for each measurement (schema: docs/schema/lab-nn-bench.json).
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Measurement<'a> {
    model: &'a Path,
    engine: String,
    precision: String,
    batch: usize,
    evaluations: usize,
    cpu_seconds: f64,
    evaluations_per_cpu_second: f64,
}

/// Evaluates random positions for a time, and moves the bar on by its seconds.
fn measure<'a>(
    network: &mut Network,
    model: &'a Path,
    batch: usize,
    options: &NnBenchOptions,
    bar: &ProgressBar,
) -> Result<Measurement<'a>, NetworkError> {
    let mut positions = vec![0; batch * network.layout().bytes()];
    Xoshiro256PlusPlus::seed_from_u64(options.seed).fill_bytes(&mut positions);
    // The first runs plan and allocate.
    for _ in 0..3 {
        network.evaluate(&positions, batch)?;
    }
    let begun = bar.position();
    let start = cpu_time();
    let (mut evaluations, mut spent) = (0, 0.0);
    while spent < options.seconds {
        network.evaluate(&positions, batch)?;
        evaluations += batch;
        spent = cpu_time().saturating_sub(start).as_secs_f64();
        bar.set_position(begun + spent.min(options.seconds) as u64);
    }
    bar.set_position(begun + options.seconds.ceil() as u64);
    Ok(Measurement {
        model,
        engine: network.engine().to_string(),
        precision: network.metadata().precision.to_string(),
        batch,
        evaluations,
        cpu_seconds: spent,
        evaluations_per_cpu_second: evaluations as f64 / spent,
    })
}

fn print(speed: &Measurement<'_>, json: bool) -> serde_json::Result<()> {
    if json {
        println!("{}", serde_json::to_string(speed)?);
    } else {
        println!(
            "{}: {} {}, batch {}: {:.1} evaluations per CPU second ({} in {:.2} s)",
            speed.model.display(),
            speed.engine,
            speed.precision,
            speed.batch,
            speed.evaluations_per_cpu_second,
            speed.evaluations,
            speed.cpu_seconds
        );
    }
    Ok(())
}

/// Measures all networks, each with every engine and batch.
pub(crate) fn run(options: &NnBenchOptions) -> Result<(), Failure> {
    let measurements = options.models.len() * options.nn_engine.len() * options.batch.len();
    let bar = ProgressBar::new(measurements as u64 * options.seconds.ceil() as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {pos} of {len} s of the processor")?,
    );
    for model in &options.models {
        for &engine in &options.nn_engine {
            let mut network = Network::open_any(model, engine).map_err(Refused::because)?;
            for &batch in &options.batch {
                let speed = measure(&mut network, model, usize::from(batch), options, &bar)?;
                bar.suspend(|| print(&speed, options.json))?;
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}
