//! What each placement scores.

use std::path::PathBuf;

use clap::Args;
use games::geister::{Placement, Position, Rules};
use indicatif::ProgressBar;
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;
use stats::Mean;
use taikyoku_bots::geister::selfplay::{Room, random_placement};
use taikyoku_bots::geister::{Choice, Weights};

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// Weights of both sides.
    weights: PathBuf,
    /// Games of each placement, half of them from each seat.
    #[arg(long, default_value_t = 4000)]
    games: u64,
    /// 0 plays the move with the highest preference, T > 0 draws from softmax(h / T).
    #[arg(long, default_value_t = 1.0)]
    temperature: f64,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print each placement as a line of JSON.
    #[arg(long)]
    json: bool,
}

/// Score of each placement against uniformly random ones, best first.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let weights = Weights::read(&options.weights)?;
    let choice = Choice::with_temperature(options.temperature);
    let mut room = Room::new([&weights; 2]);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let bar = ProgressBar::new(Placement::ALL.len() as u64);
    let mut scores = Vec::new();
    for placement in Placement::ALL {
        let mut results = Vec::new();
        for game in 0..options.games {
            let seat = usize::from(game % 2 == 1);
            let mut placements = [random_placement(&mut rng); 2];
            placements[seat] = placement;
            let start = Position::new(placements, Rules::default());
            let end = room.play([&weights; 2], [choice; 2], start, &mut rng, |_, _| {});
            results.push(match end.end().and_then(|end| end.winner) {
                Some(winner) if usize::from(winner) == seat => 1.0,
                Some(_) => 0.0,
                None => 0.5,
            });
        }
        scores.push((Mean::of(results).within([0.0, 1.0]), placement));
        bar.inc(1);
    }
    bar.finish_and_clear();
    scores.sort_by(|a, b| b.0.mean.total_cmp(&a.0.mean));
    for (score, placement) in scores {
        let (score, error) = (score.mean, score.half_width);
        if options.json {
            let placement = placement.to_string();
            println!(
                "{}",
                json!({"placement": placement, "score": score, "interval": error})
            );
        } else {
            println!("{placement} {score:.3} ± {error:.3}");
        }
    }
    Ok(())
}
