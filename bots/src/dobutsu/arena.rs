//! Games between engines inside one process.

use std::time::Instant;

use games::dobutsu::{Dobutsu, Move, Position, Rules};
use games::{Game as _, Seat};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Engine;
use super::engine::random_move;
use crate::search::{PlayedGame, Usage};

/// Plies after which a game of a match inside one process is a draw, for pairs of engines that avoid repetitions
/// for ever.
pub const PLY_LIMIT: u32 = 1000;

impl PlayedGame<Dobutsu, 2> {
    pub fn winner(&self) -> Option<u8> {
        let outcome = self.end.outcome()?;
        (0..2).find(|&seat| outcome.points[Seat::new(seat)] > 0.75)
    }
}

/// The position after `plies` uniformly random moves from the start that end nothing and leave nothing to catch; the
/// moves depend on the seed alone.
///
/// # Panics
/// When the rules refuse a move that they list.
pub fn opening(plies: u32, seed: u64) -> Dobutsu {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let rules = Rules {
        ply_limit: PLY_LIMIT,
        ..Rules::default()
    };
    'again: loop {
        let mut position = Position::START;
        let mut game = Dobutsu::begin(&rules, 0);
        for _ in 0..plies {
            let Some(mv) = random_move(&position, &mut rng) else {
                continue 'again;
            };
            position.play_unchecked(mv);
            game.play(mv).expect("a random move is legal");
        }
        let is_open = position.end().is_none() && !position.board().can_catch();
        if is_open && game.to_move().is_some() {
            return game;
        }
    }
}

/// Plays a game to its end between the engines of seats 0 and 1.
///
/// # Errors
/// The seat that chose an illegal move, and the move.
pub fn play_game(
    [first, second]: [&mut dyn Engine; 2],
    start: Dobutsu,
) -> Result<PlayedGame<Dobutsu, 2>, (u8, Move)> {
    let mut game = PlayedGame {
        end: start,
        usage: [Usage::default(); 2],
    };
    while let Some(seat) = game.end.to_move() {
        let begin = Instant::now();
        let engine: &mut dyn Engine = if seat.index() == 0 { first } else { second };
        let mv = engine.choose(&game.end, None);
        game.usage[seat.index()].add_move(begin.elapsed(), engine.explain().as_ref());
        game.end.play(mv).map_err(|_| (seat.index() as u8, mv))?;
    }
    Ok(game)
}
