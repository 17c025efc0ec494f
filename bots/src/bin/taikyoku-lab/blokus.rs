//! Experiments on Blokus: the tables of random play, generators and networks against each other, training.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use games::blokus::{Board, Colour, Placement, Position, SEATS, Scene, Scoring};
use indicatif::ProgressBar;
use models::NnEngine;
use serde_json::json;
use taikyoku_bots::blokus::arena::play_game;
use taikyoku_bots::blokus::best::{Fit, Guess, Imitation, Judge, Lesson, Searched, Trainer};

use taikyoku_bots::blokus::{Engine, GreedyEngine, win_shares};
use taikyoku_bots::learning::Passes;
use taikyoku_bots::search::network::{LeafEvaluator as _, Model, NetworkEvaluator};
use taikyoku_bots::self_play::{Archive, Record};

use crate::Failure;
use crate::learning::Learned;

/// Experiments on Blokus.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compare the generators of legal moves on whole random games.
    Generators(GeneratorsOptions),
    /// Compare what two networks say of positions of recorded games, such as one and its 8-bit version.
    Compare(CompareOptions),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Generators(options) => generators(options),
        Command::Compare(options) => compare(options),
    }
}

#[derive(Args)]
pub(crate) struct TablesOptions {
    /// Games of each player.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Seed of the first game of each row.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON for each row (schema: docs/schema/lab-tables-blokus.json).
    #[arg(long)]
    json: bool,
}

/// Plies to a group of the last line of a row.
const GROUP: usize = 4;

#[derive(Default)]
struct Row {
    games: f64,
    plies: f64,
    shortest: usize,
    longest: usize,
    moves: f64,
    most_moves: usize,
    squares: f64,
    shares: [f64; SEATS],
    /// Legal moves and positions by group of plies.
    by_ply: Vec<(f64, f64)>,
}

impl Row {
    fn add(&mut self, moves: &[(Colour, games::blokus::Placement)]) {
        let mut board = Board::new();
        let mut legal = Vec::new();
        for (ply, &(_, mv)) in moves.iter().enumerate() {
            board.legal_moves(&mut legal);
            self.moves += legal.len() as f64;
            self.most_moves = self.most_moves.max(legal.len());
            let group = ply / GROUP;
            if self.by_ply.len() <= group {
                self.by_ply.resize(group + 1, (0.0, 0.0));
            }
            self.by_ply[group].0 += legal.len() as f64;
            self.by_ply[group].1 += 1.0;
            board.play_unchecked(mv);
        }
        self.shortest = if self.games > 0.0 {
            self.shortest.min(moves.len())
        } else {
            moves.len()
        };
        self.longest = self.longest.max(moves.len());
        self.games += 1.0;
        self.plies += moves.len() as f64;
        let squares = Colour::ALL.map(|colour| f64::from(board.squares(colour)));
        self.squares += squares.iter().sum::<f64>() / SEATS as f64;
        for (sum, share) in self
            .shares
            .iter_mut()
            .zip(win_shares(&board, Scoring::Advanced))
        {
            *sum += share;
        }
    }
}

pub(crate) fn tables(options: &TablesOptions) {
    if !options.json {
        println!(
            "player                 plies mean (min-max)  moves mean / max  squares  win share by seat"
        );
    }
    for (name, epsilon) in [
        ("uniform random", 1.0),
        ("greedy, biggest piece", 0.0),
        ("epsilon-greedy .05", 0.05),
    ] {
        let mut row = Row::default();
        let bar = ProgressBar::new(options.games);
        for game in 0..options.games {
            let mut engines = std::array::from_fn(|seat| -> Box<dyn Engine> {
                let seed = options
                    .seed
                    .wrapping_add(game)
                    .wrapping_mul(4)
                    .wrapping_add(seat as u64);
                Box::new(GreedyEngine::new(epsilon, seed))
            });
            let game = play_game(&mut engines, Board::new());
            row.add(&game.expect("simple players choose legal moves").moves);
            bar.inc(1);
        }
        bar.finish_and_clear();
        let n = row.games.max(1.0);
        let shares = row.shares.map(|share| share / n);
        let mean_by_ply = row.by_ply.iter().map(|(moves, count)| moves / count);
        if options.json {
            println!(
                "{}",
                json!({
                    "player": name,
                    "games": row.games,
                    "plies": row.plies / n,
                    "shortest": row.shortest,
                    "longest": row.longest,
                    "moves": row.moves / row.plies.max(1.0),
                    "most_moves": row.most_moves,
                    "squares": row.squares / n,
                    "win_share_by_seat": shares,
                    "moves_by_four_plies": mean_by_ply.collect::<Vec<_>>(),
                })
            );
            continue;
        }
        println!(
            "{name:<22} {:>6.1} ({}-{})        {:>6.0} / {:<6}   {:>5.1}    {}",
            row.plies / n,
            row.shortest,
            row.longest,
            row.moves / row.plies.max(1.0),
            row.most_moves,
            row.squares / n,
            shares.map(|share| format!("{share:.3}")).join(" "),
        );
        let groups: Vec<String> = mean_by_ply.map(|mean| format!("{mean:.0}")).collect();
        println!("  moves by {GROUP} plies: {}", groups.join(" "));
    }
}

#[derive(Args)]
pub(crate) struct GeneratorsOptions {
    /// Games, by turns uniformly random and with the biggest piece.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// Seed of the first game.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

pub(crate) fn generators(options: &GeneratorsOptions) -> Result<(), Failure> {
    let (mut by_rows, mut by_sets) = (Vec::new(), Vec::new());
    let (mut positions, mut moves) = (0_u64, 0_u64);
    for game in 0..options.games {
        let epsilon = if game % 2 == 0 { 1.0 } else { 0.05 };
        let mut player = GreedyEngine::new(epsilon, options.seed.wrapping_add(game));
        let mut position = Position::new();
        while let Some(colour) = position.to_move() {
            let board: Board = *position.board();
            board.legal_moves(&mut by_rows);
            position.legal_moves(&mut by_sets);
            let by_rule = Placement::all().filter(|&mv| board.is_legal(colour, mv));
            if by_rows != by_sets || !by_rule.eq(by_rows.iter().copied()) {
                return Err(format!("the generators differ in game {game} on\n{board}").into());
            }
            positions += 1;
            moves += by_rows.len() as u64;
            position.play_unchecked(player.choose(&board, None));
        }
    }
    println!(
        "rows, sets and scan agree on {moves} moves of {positions} positions of {} games",
        options.games
    );
    Ok(())
}

#[derive(Args)]
pub(crate) struct CompareOptions {
    /// The first network, an .onnx file: this file and no other, whatever lies beside it.
    model_a: PathBuf,
    /// The second one.
    model_b: PathBuf,
    /// Files of games, as taikyoku-lab selfplay writes them.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Most positions, spread evenly over all.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
    /// What runs the networks.
    #[arg(long, default_value_t = NnEngine::Auto, value_name = "ENGINE")]
    nn_engine: NnEngine,
    /// Print the result as JSON (schema: docs/schema/lab-compare.json).
    #[arg(long)]
    json: bool,
}

/// Sums over positions with more than one move.
#[derive(Default)]
struct Sums {
    positions: f64,
    agreed: f64,
    /// Kullback-Leibler divergence of the second policy from the first, in nats.
    divergence: f64,
    /// Differences of the value of the seat to move.
    difference: f64,
    squares: f64,
    most: f64,
}

/// The softmax of logits.
fn policy(logits: &[f32]) -> Vec<f64> {
    let highest = logits.iter().copied().fold(f32::MIN, f32::max);
    let mut shares: Vec<f64> = logits
        .iter()
        .map(|logit| f64::from(logit - highest).exp())
        .collect();
    let sum: f64 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    shares
}

/// The first of the highest.
fn likeliest(shares: &[f64]) -> Option<usize> {
    (0..shares.len()).reduce(|best, i| if shares[i] > shares[best] { i } else { best })
}

impl Sums {
    fn add(
        &mut self,
        networks: &mut [NetworkEvaluator<Scene>; 2],
        scene: &Scene,
        moves: &[Placement],
    ) -> Result<(), Failure> {
        let Some(mover) = scene.board().to_move().filter(|_| moves.len() > 1) else {
            return Ok(());
        };
        let (mut policies, mut values) = (Vec::new(), Vec::new());
        for network in networks {
            let mut logits = Vec::new();
            network.clear();
            network.add(scene, moves);
            network.evaluate()?;
            values.push(network.answer(0, &mut logits)[mover.index()]);
            policies.push(policy(&logits));
        }
        let pairs = policies[0].iter().zip(&policies[1]);
        let divergence = pairs.map(|(a, b)| a * (a.max(1e-12) / b.max(1e-12)).ln());
        let difference = (values[0] - values[1]).abs();
        self.positions += 1.0;
        self.agreed += f64::from(u8::from(likeliest(&policies[0]) == likeliest(&policies[1])));
        self.divergence += divergence.sum::<f64>();
        self.difference += difference;
        self.squares += difference * difference;
        self.most = self.most.max(difference);
        Ok(())
    }
}

pub(crate) fn compare(options: &CompareOptions) -> Result<(), Failure> {
    let open = |path: &PathBuf| -> Result<NetworkEvaluator<Scene>, Failure> {
        let is_quantised = path.to_string_lossy().ends_with(".int8.onnx");
        // The one named, not a faster one beside it.
        let precision = (!is_quantised).then_some(models::Precision::Fp32);
        let model = Model::open(path.clone(), options.nn_engine, precision)?;
        Ok(NetworkEvaluator::new(Arc::new(model), 0.0))
    };
    let mut networks = [open(&options.model_a)?, open(&options.model_b)?];
    let mut records: Vec<Record> = Vec::new();
    for path in &options.files {
        records.extend(Archive::read(path, "blokus")?);
    }
    let plies = records.iter().flat_map(|record| &record.plies);
    let all = plies.filter(|ply| ply.is_lesson).count() as u64;
    let step = all.div_ceil(options.positions).max(1);
    let (mut sums, mut moves, mut number) = (Sums::default(), Vec::new(), 0);
    let bar = ProgressBar::new(records.len() as u64);
    for record in &records {
        let mut scene = Scene::new();
        for ply in &record.plies {
            let mv = Placement::new(ply.mv).ok_or("a game with a move that there is not")?;
            if ply.is_lesson {
                if number % step == 0 {
                    scene.board().legal_moves(&mut moves);
                    sums.add(&mut networks, &scene, &moves)?;
                }
                number += 1;
            }
            scene.play_unchecked(mv);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if sums.positions < 1.0 {
        return Err("no position in these files has a choice".into());
    }
    let mean = |sum: f64| sum / sums.positions;
    if options.json {
        let result = json!({
            "models": [options.model_a, options.model_b],
            "positions": sums.positions,
            "top_move_agreement": mean(sums.agreed),
            "policy_divergence": mean(sums.divergence),
            "value_mean_difference": mean(sums.difference),
            "value_rms_difference": mean(sums.squares).sqrt(),
            "value_largest_difference": sums.most,
        });
        println!("{result}");
    } else {
        println!(
            "{} positions: the likeliest move is the same in {:.2} %; divergence of the policies {:.5} nats; value of the \
             seat to move {:.5} apart on average, {:.5} rms, {:.5} at most",
            sums.positions,
            100.0 * mean(sums.agreed),
            mean(sums.divergence),
            mean(sums.difference),
            mean(sums.squares).sqrt(),
            sums.most,
        );
    }
    Ok(())
}

#[derive(Args)]
pub(crate) struct TrainOptions {
    /// File to write, for `best:judge=FILE`.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Files of games, as taikyoku-lab selfplay teach writes them.
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,
    /// Passes over the positions.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Positions in a step.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Learning rate at the beginning; it falls to a twentieth of that.
    #[arg(long, value_name = "RATE", default_value_t = 0.004, value_parser = crate::learning::rate)]
    rate: f32,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// One of so many games is held out.
const HELD_OUT: usize = 20;

/// What `add` takes from all games of these files but those that are held out, and from these.
fn lessons_of<T>(
    files: &[PathBuf],
    add: impl Fn(&Record, &mut Vec<T>) -> Result<(), String>,
) -> Result<(Vec<T>, Vec<T>), Failure> {
    let (mut lessons, mut held_out) = (Vec::new(), Vec::new());
    let mut games = 0;
    for path in files {
        for record in Archive::read(path, "blokus")? {
            let to = if games % HELD_OUT == 0 {
                &mut held_out
            } else {
                &mut lessons
            };
            add(&record, to).map_err(|error| format!("{}: {error}", path.display()))?;
            games += 1;
        }
    }
    if lessons.is_empty() {
        return Err("there are no positions to learn from in these files".into());
    }
    println!("{games} games, {} positions", lessons.len());
    Ok((lessons, held_out))
}

/// Shows the progress of a training, which tells its steps done, all steps and the recent loss.
fn show_progress(train: impl FnOnce(&mut dyn FnMut(u64, u64, f64))) {
    let bar = ProgressBar::new(0);
    train(&mut |done, steps, loss| {
        bar.set_length(steps);
        bar.set_position(done);
        bar.set_message(format!("{loss:.4}"));
    });
    bar.finish_and_clear();
}

/// Learns the judge from what the searches of games made of their moves, and writes it.
pub(crate) fn train(options: &TrainOptions) -> Result<(), Failure> {
    let out = Learned::begin(&options.out)?;
    let (mut searches, held_out) = lessons_of(&options.files, Searched::of_game)?;
    let mut learner = Imitation::new(Passes {
        passes: options.passes,
        batch: options.batch as usize,
        rate: options.rate,
        seed: options.seed,
    });
    show_progress(|progress| learner.train(&mut searches, progress));
    let bytes = learner.to_bytes();
    out.write(&bytes)?;
    println!("plies   held out  cross-entropy  entropy  likeliest move the most visited");
    let guesses = Guess::of(&Judge::from_bytes(&bytes)?, &held_out);
    for (stretch, guess) in guesses.iter().enumerate() {
        println!(
            "{:>3}-{:<3} {:>8}  {:>13.4}  {:>7.4}  {:.3}",
            12 * stretch,
            12 * stretch + 11,
            guess.positions,
            guess.loss,
            guess.entropy,
            guess.hits,
        );
    }
    Ok(())
}

#[derive(Args)]
pub(crate) struct EvaluationOptions {
    /// File to write, for `best:evaluation=FILE`.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Files of games, as taikyoku-lab selfplay teach writes them.
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,
    /// Passes over the positions.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Positions in a step.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Learning rate at the beginning; it falls to a twentieth of that.
    #[arg(long, value_name = "RATE", default_value_t = 0.001, value_parser = crate::learning::rate)]
    rate: f32,
    /// Playouts from each held-out position, whose mean is compared with the network.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    playouts: u32,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// Learns the evaluation from games and writes it.
pub(crate) fn train_evaluation(options: &EvaluationOptions) -> Result<(), Failure> {
    let out = Learned::begin(&options.out)?;
    let (mut lessons, held_out) = lessons_of(&options.files, Lesson::of)?;
    let mut trainer = Trainer::new(Passes {
        passes: options.passes,
        batch: options.batch as usize,
        rate: options.rate,
        seed: options.seed,
    });
    show_progress(|progress| trainer.train(&mut lessons, progress));
    let bytes = trainer.to_bytes();
    out.write(&bytes)?;
    println!(
        "plies   held out  cross-entropy  squared error of the network, of {} playouts, of quarters",
        options.playouts
    );
    for (stretch, fit) in Fit::of(&bytes, &held_out, options.playouts, options.seed)?
        .iter()
        .enumerate()
    {
        println!(
            "{:>3}-{:<3} {:>8}  {:>13.4}  {:.4} {:.4} {:.4}",
            12 * stretch,
            12 * stretch + 11,
            fit.positions,
            fit.loss,
            fit.network,
            fit.playouts,
            fit.quarters,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_likeliest_moves_counts() {
        let shares = policy(&[1.0, 3.0, 3.0, -100.0]);
        assert_eq!(likeliest(&shares), Some(1));
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(likeliest(&[]), None);
    }
}
