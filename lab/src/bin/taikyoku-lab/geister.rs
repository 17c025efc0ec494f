//! Training and measuring the Geister policy.

use std::path::{Path, PathBuf};
use std::time::Instant;

use bots::geister::{Choice, EngineOptions, Weights};
use clap::{Args, Subcommand};
use games::geister::Rules;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use stats::{Block, Mean, Outcome};
use taikyoku_lab::arena::Results;
use taikyoku_lab::geister::{Policy, PolicyGradient, play_match};
use taikyoku_lab::training::geister::Geister;

use crate::Failure;
use crate::learning::LearnOptions;

/// Experiments on Geister.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Play two policies against each other, both seats, with a 95 % interval.
    Versus(VersusOptions),
    /// The paper's experiment 1: every checkpoint of a run against the one of 1,000,000 games.
    Experiment1(Experiment1),
    /// The paper's figure 7: the share of draws of every checkpoint against itself.
    Figure7(Figure7),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Versus(options) => versus(options),
        Command::Experiment1(options) => options.run(),
        Command::Figure7(options) => options.run(),
    }
}

#[derive(Args)]
pub(crate) struct TrainOptions {
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

impl TrainOptions {
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

pub(crate) fn train(options: &TrainOptions) -> Result<(), Failure> {
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
fn save(options: &TrainOptions, trainer: &PolicyGradient, report: &Value) -> Result<(), Failure> {
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
fn resume(options: &TrainOptions, trainer: &mut PolicyGradient) -> Result<(), Failure> {
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

/// How matches are played.
#[derive(Args, Clone)]
pub(crate) struct MatchOptions {
    /// Games; each pair of games has the same two placements with the seats exchanged.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) games: u64,
    /// Moves of both sides together after which a game is drawn.
    #[arg(long, value_name = "PLIES", default_value_t = 200)]
    pub(crate) ply_limit: u16,
    /// 0 plays the move with the highest preference, T > 0 draws from softmax(h / T).
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    pub(crate) temperature: f64,
    /// Seed of placements and draws.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads; the result does not depend on them.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) threads: usize,
    /// Print the result as JSON (schema: docs/schema/lab-match.json).
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

#[derive(Args)]
pub(crate) struct VersusOptions {
    /// Weights of A (`.npy`, 8,128 elements in the author's layout or 7,503).
    a: PathBuf,
    /// Weights of B.
    b: PathBuf,
    #[command(flatten)]
    matches: MatchOptions,
}

pub(crate) fn versus(options: &VersusOptions) -> Result<(), Failure> {
    let (a, b) = (Weights::read(&options.a)?, Weights::read(&options.b)?);
    let start = std::time::Instant::now();
    let names = [&options.a, &options.b].map(|path| name(path));
    let results = options.matches.play(&a, &b)?.with_names(names);
    let speed = results.score().games() as f64 / start.elapsed().as_secs_f64();
    if options.matches.json {
        let mut line = results.json();
        line["a"] = json!(options.a);
        line["b"] = json!(options.b);
        line["games_per_second"] = json!(speed);
        println!("{line}");
    } else {
        print!("{}", results.text());
        println!("{speed:.0} games/s");
    }
    Ok(())
}

/// Folder and file of a path, enough to know it by.
fn name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    match path.parent().and_then(Path::file_name) {
        Some(folder) => format!("{}/{file}", folder.to_string_lossy()),
        None => file.into_owned(),
    }
}

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
    #[arg(long, value_name = "FILE")]
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
                "| {games} | {} | {:.3} ± {:.3} | {:.3} |",
                score
                    .win_rate()
                    .map_or_else(|| "–".to_owned(), |rate| format!("{rate:.3}")),
                score.score.mean,
                score.score.half_width(),
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
            let draws = Mean::of(results.blocks().iter().map(drawn), [0.0, 1.0]);
            let (draws, interval) = (draws.mean, draws.half_width());
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

fn found(run: &Path) -> Result<Vec<(u64, PathBuf)>, Failure> {
    let found = checkpoints(run)?;
    if found.is_empty() {
        return Err(format!("{}: no checkpoint theta_<games>.npy", run.display()).into());
    }
    Ok(found)
}
