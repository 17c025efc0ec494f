//! The games against slow and obvious restatements of their rules, in one program.

mod blokus;
mod daihinmin;
mod dobutsu;
mod drawings;
mod geister;
mod perft;
mod score_four;

use rand::{Rng, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A number in 0..n.
fn below(rng: &mut impl Rng, n: usize) -> usize {
    (rng.next_u64() % n as u64) as usize
}
