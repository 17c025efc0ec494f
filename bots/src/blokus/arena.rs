//! Games between engines inside one process.

use std::time::Instant;

use games::blokus::{Board, Colour, IllegalMove, Placement, SEATS};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Engine;
use super::engine::any;
use crate::search::Usage;

#[derive(Clone, Debug)]
pub struct BlokusGame {
    pub end: Board,
    /// The moves from the given start on.
    pub moves: Vec<(Colour, Placement)>,
    pub usage: [Usage; SEATS],
}

/// The board after `plies` uniformly random moves from the empty one; the moves depend on the seed alone.
pub fn opening(plies: u32, seed: u64) -> Board {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut board = Board::new();
    let mut moves = Vec::new();
    for _ in 0..plies {
        board.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        board.play_unchecked(any(&moves, &mut rng));
    }
    board
}

/// Plays one game; `engines[k]` has seat k. Each is told of a new game first.
///
/// # Errors
/// The seat that chose an illegal move, and the rule that it broke.
pub fn play_game(
    engines: &mut [Box<dyn Engine>; SEATS],
    start: Board,
) -> Result<BlokusGame, (Colour, IllegalMove)> {
    let mut game = BlokusGame {
        end: start,
        moves: Vec::new(),
        usage: [Usage::default(); SEATS],
    };
    for engine in engines.iter_mut() {
        engine.new_game();
    }
    while let Some(mover) = game.end.to_move() {
        let engine = &mut engines[mover.index()];
        let begin = Instant::now();
        let mv = engine.choose(&game.end, None);
        let time = begin.elapsed();
        game.usage[mover.index()].add_move(time, engine.explain().as_ref());
        game.end.play(mv).map_err(|error| (mover, error))?;
        game.moves.push((mover, mv));
    }
    Ok(game)
}
