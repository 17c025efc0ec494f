//! Games between engines inside one process.

use std::time::{Duration, Instant};

use games::score_four::{Peg, Position};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Engine;
use super::random::random_peg;

/// A finished game.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    /// The position at its end.
    pub end: Position,
    /// Time that seats 0 and 1 used.
    pub time: [Duration; 2],
    /// The longest that seats 0 and 1 took for one move.
    pub longest: [Duration; 2],
    /// Moves that seats 0 and 1 chose.
    pub moves: [u32; 2],
}

impl Game {
    /// 1 for a win of `seat`, 0.5 for a draw, 0 for a loss.
    pub fn points(&self, seat: u8) -> f64 {
        match self.end.end().and_then(|end| end.winner) {
            Some(winner) => f64::from(u8::from(winner == seat)),
            None => 0.5,
        }
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
        time: [Duration::ZERO; 2],
        longest: [Duration::ZERO; 2],
        moves: [0; 2],
    };
    while let Some(seat) = game.end.to_move() {
        let at = usize::from(seat);
        let begin = Instant::now();
        let peg = if seat == 0 {
            first.choose(&game.end, None)
        } else {
            second.choose(&game.end, None)
        };
        let time = begin.elapsed();
        game.time[at] += time;
        game.longest[at] = game.longest[at].max(time);
        game.moves[at] += 1;
        game.end.play(peg).map_err(|_| (seat, peg))?;
    }
    Ok(game)
}
