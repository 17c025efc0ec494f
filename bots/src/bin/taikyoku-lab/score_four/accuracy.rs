//! How often engines keep the exact value of late positions.

use std::time::Duration;

use clap::Args;
use games::score_four::{Peg, Position};
use indicatif::ProgressBar;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;
use taikyoku_bots::score_four::best::Solver;
use taikyoku_bots::score_four::{EngineName, EngineOptions, late_position};

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// Engines.
    #[arg(
        value_enum,
        default_values_t = [EngineName::Random, EngineName::Flat, EngineName::Ucb1, EngineName::Uct, EngineName::UctEs, EngineName::Best]
    )]
    engines: Vec<EngineName>,
    /// Positions, from quiet random games.
    #[arg(long, default_value_t = 1000)]
    positions: u32,
    /// Fewest and most empty squares, uniformly drawn between.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(2..=30))]
    least_empty: u8,
    /// See `--least-empty`.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u8).range(2..=30))]
    most_empty: u8,
    /// Milliseconds a move; several are measured one after the other.
    #[arg(long, value_delimiter = ',', default_values_t = [100, 1000])]
    move_ms: Vec<u64>,
    /// Only positions in which some move is worse than another.
    #[arg(long)]
    critical: bool,
    /// Seed of the positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON for each engine and time.
    #[arg(long)]
    json: bool,
}

/// A position with the values that its moves leave their player.
struct Solved {
    position: Position,
    values: Vec<(Peg, i32)>,
    best: i32,
    critical: bool,
}

fn solve(position: Position, solver: &mut Solver) -> Option<Solved> {
    let values: Vec<(Peg, i32)> = position
        .legal_pegs()
        .map(|peg| Some((peg, solver.value_of(&position, peg, None)?)))
        .collect::<Option<_>>()?;
    let best = values.iter().map(|&(_, value)| value).max()?;
    Some(Solved {
        critical: values.iter().any(|&(_, value)| value < best),
        position,
        values,
        best,
    })
}

fn positions(options: &Options) -> Vec<Solved> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let mut solver = Solver::new(18);
    let most = options.most_empty.max(options.least_empty);
    let mut found = Vec::new();
    let bar = ProgressBar::new(u64::from(options.positions));
    while found.len() < options.positions as usize {
        let empty = rng.random_range(options.least_empty..=most);
        let solved = solve(late_position(empty, &mut rng), &mut solver);
        if let Some(solved) = solved.filter(|solved| solved.critical || !options.critical) {
            found.push(solved);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    found
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let begin = std::time::Instant::now();
    if options.engines.is_empty() || options.positions == 0 {
        return Err("no engines or no positions".into());
    }
    let positions = positions(options);
    let seconds = begin.elapsed().as_secs_f64();
    let count = |value: i32| positions.iter().filter(|p| p.best == value).count();
    let critical = positions.iter().filter(|p| p.critical).count();
    let (won, drawn, lost) = (count(1), count(0), count(-1));
    if !options.json {
        println!(
            "{} positions ({won} won, {drawn} drawn, {lost} lost; {critical} in which some move is worse than \
             another), all moves solved in {seconds:.1} s",
            positions.len()
        );
    }
    for &ms in &options.move_ms {
        for &name in &options.engines {
            let time = Some(Duration::from_millis(ms));
            let engine = EngineOptions {
                time,
                ..EngineOptions::named(name)
            };
            let mut engine = engine.build(options.seed);
            let bar = ProgressBar::new(positions.len() as u64);
            let (mut kept, mut kept_critical) = (0, 0);
            for solved in &positions {
                let peg = engine.choose(&solved.position, None);
                let keeps = solved.values.contains(&(peg, solved.best));
                kept += usize::from(keeps);
                kept_critical += usize::from(keeps && solved.critical);
                bar.inc(1);
            }
            bar.finish_and_clear();
            let n = positions.len();
            if options.json {
                println!(
                    "{}",
                    json!({
                        "engine": name.name(), "move_ms": ms, "positions": n, "kept": kept,
                        "critical": critical, "kept_critical": kept_critical,
                        "won": won, "drawn": drawn, "lost": lost, "solving_seconds": seconds,
                    })
                );
            } else {
                let of = |a: usize, b: usize| 100.0 * a as f64 / b.max(1) as f64;
                println!(
                    "{:<7} {ms:5} ms: keeps the value in {kept} of {n} ({:.1} %), where it matters in \
                     {kept_critical} of {critical} ({:.1} %)",
                    name.name(),
                    of(kept, n),
                    of(kept_critical, critical)
                );
            }
        }
    }
    Ok(())
}
