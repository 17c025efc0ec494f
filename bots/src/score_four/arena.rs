//! Games between engines inside one process.

use std::time::Instant;

use games::GameName;
use games::score_four::{Peg, Position};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::engine::random_peg;
use super::{Engine, EngineOptions};
use crate::arena::{self, Failure, Played, Usage};

/// A finished game.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    /// The position at its end.
    pub end: Position,
    /// By seat.
    pub usage: [Usage; 2],
}

impl Game {
    /// The seat that won.
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
) -> Result<Game, (u8, Peg)> {
    let mut game = Game {
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

/// A match of score four. A block is two games from one opening, the seats exchanged.
#[derive(Clone, Copy, Debug)]
pub struct Contest {
    /// The entrants.
    pub entrants: [EngineOptions; 2],
    /// Uniformly random first plies, 0 to 6.
    pub random_plies: u32,
    /// Seed of the first block.
    pub seed: u64,
}

impl arena::Contest for Contest {
    fn game(&self) -> GameName {
        GameName::ScoreFour
    }

    fn unit(&self) -> &'static str {
        "game"
    }

    fn sittings(&self) -> u64 {
        2
    }

    fn play(&self, block: u64, sitting: u64) -> Result<Vec<Played>, Failure> {
        let block = self.seed.wrapping_add(block);
        let seed = block.wrapping_mul(4).wrapping_add(2 * sitting);
        let mut a = self.entrants[0].build(seed);
        let mut b = self.entrants[1].build(seed.wrapping_add(1));
        let mut seats: [&mut dyn Engine; 2] = [&mut *a, &mut *b];
        let mut entrants = [0, 1];
        if sitting == 1 {
            seats.swap(0, 1);
            entrants.swap(0, 1);
        }
        let game = play_game(seats, opening(self.random_plies, block))
            .map_err(|(seat, mv)| format!("seat {seat} chose {mv}, an illegal move"))?;
        let plies = u32::from(game.end.ply());
        Ok(vec![
            Played::of_two(entrants, game.winner(), plies, game.usage).ending(&game.end),
        ])
    }
}
