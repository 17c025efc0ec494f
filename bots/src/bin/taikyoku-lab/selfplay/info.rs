//! What is in files of games.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use taikyoku_bots::self_play::Archive;

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// Files of games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A line of JSON for each file.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    for path in &options.files {
        let told = tell(path)?;
        if options.json {
            println!("{told}");
        } else {
            println!(
                "{}: {} games of {}, numbers {} to {}, {} plies, {} positions to learn from",
                path.display(),
                told["games"],
                told["game"].as_str().unwrap_or_default(),
                told["first"],
                told["last"],
                told["plies"],
                told["lessons"]
            );
        }
    }
    Ok(())
}

fn tell(path: &Path) -> Result<Value, Failure> {
    let game = Archive::game_of(path)?;
    let records = Archive::read(path, &game)?;
    let plies = || records.iter().flat_map(|record| &record.plies);
    let moves: usize = plies().map(|ply| ply.policy.len()).sum();
    let count = records.len().max(1) as f64;
    let mean = |of: &dyn Fn(usize) -> f64| {
        let seats = (0..4).map(of).map(|sum| sum / count);
        seats.collect::<Vec<_>>()
    };
    let wins = |seat: usize| records.iter().map(|r| f64::from(r.rewards[seat])).sum();
    let scores = |seat: usize| records.iter().map(|r| f64::from(r.scores[seat])).sum();
    Ok(json!({
        "file": path,
        "game": game,
        "games": records.len(),
        "first": records.iter().map(|record| record.id).min(),
        "last": records.iter().map(|record| record.id).max(),
        "ids": records.iter().map(|record| record.id).collect::<std::collections::BTreeSet<_>>().len(),
        "plies": plies().count(),
        "lessons": plies().filter(|ply| ply.is_lesson).count(),
        "policy_moves": moves,
        "win_shares": mean(&wins),
        "scores": mean(&scores),
    }))
}
