//! Training with checkpoints, stop and resume.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use taikyoku_bots::geister::Weights;
use taikyoku_bots::geister::reinforce::Steps;
use taikyoku_bots::geister::trainer::{Settings, Trainer};

use crate::Failure;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Args)]
pub(crate) struct Options {
    /// Games to have learned in the end, those of an earlier start of the same run included. A run that
    /// was stopped at a checkpoint goes on exactly as if it had not been; a stop at another number of games
    /// makes a small difference with several threads or --past.
    #[arg(long)]
    games: u64,
    /// Seed of the run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for checkpoints `theta_<games>.npy`, each with a `.json` that says how it came to be and the
    /// weights of the baseline, `baseline_<games>.npy`.
    #[arg(long)]
    out: PathBuf,
    /// Learn from the result less a learned baseline, or from the result alone.
    #[arg(long, value_enum, default_value = "on")]
    baseline: Switch,
    /// Threads. One learns each game before the next; several add up their changes every 64 games.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Step size of the policy.
    #[arg(long, default_value_t = 0.001)]
    alpha: f64,
    /// Step size of the baseline.
    #[arg(long, default_value_t = 0.0001)]
    beta: f64,
    /// Ply limit of the training games.
    #[arg(long, default_value_t = 200)]
    ply_limit: u16,
    /// Learn from the moves of both sides, not of the first player only as in the paper.
    #[arg(long)]
    both_sides: bool,
    /// Share of games against a past checkpoint of the same run, 0 to 1.
    #[arg(long, default_value_t = 0.0)]
    past: f64,
    /// Games from one checkpoint to the next. By default 10,000, then
    /// 100,000, 200,000 and so on to 1,000,000, then every 1,000,000; the last one always.
    #[arg(long)]
    every: Option<u64>,
    /// Begin with the weights of this file in place of zero.
    #[arg(long)]
    from: Option<PathBuf>,
}

impl Options {
    fn settings(&self) -> Settings {
        Settings {
            seed: self.seed,
            steps: Steps {
                alpha: self.alpha,
                beta: (self.baseline == Switch::On).then_some(self.beta),
            },
            ply_limit: self.ply_limit,
            both_sides: self.both_sides,
            past: self.past,
            threads: self.threads.max(1),
        }
    }

    /// What a run must have in common with the one it goes on with.
    fn fingerprint(&self) -> Value {
        json!({
            "seed": self.seed,
            "baseline": self.baseline == Switch::On,
            "threads": self.threads.max(1),
            "alpha": self.alpha,
            "beta": self.beta,
            "ply_limit": self.ply_limit,
            "both_sides": self.both_sides,
            "past": self.past,
            "from": self.from,
            "every": self.every,
        })
    }

    /// The number of games of the next checkpoint.
    fn next(&self, games: u64) -> u64 {
        let step = self.every.unwrap_or(match games {
            0..10_000 => 10_000,
            10_000..1_000_000 => 100_000,
            _ => 1_000_000,
        });
        ((games / step.max(1) + 1) * step.max(1)).min(self.games)
    }
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    std::fs::create_dir_all(&options.out)?;
    let mut trainer = Trainer::new(options.settings());
    if let Some(path) = &options.from {
        trainer.weights = Weights::read(path)?;
    }
    resume(options, &mut trainer)?;
    let bar = ProgressBar::new(options.games).with_style(ProgressStyle::with_template(
        "{bar:30} {human_pos}/{human_len} games, {per_sec}, {eta} left {msg}",
    )?);
    bar.set_position(trainer.games);
    bar.reset_eta();
    while trainer.games < options.games {
        let start = Instant::now();
        let (before, counts) = (trainer.games, trainer.counts);
        let until = options.next(trainer.games);
        trainer.run(until, &mut |games| bar.inc(games));
        let seconds = start.elapsed().as_secs_f64();
        let played = (trainer.games - before) as f64;
        let norm = trainer.weights.author_norm();
        if !trainer.weights.is_finite() {
            return Err("the weights have grown without bound: use a smaller --alpha".into());
        }
        let report = json!({
            "games": trainer.games,
            "layout": "8128 elements, i(i+1)/2+j over 127 inputs",
            "norm": norm,
            "draws": (trainer.counts.draws - counts.draws) as f64 / played,
            "plies_per_game": (trainer.counts.plies - counts.plies) as f64 / played,
            "games_per_second": played / seconds,
            "run": options.fingerprint(),
        });
        save(options, &trainer, &report)?;
        bar.println(format!(
            "{} games: |theta| {norm:.1}, draws {:.3}, {:.0} games/s",
            trainer.games,
            report["draws"],
            played / seconds
        ));
        if options.past > 0.0 {
            trainer.past.push(trainer.weights.clone());
        }
    }
    bar.finish_and_clear();
    println!(
        "{} games: |theta| {:.2}, {}",
        trainer.games,
        trainer.weights.author_norm(),
        checkpoint(&options.out, trainer.games).display()
    );
    Ok(())
}

fn checkpoint(out: &Path, games: u64) -> PathBuf {
    out.join(format!("theta_{games}.npy"))
}

/// The weights of the baseline at a checkpoint: what else a resumed run needs.
fn baseline_file(out: &Path, games: u64) -> PathBuf {
    out.join(format!("baseline_{games}.npy"))
}

/// Writes a checkpoint; the `.json`, which resume looks for, comes last.
fn save(options: &Options, trainer: &Trainer, report: &Value) -> Result<(), Failure> {
    let games = trainer.games;
    trainer.weights.write(&checkpoint(&options.out, games))?;
    trainer.w.write(&baseline_file(&options.out, games))?;
    let side = options.out.join(format!("theta_{games}.json"));
    let part = side.with_extension("part");
    std::fs::write(&part, serde_json::to_string_pretty(report)? + "\n")?;
    std::fs::rename(part, side)?;
    Ok(())
}

/// Checkpoints of a folder, by number of games.
pub(crate) fn checkpoints(out: &Path) -> Result<Vec<(u64, PathBuf)>, Failure> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(out).map_err(|e| format!("{}: {e}", out.display()))?;
    for entry in entries {
        let path = entry?.path();
        let games = path
            .file_name()
            .and_then(|name| name.to_str())
            .and_then(|name| name.strip_prefix("theta_")?.strip_suffix(".npy"))
            .and_then(|games| games.parse().ok());
        if let Some(games) = games {
            found.push((games, path));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Takes up the last checkpoint of the folder, if there is one.
fn resume(options: &Options, trainer: &mut Trainer) -> Result<(), Failure> {
    for (games, path) in checkpoints(&options.out)? {
        let side = path.with_extension("json");
        let Ok(text) = std::fs::read_to_string(&side) else {
            continue;
        };
        let report: Value =
            serde_json::from_str(&text).map_err(|e| format!("{}: {e}", side.display()))?;
        if report["run"] != options.fingerprint() {
            return Err(format!(
                "{} belongs to a run with other options: {}; choose another --out",
                path.display(),
                report["run"]
            )
            .into());
        }
        if games > options.games {
            break;
        }
        trainer.weights = Weights::read(&path)?;
        trainer.w = Weights::read(&baseline_file(&options.out, games))?;
        trainer.games = games;
        if options.past > 0.0 {
            trainer.past.push(trainer.weights.clone());
        }
    }
    if trainer.games > 0 {
        log::info!("going on after {} games", trainer.games);
    }
    Ok(())
}
