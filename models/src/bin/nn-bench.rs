//! Measures how fast networks run on one thread of this machine.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use taikyoku_models::{Network, NetworkError, NnEngine};

/// Measures how many positions networks evaluate in a second of one thread's CPU time.
///
/// CPU time counts, not the time on the clock, so that other programs disturb it little; those that share caches and
/// memory still do: compare only what was measured in the same minute, best several times in turn. The positions are
/// random, and turning them into the network's inputs is part of what is measured; the search is not. A network that
/// is run for one position at a time, as in a game, is --batch 1.
///
/// Exit status: 0 all was measured; 1 a network failed while it ran; 2 the command line, or a network that cannot be
/// opened.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Examples:
  nn-bench models/fixtures/tiny-fast.onnx
  nn-bench a.onnx a.int8.onnx --batch 1,16 --nn-engine ort,rten --seconds 5
  nn-bench a.onnx --json | jq .evaluations_per_cpu_second
With --json each line is {\"model\", \"engine\", \"precision\", \"batch\", \"evaluations\", \"cpu_seconds\",
\"evaluations_per_cpu_second\"}; the engine is the one that really ran. `models/fetch-onnxruntime` fetches ONNX Runtime,
and ORT_DYLIB_PATH may name another build of it."
)]
struct Arguments {
    /// Files of networks, for any layout.
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// Positions that are evaluated at once.
    #[arg(long, value_delimiter = ',', default_values_t = [1], value_parser = clap::value_parser!(u16).range(1..=4096))]
    batch: Vec<u16>,
    /// What runs the networks.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [NnEngine::Auto])]
    nn_engine: Vec<NnEngine>,
    /// CPU seconds of each measurement.
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    seconds: f64,
    /// Seed of the positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON for each measurement.
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds),
        _ => Err("a number above 0, at most 3600".to_owned()),
    }
}

/// A measurement.
#[derive(Serialize)]
struct Speed<'a> {
    model: &'a Path,
    engine: String,
    precision: String,
    batch: usize,
    evaluations: usize,
    cpu_seconds: f64,
    evaluations_per_cpu_second: f64,
}

/// CPU time of this process so far: engines may have threads of their own.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Evaluates random positions for a time.
fn measure<'a>(
    network: &mut Network,
    model: &'a Path,
    batch: usize,
    arguments: &Arguments,
) -> Result<Speed<'a>, NetworkError> {
    let mut positions = vec![0; batch * network.layout().bytes()];
    Xoshiro256PlusPlus::seed_from_u64(arguments.seed).fill_bytes(&mut positions);
    // The first runs plan and allocate.
    for _ in 0..3 {
        network.evaluate(&positions, batch)?;
    }
    let start = cpu_time();
    let (mut evaluations, mut spent) = (0, 0.0);
    while spent < arguments.seconds {
        network.evaluate(&positions, batch)?;
        evaluations += batch;
        spent = cpu_time().saturating_sub(start).as_secs_f64();
    }
    Ok(Speed {
        model,
        engine: network.engine().to_string(),
        precision: network.metadata().precision.to_string(),
        batch,
        evaluations,
        cpu_seconds: spent,
        evaluations_per_cpu_second: evaluations as f64 / spent,
    })
}

fn print(speed: &Speed<'_>, json: bool) -> serde_json::Result<()> {
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

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn"))
        .format_target(false)
        .init();
    let arguments = Arguments::parse();
    let fail = |error: &dyn std::error::Error, code| {
        eprintln!("nn-bench: {error}");
        ExitCode::from(code)
    };
    for model in &arguments.models {
        for &engine in &arguments.nn_engine {
            let mut network = match Network::open_any(model, engine) {
                Ok(network) => network,
                Err(error) => return fail(&error, 2),
            };
            for &batch in &arguments.batch {
                match measure(&mut network, model, usize::from(batch), &arguments) {
                    Err(error) => return fail(&error, 1),
                    Ok(speed) => {
                        if let Err(error) = print(&speed, arguments.json) {
                            return fail(&error, 1);
                        }
                    }
                }
            }
        }
    }
    ExitCode::SUCCESS
}
