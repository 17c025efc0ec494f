//! Random moves.

use std::time::Duration;

use games::blokus::{Board, Placement};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Engine;

/// Uniformly random legal moves.
pub struct RandomEngine {
    rng: Xoshiro256PlusPlus,
    moves: Vec<Placement>,
}

impl RandomEngine {
    /// With its seed.
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            moves: Vec::new(),
        }
    }
}

impl Engine for RandomEngine {
    fn choose(&mut self, board: &Board, _limit: Option<Duration>) -> Placement {
        board.legal_moves(&mut self.moves);
        any(&self.moves, &mut self.rng)
    }
}

/// What an engine answers where there is nothing to choose.
pub(super) const NONE: Placement = Placement::new(0).unwrap();

/// One of the moves, each with the same chance; [`NONE`] of none.
pub(super) fn any(moves: &[Placement], rng: &mut Xoshiro256PlusPlus) -> Placement {
    let n = rng.random_range(0..moves.len().max(1));
    moves.get(n).copied().unwrap_or(NONE)
}

/// The moves of the largest piece size. Moves come in the order of their indices, which is by size.
pub(super) fn largest(moves: &[Placement]) -> &[Placement] {
    let size = moves.last().map_or(0, |mv| mv.size());
    &moves[moves.partition_point(|mv| mv.size() < size)..]
}
