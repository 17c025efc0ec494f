//! Engines against each other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use games::blokus::{Board, SEATS, Scoring};
use taikyoku_bots::blokus::arena::{opening, play_game};
use taikyoku_bots::blokus::{Engine, EngineOptions, win_shares};

use super::assignment::{Assignment, all_present, one_against_three};
use super::report::{Outcome, Report};
use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// Two to four engines: NAME[:option=value]..., for example mcts-maxn:playouts=800 or brs:ms=100.
    ///
    /// Names: random, greedy, maxn, paranoid, brs, mcts-maxn, mcts-paranoid, mcts-brs, blokus-zero, best. Options:
    /// playouts (or nodes), ms, threads, and of some engines epsilon, exact, exploration, history. Of blokus-zero:
    /// model=FILE.onnx, simulations, ms, threads, nn=auto|ort|rten, precision=auto|fp32|int8, batch, score (share of the
    /// score in values, 0 to 1), exploration (init of PUCT), first (value of moves without visits) or below (that of the
    /// position less this), gumbel (moves that a Gumbel root considers), packing=0|1, leaf (playouts from each evaluated
    /// position) and mix (their share in its value, 0 to 1); or else lazy (visits of a position after which the
    /// network is asked about it; 0: at once; 6 on time alone) and weight (playouts that its answer counts as).
    #[arg(required = true, num_args = 2..=4)]
    pub(crate) engines: Vec<String>,
    /// Games, rounded up to whole rounds of all assignments.
    #[arg(long, default_value_t = 126)]
    games: usize,
    /// The first engine in each seat against three of the second.
    #[arg(long)]
    one_against_three: bool,
    /// Uniformly random first plies, the same in all games of a block.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=40))]
    random_plies: u32,
    /// Seed of the first block.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at the same time. Engines on time disturb each other with more than one.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// What decides: advanced or squares. Engines play for the advanced score.
    #[arg(long, default_value_t = Scoring::Advanced.name().to_owned())]
    scoring: String,
    /// Print the result so far on stderr after each so many blocks; 0 for never.
    #[arg(long, default_value_t = 10)]
    report_blocks: usize,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Means of ranks: those who share places get their mean, 1 is the best.
fn ranks(board: &Board, scoring: Scoring) -> [f64; SEATS] {
    let places = board.places(scoring);
    places.map(|place| {
        let same = |other: u8| f64::from(u8::from(other == place));
        f64::from(place) + 0.5 + places.map(same).iter().sum::<f64>() / 2.0
    })
}

/// The seed of one of `count` parts of what has a seed.
fn seed_of(whole: u64, part: usize, count: usize) -> u64 {
    whole.wrapping_mul(count as u64).wrapping_add(part as u64)
}

/// The engines of the seats.
pub(crate) fn build<'a>(
    entrant: impl Fn(usize) -> &'a EngineOptions,
    seed: u64,
) -> Result<[Box<dyn Engine>; SEATS], Failure> {
    let engine = |seat| entrant(seat).build(seed_of(seed, seat, SEATS));
    Ok([engine(0)?, engine(1)?, engine(2)?, engine(3)?])
}

fn play(
    entrants: &[EngineOptions],
    assignment: Assignment,
    scoring: Scoring,
    start: &Board,
    seed: u64,
) -> Result<Outcome, Failure> {
    let mut engines = build(|seat| &entrants[assignment[seat]], seed)?;
    let game = play_game(&mut engines, *start)
        .map_err(|(colour, error)| format!("{colour} chose an illegal move: {error}"))?;
    Ok(Outcome {
        assignment,
        shares: win_shares(&game.end, scoring),
        ranks: ranks(&game.end, scoring),
        scores: game.end.scores(scoring),
        plies: game.end.ply(),
        usage: game.usage,
    })
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let parsed: Result<Vec<EngineOptions>, _> =
        options.engines.iter().map(|text| text.parse()).collect();
    let entrants = parsed?;
    let scoring: Scoring = options.scoring.parse()?;
    let (assignments, width) = match (options.one_against_three, entrants.len()) {
        (true, 2) => (one_against_three(), SEATS),
        (true, _) => return Err("--one-against-three takes two engines".into()),
        (false, count) => (all_present(count), count),
    };
    let round = assignments.len();
    let games = options.games.max(1).next_multiple_of(round);
    let next = AtomicUsize::new(0);
    let report = Mutex::new(Report::new(options.engines.clone(), width, games));
    let failure: Mutex<Option<Failure>> = Mutex::new(None);
    let worker = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= games {
                return;
            }
            let block = options.seed.wrapping_add((number / width) as u64);
            let start = opening(options.random_plies, block);
            let seed = seed_of(block, number % width, width);
            match play(
                &entrants,
                assignments[number % round],
                scoring,
                &start,
                seed,
            ) {
                Ok(outcome) => {
                    let Ok(mut report) = report.lock() else {
                        return;
                    };
                    report.add(number, outcome);
                    eprintln!("{}", report.progress());
                    let step = options.report_blocks.saturating_mul(width);
                    let done = report.games();
                    if step > 0 && done.is_multiple_of(step) && done < games {
                        eprint!("{}", report.text());
                    }
                }
                Err(error) => {
                    next.store(games, Ordering::Relaxed);
                    if let Ok(mut failure) = failure.lock() {
                        *failure = Some(error);
                    }
                    return;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.threads.max(1) {
            scope.spawn(worker);
        }
        worker();
    });
    if let Ok(Some(error)) = failure.into_inner() {
        return Err(error);
    }
    let report = report.into_inner().map_err(|_| "a game was lost")?;
    if options.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.text());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_may_be_given() {
        assert_eq!(seed_of(5, 2, 4), 22);
        assert_eq!(seed_of(u64::MAX / 3, 2, 3), 1);
        assert_eq!(seed_of(u64::MAX, 3, 4), u64::MAX);
    }
}
