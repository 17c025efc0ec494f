//! Training and measuring the Geister policy.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Subcommand, ValueEnum};
use games::geister::{Placement, Position, Rules};
use indicatif::{ProgressBar, ProgressStyle};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use stats::{Block, Mean, Outcome};
use taikyoku_bots::arena::Results;
use taikyoku_bots::geister::learner::{Learner, Player};
use taikyoku_bots::geister::reinforce::Steps;
use taikyoku_bots::geister::selfplay::{Room, random_placement};
use taikyoku_bots::geister::trainer::{Settings, Trainer};
use taikyoku_bots::geister::versus::{Policy, play_match};
use taikyoku_bots::geister::{Choice, EngineOptions, Networks, Weights};
use taikyoku_bots::learning::{Round, Schedule};

use crate::Failure;
use crate::learning::{LearnOptions, Learns};

/// Experiments on Geister.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Play two policies against each other, both seats, with a 95 % interval.
    Versus(VersusOptions),
    /// Write the mean of several weights: steadier than a single checkpoint.
    Average(AverageOptions),
    /// The score of each of the 70 placements under a policy.
    Placements(PlacementsOptions),
    /// The paper's experiment 1: every checkpoint of a run against the one of 1,000,000 games.
    Experiment1(Experiment1),
    /// The paper's figure 7: the share of draws of every checkpoint against itself.
    Figure7(Figure7),
    /// The last checkpoint of several runs against policies from files.
    Seeds(Seeds),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Versus(options) => versus(options),
        Command::Average(options) => average(options),
        Command::Placements(options) => placements(options),
        Command::Experiment1(options) => options.run(),
        Command::Figure7(options) => options.run(),
        Command::Seeds(options) => options.run(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Args)]
pub(crate) struct TrainOptions {
    /// Games to have learned in the end, those of an earlier start of the same run included. A run that
    /// was stopped at a checkpoint goes on exactly as if it had not been; a stop at another number of games
    /// makes a small difference with several threads or --past.
    #[arg(long, value_name = "N")]
    games: u64,
    /// Seed of the run.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Folder for checkpoints `theta_<games>.npy`, each with a `.json` that says how it came to be and the
    /// weights of the baseline, `baseline_<games>.npy`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Learn from the result less a learned baseline, or from the result alone.
    #[arg(long, value_enum, default_value = "on")]
    baseline: Switch,
    /// Threads. One learns each game before the next; several add up their changes every 64 games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Step size of the policy.
    #[arg(long, value_name = "A", default_value_t = 0.001)]
    alpha: f64,
    /// Step size of the baseline.
    #[arg(long, value_name = "B", default_value_t = 0.0001)]
    beta: f64,
    /// Ply limit of the training games.
    #[arg(long, value_name = "PLIES", default_value_t = 200)]
    ply_limit: u16,
    /// Learn from the moves of both sides, not of the first player only as in the paper.
    #[arg(long)]
    both_sides: bool,
    /// Share of games against a past checkpoint of the same run, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = crate::learning::share)]
    past: f64,
    /// Games from one checkpoint to the next [default: 10,000, then 100,000, 200,000 and so on to 1,000,000, then every
    /// 1,000,000; the last one always].
    #[arg(long, value_name = "N")]
    every: Option<u64>,
    /// Begin with the weights of this file in place of zero.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

impl TrainOptions {
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

    /// The settings that a resumed run must share with its first part.
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

pub(crate) fn train(options: &TrainOptions) -> Result<(), Failure> {
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
        let draws = (trainer.counts.draws - counts.draws) as f64 / played;
        let report = json!({
            "games": trainer.games,
            "layout": "8128 elements, i(i+1)/2+j over 127 inputs",
            "norm": norm,
            "draws": draws,
            "plies_per_game": (trainer.counts.plies - counts.plies) as f64 / played,
            "games_per_second": played / seconds,
            "run": options.fingerprint(),
        });
        save(options, &trainer, &report)?;
        bar.suspend(|| {
            println!(
                "{} games: |theta| {norm:.1}, draws {draws:.3}, {:.0} games/s",
                trainer.games,
                played / seconds
            );
        });
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
fn save(options: &TrainOptions, trainer: &Trainer, report: &Value) -> Result<(), Failure> {
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
fn resume(options: &TrainOptions, trainer: &mut Trainer) -> Result<(), Failure> {
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
    let mut learner = Learner::new(options.learn.networks()?, options.learn.seed);
    learner.play_against(&options.against, options.share)?;
    options.learn.run(&mut learner)
}

impl Learns<{ Networks::INPUTS }> for Learner {
    fn games(&self) -> u64 {
        self.games
    }

    fn networks(&self) -> &Networks {
        self.networks()
    }

    fn renew_older(&mut self) {
        self.renew_older();
    }

    fn round(&mut self, games: usize, schedule: &Schedule, threads: usize) -> Round {
        self.round(games, schedule, threads)
    }

    fn measure(&self, threads: usize) -> String {
        let engines = self.engines().enumerate();
        let engines = engines.map(|(number, name)| (Player::Engine(number), name));
        let mut others: Vec<_> = engines.collect();
        if others.is_empty() {
            others.push((Player::Pairs, "policy.npy"));
        }
        let scores = others.into_iter().map(|(player, name)| {
            let score = self.measure(player, 500, threads);
            let (mean, half_width) = (score.mean, score.half_width());
            format!("{mean:.3} \u{b1} {half_width:.3} against `{name}`")
        });
        format!("scores {}", scores.collect::<Vec<_>>().join(", "))
    }
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

#[derive(Args)]
pub(crate) struct Seeds {
    /// Folders of runs with different seeds; each plays with its checkpoint of --checkpoint games.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Policies to play against.
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    against: Vec<PathBuf>,
    /// Which checkpoint.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
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
                    score.score.half_width(),
                    score.draw_rate()
                );
                rows.push((text, value));
            }
            let runs = scores.len();
            let all = Mean::of(scores, [0.0, 1.0]);
            let (mean, interval) = (all.mean, (runs > 1).then_some(all.half_width()));
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

#[derive(Args)]
pub(crate) struct AverageOptions {
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Weights, usually the last checkpoints of a run.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn average(options: &AverageOptions) -> Result<(), Failure> {
    let mut sum = vec![0.0; taikyoku_bots::geister::PAIRS];
    for path in &options.files {
        for (sum, value) in sum.iter_mut().zip(Weights::read(path)?.pairs()) {
            *sum += value;
        }
    }
    let count = options.files.len() as f64;
    for value in &mut sum {
        *value /= count;
    }
    Weights::from_pairs(&sum).write(&options.out)?;
    println!("{}: mean of {count}", options.out.display());
    Ok(())
}

#[derive(Args)]
pub(crate) struct PlacementsOptions {
    /// Weights of both sides.
    weights: PathBuf,
    /// Games of each placement, half of them from each seat.
    #[arg(long, value_name = "N", default_value_t = 4000)]
    games: u64,
    /// 0 plays the move with the highest preference, T > 0 draws from softmax(h / T).
    #[arg(long, value_name = "T", default_value_t = 1.0)]
    temperature: f64,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Print each placement as a line of JSON (schema: docs/schema/lab-placements.json).
    #[arg(long)]
    json: bool,
}

/// Score of each placement against uniformly random ones, best first.
pub(crate) fn placements(options: &PlacementsOptions) -> Result<(), Failure> {
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
        scores.push((Mean::of(results, [0.0, 1.0]), placement));
        bar.inc(1);
    }
    bar.finish_and_clear();
    scores.sort_by(|a, b| b.0.mean.total_cmp(&a.0.mean));
    for (score, placement) in scores {
        let (score, error) = (score.mean, score.half_width());
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
