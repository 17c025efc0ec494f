//! Engines against each other.

use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;
use taikyoku_bots::score::Score;
use taikyoku_bots::score_four::EngineOptions;
use taikyoku_bots::score_four::arena::{opening, play_game};

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// Engine A: NAME[:option=value]..., for example best:ms=1000 or uct:playouts=50000.
    a: EngineOptions,
    /// Engine B.
    b: EngineOptions,
    /// Games, in pairs with the seats exchanged.
    #[arg(long, default_value_t = 100)]
    games: u64,
    /// Uniformly random first plies, the same in both games of a pair, 0 to 6.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=6))]
    random_plies: u32,
    /// Seed of the first pair.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let pairs = options.games.div_ceil(2);
    let bar = ProgressBar::new(2 * pairs);
    let mut total = Score::default();
    // Points of A as seat 0 and as seat 1; seconds and moves of A and B.
    let mut points = [0.0; 2];
    let (mut seconds, mut moves) = ([0.0; 2], [0_u32; 2]);
    let mut longest: [f64; 2] = [0.0; 2];
    for pair in 0..pairs {
        let block = options.seed.wrapping_add(pair);
        let start = opening(options.random_plies, block);
        let mut results = [0.0; 2];
        for seat in 0..2_usize {
            let seed = block.wrapping_mul(4).wrapping_add(2 * seat as u64);
            let mut a = options.a.build(seed);
            let mut b = options.b.build(seed.wrapping_add(1));
            let mut seats: [&mut dyn taikyoku_bots::score_four::Engine; 2] = [&mut *a, &mut *b];
            if seat == 1 {
                seats.swap(0, 1);
            }
            let game = play_game(seats, start)
                .map_err(|(s, mv)| format!("seat {s} chose {mv}, an illegal move"))?;
            results[seat] = game.points(seat as u8);
            points[seat] += results[seat];
            total.plies += u64::from(game.end.ply());
            for (player, at) in [(0, seat), (1, 1 - seat)] {
                seconds[player] += game.time[at].as_secs_f64();
                moves[player] += game.moves[at];
                longest[player] = longest[player].max(game.longest[at].as_secs_f64());
            }
            bar.inc(1);
        }
        total.add_block(&results);
    }
    bar.finish_and_clear();
    let share = |n: f64| n / pairs.max(1) as f64;
    let mean = [0, 1].map(|i| seconds[i] / f64::from(moves[i].max(1)));
    if options.json {
        println!(
            "{}",
            json!({
                "games": total.games,
                "wins": total.wins,
                "draws": total.draws,
                "losses": total.losses,
                "score": total.score(),
                "interval": total.interval(),
                "score_first": share(points[0]),
                "score_second": share(points[1]),
                "seconds_per_move": mean,
                "longest_move_seconds": longest,
                "plies": total.plies,
            })
        );
    } else {
        println!(
            "score of A {:.4} ± {:.4} ({} wins, {} draws, {} losses in {} games; first {:.3}, second {:.3}; \
             {:.4} and {:.4} s a move, at most {:.3} and {:.3})",
            total.score(),
            total.interval(),
            total.wins,
            total.draws,
            total.losses,
            total.games,
            share(points[0]),
            share(points[1]),
            mean[0],
            mean[1],
            longest[0],
            longest[1],
        );
    }
    Ok(())
}
