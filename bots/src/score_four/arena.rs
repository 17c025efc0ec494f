//! Games between engines inside one process.

use std::time::Instant;

use games::score_four::{Peg, Position};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Engine;
use super::engine::random_peg;
use crate::search::{PlayedGame, Usage};

impl PlayedGame<Position, 2> {
    pub fn winner(&self) -> Option<u8> {
        self.end.end().and_then(|end| end.winner)
    }
}

/// The position after `plies` uniformly random moves from the empty board; the moves depend on the seed
/// alone. Nobody wins in fewer than 7.
pub fn opening(plies: u32, seed: u64) -> Position {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = Position::START;
    for _ in 0..plies.min(6) {
        if let Some(peg) = random_peg(&position, &mut rng) {
            position.play_unchecked(peg);
        }
    }
    position
}

/// Plays one game between the engines of seats 0 and 1.
///
/// # Errors
/// The seat that chose an illegal move, and the move.
pub fn play_game(
    [first, second]: [&mut dyn Engine; 2],
    start: Position,
) -> Result<PlayedGame<Position, 2>, (u8, Peg)> {
    let mut game = PlayedGame {
        end: start,
        usage: [Usage::default(); 2],
    };
    while let Some(seat) = game.end.to_move() {
        let at = usize::from(seat);
        let begin = Instant::now();
        let engine: &mut dyn Engine = if seat == 0 { first } else { second };
        let peg = engine.choose(&game.end, None);
        game.usage[at].add_move(begin.elapsed(), engine.explain().as_ref());
        game.end.play(peg).map_err(|_| (seat, peg))?;
    }
    Ok(game)
}
