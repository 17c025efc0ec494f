//! Which games a league plays, and in which order: a function of the plan, its seed and, where pairings depend on
//! results, of the results so far.
//!
//! A matchup is a choice of entrants for the seats. It plays deals; a deal is played once for each rotation of
//! the seats, so that whatever it gives to a seat, every entrant gets. The circular order of the entrants is drawn
//! anew for each deal. Deals go round: each matchup plays its first deal before any plays its second, so that a league
//! that is stopped is a smaller league.

mod key;
mod matchup;
mod swiss;
#[cfg(test)]
mod tests;

use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

pub use key::{Key, KeyError};
pub use matchup::{Format, count, matchups};
pub use swiss::{Pairing, pairings};

/// A game, or a session of games with ranks that are carried over, that is to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its key in the journal.
    pub key: Key,
    /// The entrant in each seat.
    pub seats: Vec<usize>,
    /// Seed of the deal or opening: the same for all rotations. No entrant is ever told.
    pub deal: u64,
}

/// What is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Entrants.
    pub entrants: usize,
    /// Seats of the game, 2 to 5.
    pub seats: usize,
    /// Deals of each matchup.
    pub deals: u32,
    /// Whether each deal is played once per rotation of the seats; if not, each game has a deal of its own.
    pub duplicate: bool,
    /// The one seed.
    pub seed: u64,
}

impl Plan {
    /// Games of one deal, or of one block of fresh deals.
    pub fn rotations(&self) -> u8 {
        self.seats as u8
    }

    /// The games of one deal of a matchup: a block of the statistics.
    pub fn block(&self, matchup: u32, seated: &[usize], deal: u32) -> Vec<Fixture> {
        let stream = u64::from(matchup) << 32 | u64::from(deal);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        // Neighbouring seeds and numbers must not have related streams.
        let salt = rng.next_u64();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(salt ^ mix(stream));
        let mut order = seated.to_vec();
        order.shuffle(&mut rng);
        let mut seed = rng.next_u64();
        let fixture = |rotation: u8| {
            if rotation > 0 {
                if self.duplicate {
                    order.rotate_left(1);
                } else {
                    order.shuffle(&mut rng);
                    seed = rng.next_u64();
                }
            }
            Fixture {
                key: Key {
                    matchup,
                    deal,
                    rotation,
                },
                seats: order.clone(),
                deal: seed,
            }
        };
        (0..self.rotations()).map(fixture).collect()
    }

    /// All games of these matchups, in order.
    pub fn fixtures<'a>(
        &'a self,
        matchups: &'a [Vec<usize>],
    ) -> impl Iterator<Item = Fixture> + 'a {
        (0..self.deals).flat_map(move |deal| {
            (0..)
                .zip(matchups)
                .flat_map(move |(number, seated)| self.block(number, seated, deal))
        })
    }
}

/// The finalizer of `SplitMix64` (Steele, Lea and Flood 2014).
const fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}
