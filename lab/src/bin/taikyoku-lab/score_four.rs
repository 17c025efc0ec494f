//! Experiments on 3D four-in-a-row.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use bots::engine::{OpenPosition as _, play_game};
use bots::score_four::EngineOptions;
use bots::search::{lock, rng_of};
use bots::spec::Specified as _;
use clap::{Args, Subcommand};
use games::GameName;
use games::score_four::Position;
use indicatif::ProgressBar;
use rand::RngExt as _;
use serde_json::{Value, json};
use stats::wilson;
use taikyoku_lab::arena::{Contest, Played, Results, illegal, seated, spread};
use taikyoku_lab::score_four::{Row, Sample, SampleGames, Side, rows};
use taikyoku_lab::training::Trainer;
use taikyoku_lab::training::score_four::{Evaluation, ValueFit};

use crate::Failure;
use crate::contest::{PlaceOptions, Prepared, words};
use crate::learning::{PassOptions, show_progress, try_out, write_out};
use crate::meter::Meter;

/// Experiments on 3D four-in-a-row.
#[derive(Subcommand)]
pub(crate) enum ScoreFourCommand {
    /// Play games against itself for the network of `best` to learn from.
    Samples(SampleGamesOptions),
}

pub(crate) fn run(command: &ScoreFourCommand) -> Result<(), Failure> {
    match command {
        ScoreFourCommand::Samples(options) => samples(options),
    }
}

#[derive(Args)]
pub(crate) struct TablesOptions {
    /// Games of each row.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Uniformly random first plies, 0 to 6; 0 as in the paper.
    #[arg(long, value_name = "PLIES", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=6))]
    random_plies: u32,
    /// Only this table, 1 to 3 [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=3))]
    table: Option<u8>,
    /// Seed of the first game of each row.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    players: PlaceOptions,
    /// Print one line of JSON for each row (schema: docs/schema/lab-tables-score-four.json).
    #[arg(long)]
    json: bool,
}

/// The games of the tables: a block is a row, whose sides are the entrants, and each of its games a sitting.
fn paper_tables(rows: Vec<Row>, games: u32, random_plies: u32, first_seed: u64) -> Contest {
    let play = move |block: u64, sitting: u64| {
        let row = &rows[block as usize];
        let seed = first_seed.wrapping_add(sitting);
        let build = |side: &Side| {
            let engine = EngineOptions {
                playouts: Some(side.playouts),
                ..EngineOptions::named(side.engine)
            };
            engine.build(seed.wrapping_mul(2).wrapping_add(u64::from(side.seat)))
        };
        let engines = [build(&row.sides[0])?, build(&row.sides[1])?];
        let (mut seats, entrants) = seated(engines, row.sides[0].seat == 1);
        let start = Position::random_opening(random_plies, seed);
        let game = play_game(&mut seats, start).map_err(illegal)?;
        let plies = u32::from(game.end.ply());
        let played = Played::of_two(entrants, game.winner(), plies, game.usage);
        Ok(vec![played])
    };
    Contest::new(GameName::ScoreFour, "game", games.into(), play)
}

/// What a row came to, by side of the row.
struct RowResult {
    games: u32,
    wins: [u32; 2],
    draws: u32,
    seconds: [f64; 2],
}

impl RowResult {
    fn of(games: &[&Played]) -> RowResult {
        let mut result = RowResult {
            games: games.len() as u32,
            wins: [0; 2],
            draws: 0,
            seconds: [0.0; 2],
        };
        let mut moves = [0; 2];
        for game in games {
            let outcome = &game.outcome;
            result.draws += u32::from(outcome.places == [0, 0]);
            let seats = outcome.entrants.iter().zip(&outcome.places);
            for ((&side, &place), usage) in seats.zip(&game.usage) {
                let is_won = place == 0 && outcome.places != [0, 0];
                result.wins[side] += u32::from(is_won);
                result.seconds[side] += usage.time.as_secs_f64();
                moves[side] += usage.moves;
            }
        }
        for (seconds, moves) in result.seconds.iter_mut().zip(moves) {
            *seconds /= f64::from(moves.max(1));
        }
        result
    }

    fn interval(&self, side: usize) -> [f64; 2] {
        wilson(u64::from(self.wins[side]), u64::from(self.games))
    }
}

fn side_json(side: &Side, result: &RowResult, i: usize) -> Value {
    json!({
        "engine": side.engine.name(),
        "seat": side.seat,
        "playouts": side.playouts,
        "wins": result.wins[i],
        "wins_interval": result.interval(i),
        "seconds_per_move": result.seconds[i],
        "paper_wins_of_100": side.wins,
        "paper_seconds_per_move": side.seconds,
        "times_faster": side.seconds / result.seconds[i].max(1e-9),
    })
}

fn rows_of(options: &TablesOptions) -> Vec<Row> {
    let rows = rows().into_iter();
    rows.filter(|row| options.table.is_none_or(|table| table == row.table))
        .collect()
}

pub(crate) fn prepare(options: &TablesOptions) -> Prepared {
    let rows = rows_of(options);
    let blocks = rows.len() as u64;
    let contest = paper_tables(rows, options.games, options.random_plies, options.seed);
    let names = ["A", "B"].map(str::to_owned).to_vec();
    Prepared::new(contest, names, blocks)
}

pub(crate) fn tables(options: &TablesOptions) -> Result<(), Failure> {
    let (prepared, rows) = (prepare(options), rows_of(options));
    let meter = Meter::new(prepared.sittings(), 0, prepared.contest.unit)?;
    if !options.json {
        println!(
            "table  A (seat 0 or 1, playouts)   B               share of A's wins, 95 %    draws  paper A:B  \
             seconds a move (paper's)"
        );
    }
    // Each row is printed once all of its games and those before it are over.
    let printed = Mutex::new(0);
    let print_rows = |results: &Results| {
        let mut printed = lock(&printed);
        while let Some(row) = rows.get(*printed)
            && let Some(games) = results.block(*printed as u64)
        {
            meter.suspend(|| print_row(row, &RowResult::of(&games), options.json));
            *printed += 1;
        }
    };
    let watch = |results: &Results| {
        print_rows(results);
        let printed = *lock(&printed);
        meter.show(
            results.sittings().0,
            format!("{printed} of {} rows", rows.len()),
        );
    };
    let words = words();
    let mut workers = options.players.workers(&prepared)?;
    let place = options.players.place(workers.as_mut(), &words);
    let results = prepared.play(place, &watch)?;
    // Rows without games.
    print_rows(&results);
    meter.finish();
    Ok(())
}

fn print_row(row: &Row, result: &RowResult, json: bool) {
    let [a, b] = &row.sides;
    if json {
        let sides = [side_json(a, result, 0), side_json(b, result, 1)];
        println!(
            "{}",
            json!({"table": row.table, "games": result.games, "draws": result.draws, "a": sides[0], "b": sides[1]})
        );
        return;
    }
    let [low, high] = result.interval(0);
    let of = |side: &Side| format!("{} {} {}", side.engine.name(), side.seat, side.playouts);
    println!(
        "{}      {:<16}  {:<16}  {:3} of {:3} [{:.3}, {:.3}]  {:5}  {:4}:{:<4}  {:.4} ({}), {:.4} ({})",
        row.table,
        of(a),
        of(b),
        result.wins[0],
        result.games,
        low,
        high,
        result.draws,
        a.wins,
        b.wins,
        result.seconds[0],
        a.seconds,
        result.seconds[1],
        b.seconds,
    );
}

/// Makes a file, which may have taken hours to fill: never over one that is there already.
fn create_new(path: &Path) -> Result<File, Failure> {
    let file = File::create_new(path);
    Ok(file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!(
            "{} is there already: name another file, or remove this one",
            path.display()
        ),
        _ => format!("{}: {error}", path.display()),
    })?)
}

/// Games that one player plays and writes at once.
const BLOCK: u64 = 50;

#[derive(Args)]
pub(crate) struct SampleGamesOptions {
    /// Games against itself; about 15 samples each.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    games: u64,
    /// Nodes a move.
    #[arg(long, value_name = "N", default_value_t = 2_500, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seed of the games; files of other seeds have other games.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Threads; with more than one the same samples come in another order.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// The file to write, never one that is there already.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

fn samples(options: &SampleGamesOptions) -> Result<(), Failure> {
    let file = Mutex::new(create_new(&options.out)?);
    let bar = ProgressBar::new(options.games);
    let blocks = options.games.div_ceil(BLOCK);
    let threads = usize::from(options.threads);
    // A stop loses no more than the blocks that are being played.
    let counts = spread("block", blocks, threads, |block| {
        let seed = rng_of(options.seed, block as usize).random();
        let mut play = SampleGames::new(options.nodes, seed);
        let mut bytes = Vec::new();
        for _ in block * BLOCK..options.games.min((block + 1) * BLOCK) {
            bytes.extend(play.game().into_iter().flat_map(Sample::to_bytes));
            bar.inc(1);
        }
        file.lock().expect("no write panics").write_all(&bytes)?;
        Ok(bytes.len() / Sample::BYTES)
    })?;
    bar.finish_and_clear();
    let count: usize = counts.iter().sum();
    println!("{count} samples of {} games", options.games);
    Ok(())
}

#[derive(Args)]
pub(crate) struct TrainOptions {
    /// Files of `taikyoku-lab score-four samples`; the last twentieth of each measures the network.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    passes: PassOptions,
    /// The network to write: the engine has it as `bots/src/score_four/best/network.bin`.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

fn read_samples(path: &Path) -> Result<Vec<Sample>, Failure> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (records, rest) = bytes.as_chunks::<{ Sample::BYTES }>();
    let read = records.iter().enumerate().map(|(number, record)| {
        Sample::from_bytes(record)
            .ok_or_else(|| format!("{}: sample {number} is not a position", path.display()))
    });
    let samples = read.collect::<Result<Vec<_>, _>>()?;
    if !rest.is_empty() {
        log::warn!("{}: the last sample is cut off", path.display());
    }
    Ok(samples)
}

pub(crate) fn train(options: &TrainOptions) -> Result<(), Failure> {
    try_out(&options.out)?;
    let (mut learned, mut held) = (Vec::new(), Vec::new());
    for path in &options.files {
        let mut samples = read_samples(path)?;
        held.extend(samples.split_off(samples.len() - samples.len() / 20));
        learned.extend(samples);
    }
    if held.is_empty() {
        return Err("a file must have at least 20 samples".into());
    }
    let plan = options.passes.plan();
    let mut trainer = Trainer::new(Evaluation::new(plan.seed));
    show_progress(|progress| trainer.train_samples(&mut learned, &plan, progress));
    let bytes = trainer.model.to_bytes();
    write_out(&options.out, &bytes)?;
    // What the engine will read, whose numbers are rounded.
    for (name, samples) in [("learned", &learned), ("held out", &held)] {
        let ValueFit { loss, right } =
            ValueFit::of(&bytes, samples).ok_or("the network is not whole")?;
        println!(
            "{} samples {name}: loss {loss:.4}, winner expected in {:.2} %",
            samples.len(),
            100.0 * right
        );
    }
    Ok(())
}
