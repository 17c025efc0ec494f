//! Training of the weights by which `best` judges moves.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::blokus::best::{BestEngine, Imitation, Plan, built_in};
use taikyoku_bots::blokus::{Engine as _, arena};
use taikyoku_bots::search::Budget;

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// File to write, one weight a line.
    #[arg(long)]
    out: PathBuf,
    /// Games that `best` plays against itself.
    #[arg(long, default_value_t = 300)]
    games: u64,
    /// Playouts a move in them.
    #[arg(long, default_value_t = 500)]
    playouts: u64,
    /// Begin with the weights made by hand instead of those that the program is shipped with.
    #[arg(long)]
    afresh: bool,
    /// Passes over the positions.
    #[arg(long, default_value_t = 12)]
    passes: u32,
    /// Seed of games and training.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Most random plies at the start of a game.
const OPENING: u32 = 8;

/// Plays the games, learns from all searches in them and writes the weights.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let start = if options.afresh {
        Imitation::new(None)
    } else {
        Imitation::new(Some(built_in()))
    };
    let weights = start.weights().to_vec();
    let mut learner = start;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let budget = Budget::playouts(options.playouts);
    let bar = indicatif::ProgressBar::new(options.games);
    for game in 0..options.games {
        let seed = options.seed.wrapping_add(game);
        let mut engine = BestEngine::with(Plan::default(), &weights, budget, 1, seed);
        let mut board = arena::opening(rng.random_range(0..=OPENING), seed);
        while board.to_move().is_some() {
            let mv = engine.choose(&board, None);
            let visits: Vec<_> = engine.values().iter().map(|&(mv, _, n)| (mv, n)).collect();
            learner.add(&board, &visits);
            board.play(mv)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("{} positions", learner.len());
    for pass in 0..options.passes {
        // Smaller steps towards the end.
        let rate = if pass < options.passes / 2 {
            0.05
        } else {
            0.02
        };
        let (loss, hits) = learner.pass(rate, &mut rng);
        println!("pass {pass}: cross-entropy {loss:.4}, likeliest move the most visited {hits:.3}");
    }
    let mut text = String::new();
    for weight in learner.weights() {
        writeln!(text, "{weight:.4}")?;
    }
    std::fs::write(&options.out, text)?;
    Ok(())
}
