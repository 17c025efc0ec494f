//! The engine `random` of every game.

use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

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
