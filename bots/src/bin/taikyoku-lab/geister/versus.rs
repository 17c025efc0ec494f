//! Two policies against each other.

use std::path::{Path, PathBuf};

use clap::Args;
use games::geister::Rules;
use indicatif::ProgressBar;
use serde_json::json;
use taikyoku_bots::arena::Results;
use taikyoku_bots::geister::versus::{Policy, play_match};
use taikyoku_bots::geister::{Choice, Weights};

use crate::Failure;

/// How matches are played.
#[derive(Args, Clone)]
pub(crate) struct MatchOptions {
    /// Games; each pair of games has the same two placements with the seats exchanged.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) games: u64,
    /// Moves of both sides together after which a game is drawn.
    #[arg(long, default_value_t = 200)]
    pub(crate) ply_limit: u16,
    /// 0 plays the move with the highest preference, T > 0 draws from softmax(h / T).
    #[arg(long, default_value_t = 0.0)]
    pub(crate) temperature: f64,
    /// Seed of placements and draws.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads; the result does not depend on them.
    #[arg(long, default_value_t = 2)]
    pub(crate) threads: usize,
    /// Print the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

impl MatchOptions {
    /// Plays one match, with progress on standard error.
    pub(crate) fn play(&self, a: &Weights, b: &Weights) -> Result<Results, Failure> {
        let bar = ProgressBar::new(self.games.div_ceil(2) * 2);
        let choice = Choice::with_temperature(self.temperature);
        let players = [a, b].map(|weights| Policy { weights, choice });
        let rules = Rules {
            ply_limit: self.ply_limit,
        };
        let results = play_match(
            players,
            rules,
            self.games,
            self.seed,
            self.threads,
            &|games| bar.inc(games),
        )?;
        bar.finish_and_clear();
        Ok(results)
    }
}

#[derive(Args)]
pub(crate) struct Options {
    /// Weights of A (`.npy`, 8,128 elements in the author's layout or 7,503).
    a: PathBuf,
    /// Weights of B.
    b: PathBuf,
    #[command(flatten)]
    matches: MatchOptions,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let (a, b) = (Weights::read(&options.a)?, Weights::read(&options.b)?);
    let start = std::time::Instant::now();
    let results = options.matches.play(&a, &b)?;
    let speed = results.score().games() as f64 / start.elapsed().as_secs_f64();
    if options.matches.json {
        let mut line = results.json();
        line["a"] = json!(options.a);
        line["b"] = json!(options.b);
        line["games_per_second"] = json!(speed);
        println!("{line}");
    } else {
        print!(
            "{} against {}: {}",
            name(&options.a),
            name(&options.b),
            results.text()
        );
        println!("{speed:.0} games/s");
    }
    Ok(())
}

/// Folder and file of a path, enough to know it by.
pub(crate) fn name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    match path.parent().and_then(Path::file_name) {
        Some(folder) => format!("{}/{file}", folder.to_string_lossy()),
        None => file.into_owned(),
    }
}
