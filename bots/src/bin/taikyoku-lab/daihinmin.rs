//! Experiments with the Daihinmin bots: matches with error bars, the two-bandit experiment on a
//! small position, and the fitting of the playout policy.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use clap::{Args, Subcommand};
use games::daihinmin::{Meld, Position, Rules, View};
use indicatif::ProgressBar;
use serde_json::json;
use stats::Mean;

use crate::Failure;
use taikyoku_bots::daihinmin::arena::{Tally, play_block};
use taikyoku_bots::daihinmin::train::{Recorder, Sample, evaluate, fit};
use taikyoku_bots::daihinmin::{Budget, EngineOptions, MonteCarlo, Weights};

/// Options of a match.
///
/// A block is one sequence of deals played five times, the engines rotated over the players;
/// intervals are over blocks. An engine is NAME[:option=value]..., for example
/// crow:playouts=2000:alpha=0.9 or best:ms=5:trust=0.
#[derive(Args)]
pub(crate) struct MatchOptions {
    /// Five engines; with fewer, the last one takes the seats that are left.
    #[arg(required = true, num_args = 1..=5)]
    engines: Vec<EngineOptions>,
    /// Games in each session; ranks are carried over within it.
    #[arg(long, default_value_t = 20)]
    session: u32,
    /// Blocks; a block is 5 x SESSION games.
    #[arg(long, default_value_t = 30)]
    blocks: u32,
    /// Seed of the first block.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Blocks played at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct Figure4 {
    /// Decisions by each engine.
    #[arg(long, default_value_t = 1000)]
    decisions: u32,
    /// Playouts per decision.
    #[arg(long, default_value_t = 2000)]
    playouts: u32,
    /// Alpha of `crow`.
    #[arg(long, default_value_t = 0.9)]
    alpha: f64,
    /// The three cards of the seat that decides.
    #[arg(long, default_value = "D5H9SK")]
    hand: String,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
pub(crate) struct TrainOptions {
    /// The engine whose choices are learned.
    #[arg(long, default_value = "crow:playouts=2000")]
    teacher: EngineOptions,
    /// Games of self-play.
    #[arg(long, default_value_t = 1500)]
    games: u32,
    /// Passes over the samples.
    #[arg(long, default_value_t = 6)]
    epochs: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: u32,
    /// Where the weights go.
    #[arg(long)]
    out: PathBuf,
}

/// Experiments on Daihinmin.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compare how `mc` and `crow` spend their playouts on a position with three cards and three
    /// moves: the distribution of playouts and of choices over many decisions.
    Figure4(Figure4),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Figure4(options) => figure_4(options),
    }
}

/// Runs `work(k)` for k in 0..n on `jobs` threads with a progress bar; results in order of k.
fn spread<T: Send>(n: u32, jobs: u32, work: impl Fn(u32) -> T + Sync) -> Vec<T> {
    let bar = ProgressBar::new(u64::from(n));
    let next = AtomicU32::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, n.max(1)) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= n {
                        break;
                    }
                    let result = work(k);
                    if let Ok(mut done) = done.lock() {
                        done.push((k, result));
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(k, _)| *k);
    done.into_iter().map(|(_, result)| result).collect()
}

pub(crate) fn run_match(options: &MatchOptions) -> Result<(), Failure> {
    let MatchOptions {
        engines,
        session,
        blocks,
        seed,
        jobs,
        json: as_json,
    } = options;
    let engines: Vec<&EngineOptions> = (0..5).map(|i| &engines[i.min(engines.len() - 1)]).collect();
    for engine in &engines {
        engine.build(0).map_err(|e| e.to_string())?;
    }
    let make = |i: usize, seed: u64| match engines[i].build(seed) {
        Ok(engine) => engine,
        Err(error) => unreachable!("built before: {error}"),
    };
    let results = spread(*blocks, *jobs, |k| {
        play_block(*session, seed + u64::from(k), &make)
    });
    let mut rows = Vec::new();
    for (i, engine) in engines.iter().enumerate() {
        let means = results
            .iter()
            .map(|block| block[i].points / f64::from(block[i].games));
        let mean = Mean::of(means).within([1.0, 5.0]);
        let mut total = Tally::default();
        for block in &results {
            total.add(&block[i]);
        }
        let micros = total.time.as_secs_f64() * 1e6 / total.decisions.max(1) as f64;
        rows.push((engine, mean.mean, mean.half_width, total, micros));
    }
    // The margin over the field is paired by block, so luck that all share cancels.
    let margins: Vec<f64> = results
        .iter()
        .map(|block| {
            let per_game = |t: &Tally| t.points / f64::from(t.games);
            per_game(&block[0]) - block[1..].iter().map(per_game).sum::<f64>() / 4.0
        })
        .collect();
    let margin = Mean::of(margins.iter().copied());
    let (margin, margin_half) = (margin.mean, margin.half_width);
    if *as_json {
        let list: Vec<_> = rows
            .iter()
            .map(|(e, mean, half, total, micros)| {
                json!({
                    "engine": format!("{:?}", e.engine).to_lowercase(), "playouts": e.playouts,
                    "points_per_game": mean, "interval": half, "games": total.games,
                    "places": total.places, "microseconds_per_decision": micros,
                })
            })
            .collect();
        println!(
            "{}",
            json!({
                "engines": list, "margin": margin, "margin_interval": margin_half,
                "block_margins": margins,
            })
        );
        return Ok(());
    }
    println!(
        "engine         points/game (95 %)    games   places 1..5                     us/decision"
    );
    for (engine, mean, half, total, micros) in &rows {
        let name = format!("{:?}:{}", engine.engine, engine.playouts).to_lowercase();
        println!(
            "{name:<14} {mean:.3} +- {half:.3}        {:>6}   {:<30} {micros:>9.0}",
            total.games,
            format!("{:?}", total.places)
        );
    }
    println!("first engine over the mean of the others: {margin:+.3} +- {margin_half:.3}");
    Ok(())
}

fn figure_4(options: &Figure4) -> Result<(), Failure> {
    let &Figure4 {
        decisions,
        playouts,
        alpha,
        ref hand,
        seed,
    } = options;
    let hand = hand.parse().map_err(|e| format!("--hand: {e}"))?;
    let view = small_view(hand);
    println!(
        "{decisions} decisions on {hand}, lead, five seats with three cards, {playouts} playouts"
    );
    for (name, alpha) in [("mc", 1.0), ("crow", alpha)] {
        let mut engine = MonteCarlo::new(
            Budget {
                playouts,
                time: None,
            },
            alpha,
            1,
            seed,
        );
        let mut moves: Vec<(Meld, u32, Vec<f64>)> = Vec::new();
        for _ in 0..decisions {
            let candidates = engine.search(&view);
            if moves.is_empty() {
                moves = candidates.iter().map(|c| (c.meld, 0, Vec::new())).collect();
            }
            let mut best = 0;
            for (i, c) in candidates.iter().enumerate() {
                moves[i].2.push(c.arm.trials);
                if c.arm.trials > candidates[best].arm.trials {
                    best = i;
                }
            }
            moves[best].1 += 1;
        }
        println!("{name} (alpha {alpha}):");
        for (meld, chosen, trials) in &mut moves {
            trials.sort_by(f64::total_cmp);
            let at = |q: f64| trials[((trials.len() - 1) as f64 * q) as usize];
            let mean = trials.iter().sum::<f64>() / trials.len() as f64;
            println!(
                "  {meld:<6} chosen {chosen:>5}   playouts mean {mean:>7.1}   \
                 5 % {:>6}   median {:>6}   95 % {:>6}",
                at(0.05),
                at(0.5),
                at(0.95)
            );
        }
    }
    Ok(())
}

/// A late position: every seat has three cards, the others' unknown, the seat leads.
fn small_view(hand: games::daihinmin::Cards) -> View {
    let rest = !hand;
    // Every fourth card of the rest is still in play, the others have been laid down.
    let mut hands = [games::daihinmin::Cards::EMPTY; 5];
    hands[0] = hand;
    for (i, card) in rest.iter().step_by(4).take(12).enumerate() {
        hands[1 + i % 4].insert(card);
    }
    let in_play = hands
        .iter()
        .fold(games::daihinmin::Cards::EMPTY, |all, &h| all | h);
    let mut position = Position::new(hands, Rules::default());
    position.table.turn = 0;
    position.table.owner = 0;
    let mut view = View::at_start(&position, 0);
    view.played[1] = !in_play;
    view
}

pub(crate) fn train(options: &TrainOptions) -> Result<(), Failure> {
    let &TrainOptions {
        ref teacher,
        games,
        epochs,
        seed,
        jobs,
        ref out,
    } = options;
    teacher.build(0).map_err(|e| e.to_string())?;
    let samples: Arc<Mutex<Vec<Sample>>> = Arc::default();
    let blocks = games.div_ceil(50);
    spread(blocks, jobs, |k| {
        let make = |_: usize, seed: u64| -> Box<dyn taikyoku_bots::daihinmin::Engine> {
            match teacher.build(seed) {
                Ok(engine) => Box::new(Recorder::new(engine, Arc::clone(&samples))),
                Err(error) => unreachable!("built before: {error}"),
            }
        };
        play_block(10, seed * 1_000_003 + u64::from(k), &make);
    });
    let samples = std::mem::take(&mut *samples.lock().map_err(|e| e.to_string())?);
    let held_back = samples.len() / 20;
    let (test, fitted) = samples.split_at(held_back);
    let mut weights = Weights::zero();
    let (loss, hits) = evaluate(&weights, test);
    println!(
        "{} decisions; uniform: {loss:.4} nats, {:.1} % hit",
        samples.len(),
        100.0 * hits
    );
    for epoch in 1..=epochs {
        fit(&mut weights, fitted, 1, seed + u64::from(epoch));
        let (loss, hits) = evaluate(&weights, test);
        println!(
            "epoch {epoch}: held back {loss:.4} nats, {:.1} % hit",
            100.0 * hits
        );
    }
    std::fs::write(out, weights.to_bytes()).map_err(|e| format!("{}: {e}", out.display()))?;
    println!(
        "{}: {} weights",
        out.display(),
        taikyoku_bots::daihinmin::FEATURES
    );
    Ok(())
}
