//! How long moves take.

use clap::Args;
use taikyoku_bots::blokus::EngineOptions;
use taikyoku_bots::blokus::arena::{opening, play_game};
use taikyoku_bots::blokus::gtp::cpu_time;

use super::contest::build;
use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// The engine: NAME[:option=value]...
    engine: EngineOptions,
    /// Games.
    #[arg(long, default_value_t = 10)]
    games: u64,
    /// Uniformly random first plies.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=40))]
    random_plies: u32,
    /// Seed of the first game.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let (mut moves, mut seconds, mut work, mut longest) = (0_u32, 0.0, 0_u64, 0.0_f64);
    let begin = cpu_time();
    for game in 0..options.games {
        let seed = options.seed.wrapping_add(game);
        let game = play_game(
            &mut build(|_| &options.engine, seed)?,
            opening(options.random_plies, seed),
        )
        .map_err(|(colour, error)| format!("{colour} chose an illegal move: {error}"))?;
        for usage in &game.usage {
            moves += usage.moves;
            seconds += usage.time.as_secs_f64();
            work += usage.work;
            longest = longest.max(usage.longest.as_secs_f64());
        }
    }
    let n = f64::from(moves.max(1));
    let on_processor = cpu_time().saturating_sub(begin).as_secs_f64();
    println!(
        "{:.2} ms a move on average over {moves} moves, at most {:.2}, {:.2} of processor time; {:.0} playouts or \
         nodes a move, {:.0} a second of processor time",
        seconds * 1000.0 / n,
        longest * 1000.0,
        on_processor * 1000.0 / n,
        work as f64 / n,
        work as f64 / on_processor.max(1e-9),
    );
    Ok(())
}
