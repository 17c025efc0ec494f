//! The paper's tables again.

use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use stats::wilson;
use taikyoku_bots::score_four::arena::{opening, play_game};
use taikyoku_bots::score_four::paper::{Row, Side, rows};
use taikyoku_bots::score_four::{Engine, EngineOptions};

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// Games of each row.
    #[arg(long, default_value_t = 100)]
    games: u32,
    /// Uniformly random first plies, 0 to 6; 0 as in the paper.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=6))]
    random_plies: u32,
    /// Only this table, 1 to 3.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=3))]
    table: Option<u8>,
    /// Seed of the first game of each row.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON for each row.
    #[arg(long)]
    json: bool,
}

/// What a row came to, by side of the row.
struct Result {
    games: u32,
    wins: [u32; 2],
    draws: u32,
    seconds: [f64; 2],
}

impl Result {
    /// The 95 % interval of the share of wins of a side.
    fn interval(&self, side: usize) -> [f64; 2] {
        wilson(u64::from(self.wins[side]), u64::from(self.games))
    }
}

fn play(row: &Row, options: &Options, bar: &ProgressBar) -> std::result::Result<Result, Failure> {
    let mut result = Result {
        games: options.games,
        wins: [0; 2],
        draws: 0,
        seconds: [0.0; 2],
    };
    let mut moves = [0; 2];
    for game in 0..options.games {
        let seed = options.seed.wrapping_add(u64::from(game));
        let build = |side: &Side| {
            let engine = EngineOptions {
                playouts: Some(side.playouts),
                ..EngineOptions::named(side.engine)
            };
            engine.build(seed.wrapping_mul(2).wrapping_add(u64::from(side.seat)))
        };
        let [mut a, mut b] = [build(&row.sides[0]), build(&row.sides[1])];
        let mut seats: [&mut dyn Engine; 2] = [&mut *a, &mut *b];
        if row.sides[0].seat == 1 {
            seats.swap(0, 1);
        }
        let start = opening(options.random_plies, seed);
        let game = play_game(seats, start)
            .map_err(|(s, mv)| format!("seat {s} chose {mv}, an illegal move"))?;
        let winner = game.winner();
        result.draws += u32::from(winner.is_none());
        for (i, side) in row.sides.iter().enumerate() {
            let seat = usize::from(side.seat);
            result.wins[i] += u32::from(winner == Some(side.seat));
            result.seconds[i] += game.usage[seat].time.as_secs_f64();
            moves[i] += game.usage[seat].moves;
        }
        bar.inc(1);
    }
    for (seconds, moves) in result.seconds.iter_mut().zip(moves) {
        *seconds /= f64::from(moves.max(1));
    }
    Ok(result)
}

fn side_json(side: &Side, result: &Result, i: usize) -> Value {
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

pub(crate) fn run(options: &Options) -> std::result::Result<(), Failure> {
    let rows: Vec<Row> = rows()
        .into_iter()
        .filter(|row| options.table.is_none_or(|table| table == row.table))
        .collect();
    let bar = ProgressBar::new(rows.len() as u64 * u64::from(options.games));
    if !options.json {
        println!(
            "table  A (seat 0 or 1, playouts)   B               share of A's wins, 95 %    draws  paper A:B  \
             seconds a move (paper's)"
        );
    }
    for row in &rows {
        let result = play(row, options, &bar)?;
        let [a, b] = &row.sides;
        if options.json {
            let sides = [side_json(a, &result, 0), side_json(b, &result, 1)];
            println!(
                "{}",
                json!({"table": row.table, "games": result.games, "draws": result.draws, "a": sides[0], "b": sides[1]})
            );
            continue;
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
    bar.finish_and_clear();
    Ok(())
}
