//! The biggest piece.

use std::time::Duration;

use games::blokus::{Board, Placement};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Engine;
use super::random::{any, largest};

/// A uniformly random move among those of the largest piece size that fits; with a small chance, any
/// legal move.
pub struct GreedyEngine {
    rng: Xoshiro256PlusPlus,
    epsilon: f64,
    moves: Vec<Placement>,
}

impl GreedyEngine {
    /// With the chance of a uniformly random move, in [0, 1], and a seed.
    pub fn new(epsilon: f64, seed: u64) -> Self {
        Self {
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            epsilon: epsilon.clamp(0.0, 1.0),
            moves: Vec::new(),
        }
    }
}

impl Engine for GreedyEngine {
    fn choose(&mut self, board: &Board, _limit: Option<Duration>) -> Placement {
        board.legal_moves(&mut self.moves);
        if self.epsilon > 0.0 && self.rng.random_bool(self.epsilon) {
            any(&self.moves, &mut self.rng)
        } else {
            any(largest(&self.moves), &mut self.rng)
        }
    }
}
