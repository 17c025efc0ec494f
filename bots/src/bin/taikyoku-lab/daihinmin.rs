//! Experiments on Daihinmin: the two-bandit experiment on a small position, and the fitting of the playout policy.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use clap::{Args, Subcommand};
use games::daihinmin::{Meld, Position, Rules, SEATS, View};
use indicatif::ProgressBar;
use taikyoku_bots::arena::spread;
use taikyoku_bots::daihinmin::arena::play_session;
use taikyoku_bots::daihinmin::train::{Recorder, Sample, evaluate, fit};
use taikyoku_bots::daihinmin::{Budget, Engine, EngineOptions, MonteCarlo, Weights, WeightsError};

use crate::Failure;

#[derive(Args)]
pub(crate) struct Figure4 {
    /// Decisions by each engine.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    decisions: u32,
    /// Playouts per decision.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    playouts: u32,
    /// Alpha of `crow`.
    #[arg(long, value_name = "A", default_value_t = 0.9)]
    alpha: f64,
    /// The three cards of the seat that decides.
    #[arg(long, value_name = "CARDS", default_value = "D5H9SK")]
    hand: String,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

#[derive(Args)]
pub(crate) struct TrainOptions {
    /// The engine whose choices are learned.
    #[arg(long, value_name = "SPEC", default_value = "crow:playouts=2000")]
    teacher: EngineOptions,
    /// Games of self-play.
    #[arg(long, value_name = "N", default_value_t = 1500)]
    games: u32,
    /// Passes over the samples.
    #[arg(long, value_name = "N", default_value_t = 6)]
    epochs: u32,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Games played at the same time.
    #[arg(long, value_name = "N", visible_alias = "jobs", default_value_t = 2)]
    threads: usize,
    /// Where the weights go.
    #[arg(long, value_name = "FILE")]
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
        let bar = ProgressBar::new(u64::from(decisions));
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
            bar.inc(1);
        }
        bar.finish_and_clear();
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
        threads,
        ref out,
    } = options;
    let bar = ProgressBar::new(u64::from(games.div_ceil(50)));
    let blocks = spread(
        "block",
        bar.length().unwrap_or(0),
        threads,
        || (),
        |(), block| {
            let samples: Arc<Mutex<Vec<Sample>>> = Arc::default();
            let make = |_: usize, seed: u64| -> Result<Box<dyn Engine>, WeightsError> {
                let engine = teacher.build(seed)?;
                Ok(Box::new(Recorder::new(engine, Arc::clone(&samples))))
            };
            for rotation in 0..SEATS {
                play_session(10, seed * 1_000_003 + block, rotation, &make)?;
            }
            bar.inc(1);
            let samples = std::mem::take(&mut *samples.lock().expect("a sample is pushed whole"));
            Ok(samples)
        },
    )?;
    bar.finish_and_clear();
    let samples: Vec<Sample> = blocks.into_iter().flatten().collect();
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
