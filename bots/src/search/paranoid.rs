//! Paranoid: all others play against the seat that searches, which makes it a game of two sides.
//!
//! Source: N. R. Sturtevant and R. E. Korf, "On pruning techniques for multi-player games", AAAI 2000,
//! 201-207. Its value is the evaluation of the seat that searches, which the others minimise.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::alpha_beta::{AlphaBeta, Opponents};
use super::depth_first::Found;
use super::{Budget, Evaluated};

#[derive(Debug)]
struct Turns;

impl Opponents for Turns {
    const MERGED: bool = false;
}

/// The search, whose memory is used again from move to move.
#[derive(Debug)]
pub struct Paranoid<G: Evaluated>(AlphaBeta<G, Turns>);

impl<G: Evaluated> Default for Paranoid<G> {
    fn default() -> Self {
        Self(AlphaBeta::default())
    }
}

impl<G: Evaluated> Paranoid<G> {
    /// Searches at most `most` plies deep within a budget, whose playouts are nodes; `None` when the game
    /// is over.
    pub fn search(
        &mut self,
        root: &G,
        most: u32,
        budget: Budget,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Option<Found<G::Move>> {
        self.0.search(root, most, budget, rng)
    }
}
