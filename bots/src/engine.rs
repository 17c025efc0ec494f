//! What an engine of an open game is, a search behind a name, and games between engines inside one process.

use std::cmp::Reverse;
use std::fmt::Display;
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::search::Usage;

/// Number of moves that the reasons list, the most visited first.
const TOLD: usize = 8;

/// A position of a game in which every seat sees all of it.
pub trait OpenPosition: Clone {
    type Move: Copy + Display;

    /// The position before the first move.
    fn beginning() -> Self;

    /// The number of the seat to move; `None` when the game is over.
    fn seat(&self) -> Option<usize>;

    /// Clears `out` and fills it with the legal moves, always in the same order.
    fn list_moves(&self, out: &mut Vec<Self::Move>);

    /// Makes a move. One that is illegal changes nothing: `false`.
    fn try_move(&mut self, mv: Self::Move) -> bool;

    /// A legal move, each with the same chance; `None` when the game is over.
    fn random_move(&self, rng: &mut Xoshiro256PlusPlus) -> Option<Self::Move> {
        let mut moves = Vec::new();
        self.list_moves(&mut moves);
        let n = rng.random_range(0..moves.len().max(1));
        moves.get(n).copied()
    }

    /// The position after `plies` uniformly random moves, as far as the game goes; the moves depend on the seed alone.
    fn random_opening(plies: u32, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut position = Self::beginning();
        for _ in 0..plies {
            let Some(mv) = position.random_move(&mut rng) else {
                break;
            };
            position.try_move(mv);
        }
        position
    }
}

/// An engine of an open game, for any of its seats.
pub trait Engine<P: OpenPosition>: Send {
    /// A move for the seat to move in a game that is not over. The engine keeps to its own budget and, where one is given,
    /// to `limit`, whichever is less; it may overrun by a few milliseconds. The caller checks the move.
    fn choose(&mut self, position: &P, limit: Option<Duration>) -> P::Move;

    /// A new game begins: what was kept of the last one is forgotten.
    fn new_game(&mut self) {}

    /// The reasons for the last choice, for the `--json` log.
    fn explain(&self) -> Option<Value> {
        None
    }

    /// The moves of the last choice that were looked at, each with its value for the seat that chose, 0 (lost) to 1 (won),
    /// and its visits. Empty for engines that do not tell.
    fn values(&self) -> Vec<(P::Move, f64, u64)> {
        Vec::new()
    }

    /// The reasons for the last choice, with its most visited moves.
    fn reasons(&self) -> Option<Value> {
        let mut reasons = self.explain()?;
        let mut tried = self.values();
        if tried.len() > 1 {
            tried.sort_by_key(|&(_, _, visits)| Reverse(visits));
            let told = tried.iter().take(TOLD).map(|(mv, value, visits)| {
                json!({ "move": mv.to_string(), "visits": visits, "value": value })
            });
            reasons["moves"] = told.collect();
        }
        Some(reasons)
    }
}

/// The engine `random` of every game.
pub(crate) struct RandomEngine {
    pub(crate) rng: Xoshiro256PlusPlus,
}

impl RandomEngine {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }
}

impl<P: OpenPosition> Engine<P> for RandomEngine {
    fn choose(&mut self, position: &P, _limit: Option<Duration>) -> P::Move {
        let mv = position.random_move(&mut self.rng);
        mv.expect("the game is not over")
    }
}

/// A game that engines have played inside one process.
#[derive(Clone, Copy, Debug)]
pub struct PlayedGame<P, const SEATS: usize> {
    pub end: P,
    pub usage: [Usage; SEATS],
}

/// Plays a game to its end; `engines[k]` has seat k. Each is told of a new game first.
///
/// # Errors
/// The seat that chose an illegal move, and the move.
pub fn play_game<P: OpenPosition, E: Engine<P> + ?Sized, const SEATS: usize>(
    engines: &mut [Box<E>; SEATS],
    start: P,
) -> Result<PlayedGame<P, SEATS>, (usize, P::Move)> {
    let mut game = PlayedGame {
        end: start,
        usage: [Usage::default(); SEATS],
    };
    for engine in &mut *engines {
        engine.new_game();
    }
    while let Some(seat) = game.end.seat() {
        let begin = Instant::now();
        let mv = engines[seat].choose(&game.end, None);
        game.usage[seat].add_move(begin.elapsed(), engines[seat].explain().as_ref());
        if !game.end.try_move(mv) {
            return Err((seat, mv));
        }
    }
    Ok(game)
}
