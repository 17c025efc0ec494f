//! Training of the policies of Geister, and the paper's measurements of a training.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use bots::geister::{EngineName, EngineOptions, Weights};
use clap::{Args, Subcommand};
use games::geister::Rules;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use stats::{Block, Mean, Outcome};
use taikyoku_lab::arena::{Place, Results, geister_contest, play_match};
use taikyoku_lab::training::geister::Geister;
use taikyoku_lab::training::reinforce::PolicyGradient;

use crate::Failure;
use crate::learning::{LearnOptions, write_out};

/// Experiments on Geister.
#[derive(Subcommand)]
pub(crate) enum GeisterCommand {
    /// The paper's experiment 1: every checkpoint of a run against the one of 1,000,000 games.
    Experiment1(CheckpointMatches),
    /// The paper's figure 7: the share of draws of every checkpoint against itself.
    Figure7(CheckpointMatches),
}

pub(crate) fn run(command: &GeisterCommand) -> Result<(), Failure> {
    match command {
        GeisterCommand::Experiment1(matches) => matches.against_a_million(),
        GeisterCommand::Figure7(matches) => matches.against_themselves(),
    }
}

#[derive(Args)]
pub(crate) struct ReinforceOptions {
    /// Games to have learned in the end, those of an earlier start of the same run included. A run that
    /// was stopped resumes from its last checkpoint exactly as if it had not been.
    #[arg(long, value_name = "N")]
    games: u64,
    /// Seed of the run.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Folder for checkpoints `theta_<games>.npy` after 10,000 games, each 100,000 games up to 1,000,000, each 1,000,000
    /// and the last game. Beside each are a `.json` with its figures and the weights of the baseline, `baseline_<games>.npy`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl ReinforceOptions {
    /// The number of games of the next checkpoint.
    fn next(&self, games: u64) -> u64 {
        let step = match games {
            0..10_000 => 10_000,
            10_000..1_000_000 => 100_000,
            _ => 1_000_000,
        };
        ((games / step + 1) * step).min(self.games)
    }
}

pub(crate) fn train(options: &ReinforceOptions) -> Result<(), Failure> {
    std::fs::create_dir_all(&options.out)?;
    let mut trainer = PolicyGradient::new(options.seed);
    resume(options, &mut trainer)?;
    let bar = ProgressBar::new(options.games).with_style(ProgressStyle::with_template(
        "{bar:30} {human_pos}/{human_len} games, {per_sec}, {eta} left {msg}",
    )?);
    bar.set_position(trainer.games);
    bar.reset_eta();
    while trainer.games < options.games {
        let start = Instant::now();
        let (before, counts) = (trainer.games, trainer.counts);
        while trainer.games < options.next(before) {
            trainer.game();
            bar.inc(1);
        }
        let seconds = start.elapsed().as_secs_f64();
        let played = (trainer.games - before) as f64;
        let norm = trainer.weights.author_norm();
        let draws = (trainer.counts.draws - counts.draws) as f64 / played;
        let report = json!({
            "games": trainer.games,
            "layout": "8128 elements, i(i+1)/2+j over 127 inputs",
            "norm": norm,
            "draws": draws,
            "plies_per_game": (trainer.counts.plies - counts.plies) as f64 / played,
            "games_per_second": played / seconds,
            "seed": options.seed,
        });
        save(options, &trainer, &report)?;
        bar.suspend(|| {
            println!(
                "{} games: |theta| {norm:.1}, draws {draws:.3}, {:.0} games/s",
                trainer.games,
                played / seconds
            );
        });
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
fn save(
    options: &ReinforceOptions,
    trainer: &PolicyGradient,
    report: &Value,
) -> Result<(), Failure> {
    let games = trainer.games;
    trainer.weights.write(&checkpoint(&options.out, games))?;
    trainer.w.write(&baseline_file(&options.out, games))?;
    let side = options.out.join(format!("theta_{games}.json"));
    let text = serde_json::to_string_pretty(report)? + "\n";
    write_out(&side, text.as_bytes())
}

/// Checkpoints of a folder, by number of games.
fn checkpoints(out: &Path) -> Result<Vec<(u64, PathBuf)>, Failure> {
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
fn resume(options: &ReinforceOptions, trainer: &mut PolicyGradient) -> Result<(), Failure> {
    for (games, path) in checkpoints(&options.out)? {
        let side = path.with_extension("json");
        let Ok(text) = std::fs::read_to_string(&side) else {
            continue;
        };
        let report: Value =
            serde_json::from_str(&text).map_err(|e| format!("{}: {e}", side.display()))?;
        if report["seed"] != options.seed {
            return Err(format!(
                "{} belongs to a run with the seed {}; choose another --out",
                path.display(),
                report["seed"]
            )
            .into());
        }
        if games > options.games {
            break;
        }
        trainer.weights = Weights::read(&path)?;
        trainer.w = Weights::read(&baseline_file(&options.out, games))?;
        trainer.games = games;
    }
    if trainer.games > 0 {
        log::info!("going on after {} games", trainer.games);
    }
    Ok(())
}

#[derive(Args)]
pub(crate) struct NetworksOptions {
    /// Play against this engine, `NAME[:option=value]...`, whose weights do not change. May be given several times; the games are
    /// shared equally. With a single engine and no self-play, the score says how far the engine can be exploited
    /// [default: self-play].
    #[arg(long, value_name = "ENGINE", value_parser = named)]
    against: Vec<(String, EngineOptions)>,
    /// Share of the games against these engines, 0 to 1. In the others the networks play against themselves, their older selves and
    /// `policy.npy`.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = crate::learning::share, requires = "against")]
    share: f64,
    #[command(flatten)]
    learn: LearnOptions,
}

/// Reads the specification of an engine, and keeps it for its name.
fn named(text: &str) -> Result<(String, EngineOptions), String> {
    let options = text.parse::<EngineOptions>().map_err(|e| e.to_string())?;
    Ok((text.to_owned(), options))
}

pub(crate) fn learn(options: &NetworksOptions) -> Result<(), Failure> {
    let game = Geister::new(&options.against, options.share)?;
    options.learn.run(game)
}

/// Matches of the checkpoints of a run, as `taikyoku-lab match geister` plays them between `paper:weights=FILE`.
#[derive(Args)]
pub(crate) struct CheckpointMatches {
    /// Folder of a run with its checkpoints.
    run: PathBuf,
    /// Games of each match, rounded up to pairs with the seats exchanged.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    games: u64,
    /// Seed of placements.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Threads; the result does not depend on them.
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Print each match as JSON (schema: docs/schema/lab-match.json).
    #[arg(long)]
    json: bool,
}

impl CheckpointMatches {
    fn play(&self, files: [&Path; 2]) -> Result<Results, Failure> {
        let engine = |path: &Path| EngineOptions {
            weights: Some(path.to_owned()),
            ..EngineOptions::named(EngineName::Paper)
        };
        let entrants = [engine(files[0]), engine(files[1])];
        let contest = geister_contest(entrants, Rules::default(), 1, self.seed);
        let names = files.map(|path| path.display().to_string()).to_vec();
        let pairs = self.games.div_ceil(2);
        let bar = ProgressBar::new(pairs);
        let watch = |_: &Results| bar.inc(1);
        let results = play_match(&contest, names, pairs, Place::Threads(self.threads), &watch)?;
        bar.finish_and_clear();
        Ok(results)
    }

    /// Plays a match for each checkpoint, against `opponent` or else against itself, and prints it as a row.
    fn print_rows(
        &self,
        header: &str,
        opponent: Option<&Path>,
        row: impl Fn(&Results, &mut Value) -> String,
    ) -> Result<(), Failure> {
        let checkpoints = checkpoints(&self.run)?;
        if checkpoints.is_empty() {
            let run = self.run.display();
            return Err(format!("{run}: no checkpoint theta_<games>.npy").into());
        }
        if !self.json {
            println!("{} games each\n{header}", self.games);
        }
        for (games, path) in checkpoints {
            let results = self.play([&path, opponent.unwrap_or(&path)])?;
            let mut value = results.json();
            value["checkpoint"] = json!(games);
            let row = row(&results, &mut value);
            if self.json {
                println!("{value}");
            } else {
                println!("| {games} | {row} |");
            }
        }
        Ok(())
    }

    fn against_a_million(&self) -> Result<(), Failure> {
        let opponent = self.run.join("theta_1000000.npy");
        let header = "| games | W/(W+L) | score | draws |\n|---|---|---|---|";
        self.print_rows(header, Some(&opponent), |results, _| {
            let score = results.score();
            let rate = score.win_rate();
            format!(
                "{} | {:.3} ± {:.3} | {:.3}",
                rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.3}")),
                score.score.mean,
                score.score.half_width(),
                score.draw_rate()
            )
        })
    }

    fn against_themselves(&self) -> Result<(), Failure> {
        let header = "| games | draws |\n|---|---|";
        self.print_rows(header, None, |results, value| {
            let drawn = |game: &Arc<Outcome>| f64::from(u8::from(game.places[0] == game.places[1]));
            let drawn = |block: &Block| {
                let draws: f64 = block.games.iter().map(drawn).sum();
                draws / block.games.len() as f64
            };
            let draws = Mean::of(results.blocks().iter().map(drawn), [0.0, 1.0]);
            value["draws_interval"] = json!(draws.half_width());
            format!("{:.3} ± {:.3}", draws.mean, draws.half_width())
        })
    }
}
