//! Engines against each other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use games::geister::Rules;
use indicatif::ProgressBar;
use taikyoku_bots::geister::EngineOptions;
use taikyoku_bots::geister::arena::play_block;
use taikyoku_bots::geister::selfplay::game_seed;
use taikyoku_bots::score::Score;

use super::versus::{sentence, to_json};
use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// Engine A: NAME[:option=value]..., for example best:simulations=2000 or paper:weights=theta.npy.
    a: EngineOptions,
    /// Engine B.
    b: EngineOptions,
    /// Games, in pairs with the seats exchanged.
    #[arg(long, default_value_t = 100)]
    games: u64,
    /// Moves of both sides together after which a game is drawn.
    #[arg(long, default_value_t = 200)]
    ply_limit: u16,
    /// Seed of the match.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Pairs played at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let blocks = options.games.div_ceil(2);
    let bar = ProgressBar::new(2 * blocks);
    let rules = Rules {
        ply_limit: options.ply_limit,
    };
    let next = AtomicU64::new(0);
    let total = Mutex::new(Score::default());
    let play = || -> Result<(), String> {
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                return Ok(());
            }
            let seed = |player| game_seed(options.seed, 2 * block + player);
            let mut a = options.a.build(seed(0)).map_err(|e| e.to_string())?;
            let mut b = options.b.build(seed(1)).map_err(|e| e.to_string())?;
            let mut score = Score::default();
            play_block([&mut *a, &mut *b], rules, &mut score)
                .map_err(|(n, mv)| format!("engine {} chose {mv}, an illegal move", n + 1))?;
            bar.inc(2);
            if let Ok(mut total) = total.lock() {
                total.merge(&score);
                bar.set_message(format!("{:.3}", total.score()));
            }
        }
    };
    std::thread::scope(|scope| -> Result<(), String> {
        let handles: Vec<_> = (0..options.jobs.max(1))
            .map(|_| scope.spawn(play))
            .collect();
        for handle in handles {
            handle.join().map_err(|_| "an engine failed".to_owned())??;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    let score = total.lock().map_err(|_| "an engine failed")?;
    if options.json {
        println!("{}", to_json(&score));
    } else {
        println!("{}", sentence(&score));
    }
    Ok(())
}
