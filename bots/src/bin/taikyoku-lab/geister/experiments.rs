//! The experiments of the paper, each as one table.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use stats::{Block, Mean, Outcome};
use taikyoku_bots::geister::Weights;

use super::run::checkpoints;
use super::versus::{MatchOptions, name};
use crate::Failure;

/// Prints rows as a table for people or, each on a line, as JSON.
fn print(json: bool, header: &str, rows: &[(String, Value)]) {
    if !json {
        println!("{header}");
    }
    for (text, value) in rows {
        if json {
            println!("{value}");
        } else {
            println!("{text}");
        }
    }
}

#[derive(Args)]
pub(crate) struct Experiment1 {
    /// Folder of a run with its checkpoints.
    run: PathBuf,
    /// The opponent; by default the run's own checkpoint after 1,000,000 games.
    #[arg(long)]
    against: Option<PathBuf>,
    #[command(flatten)]
    matches: MatchOptions,
}

impl Experiment1 {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let opponent = self
            .against
            .clone()
            .unwrap_or_else(|| self.run.join("theta_1000000.npy"));
        let against = Weights::read(&opponent)?;
        let mut rows = Vec::new();
        for (games, path) in found(&self.run)? {
            let results = self.matches.play(&Weights::read(&path)?, &against)?;
            let score = results.score();
            let mut value = results.json();
            value["checkpoint"] = json!(games);
            let text = format!(
                "| {games} | {:.3} | {:.3} ± {:.3} | {:.3} |",
                score.win_rate(),
                score.score.mean,
                score.score.half_width,
                score.draw_rate()
            );
            rows.push((text, value));
        }
        let header = format!(
            "Against {}, {} games each, {} plies:\n| games | W/(W+L) | score | draws |\n|---|---|---|---|",
            name(&opponent),
            self.matches.games,
            self.matches.ply_limit
        );
        print(self.matches.json, &header, &rows);
        Ok(())
    }
}

#[derive(Args)]
pub(crate) struct Figure7 {
    /// Folder of a run with its checkpoints.
    run: PathBuf,
    #[command(flatten)]
    matches: MatchOptions,
}

impl Figure7 {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut rows = Vec::new();
        for (games, path) in found(&self.run)? {
            let weights = Weights::read(&path)?;
            let results = self.matches.play(&weights, &weights)?;
            let mut value = results.json();
            value["checkpoint"] = json!(games);
            let drawn = |game: &Outcome| f64::from(u8::from(game.places[0] == game.places[1]));
            let drawn = |block: &Block| {
                let draws: f64 = block.games.iter().map(drawn).sum();
                draws / block.games.len() as f64
            };
            let draws = Mean::of(results.blocks().iter().map(drawn)).within([0.0, 1.0]);
            let (draws, interval) = (draws.mean, draws.half_width);
            value["draws_interval"] = json!(interval);
            rows.push((format!("| {games} | {draws:.3} ± {interval:.3} |"), value));
        }
        let header = format!(
            "Against itself, {} games each, {} plies:\n| games | draws |\n|---|---|",
            self.matches.games, self.matches.ply_limit
        );
        print(self.matches.json, &header, &rows);
        Ok(())
    }
}

#[derive(Args)]
pub(crate) struct Seeds {
    /// Folders of runs with different seeds; each plays with its checkpoint of --checkpoint games.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Policies to play against.
    #[arg(long, required = true, num_args = 1..)]
    against: Vec<PathBuf>,
    /// Which checkpoint.
    #[arg(long, default_value_t = 1_000_000)]
    checkpoint: u64,
    #[command(flatten)]
    matches: MatchOptions,
}

impl Seeds {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut rows = Vec::new();
        for opponent in &self.against {
            let against = Weights::read(opponent)?;
            let mut scores = Vec::new();
            for run in &self.runs {
                let path = run.join(format!("theta_{}.npy", self.checkpoint));
                let results = self.matches.play(&Weights::read(&path)?, &against)?;
                let score = results.score();
                scores.push(score.score.mean);
                let mut value = results.json();
                value["run"] = json!(run);
                value["against"] = json!(opponent);
                let text = format!(
                    "| {} | {} | {:.3} ± {:.3} | {:.3} |",
                    name(&path),
                    name(opponent),
                    score.score.mean,
                    score.score.half_width,
                    score.draw_rate()
                );
                rows.push((text, value));
            }
            let runs = scores.len();
            let Mean {
                mean, half_width, ..
            } = Mean::of(scores);
            let interval = (runs > 1).then_some(half_width);
            let value = json!({
                "against": opponent, "mean_score": mean, "interval": interval, "runs": runs,
            });
            let spread = interval.map_or(String::new(), |half| format!(" ± {half:.3}"));
            rows.push((
                format!(
                    "| mean of {runs} | {} | {mean:.3}{spread} | |",
                    name(opponent)
                ),
                value,
            ));
        }
        let header = "| policy | against | score | draws |\n|---|---|---|---|";
        print(self.matches.json, header, &rows);
        Ok(())
    }
}

fn found(run: &Path) -> Result<Vec<(u64, PathBuf)>, Failure> {
    let found = checkpoints(run)?;
    if found.is_empty() {
        return Err(format!("{}: no checkpoint theta_<games>.npy", run.display()).into());
    }
    Ok(found)
}
