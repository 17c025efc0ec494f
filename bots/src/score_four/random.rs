//! Random moves.

use std::time::Duration;

use games::score_four::{Peg, Position};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Engine;

/// Uniformly random legal moves.
pub struct RandomEngine {
    rng: Xoshiro256PlusPlus,
}

impl RandomEngine {
    /// With its seed.
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }
}

impl Engine for RandomEngine {
    fn choose(&mut self, position: &Position, _limit: Option<Duration>) -> Peg {
        random_peg(position, &mut self.rng).unwrap_or(Peg::ALL[0])
    }
}

/// A legal peg, each with the same chance; `None` when the game is over.
pub(super) fn random_peg(position: &Position, rng: &mut Xoshiro256PlusPlus) -> Option<Peg> {
    let mut pegs = position.legal_pegs();
    let n = rng.random_range(0..pegs.len().max(1));
    pegs.nth(n)
}
