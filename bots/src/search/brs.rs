//! Best-reply search: between two moves of the seat that searches only one opponent moves, the one whose move
//! is worst for it; the others are passed over.
//!
//! Source: M. P. D. Schadd and M. H. M. Winands, "Best reply search for multiplayer games", IEEE Transactions
//! on Computational Intelligence and AI in Games 3 (2011) 57-66. Its value is the evaluation of the seat that
//! searches. Where that seat is out of the game, any of the others moves at each ply.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::alpha_beta::{AlphaBeta, Opponents};
use super::depth_first::Found;
use super::{Budget, Evaluated};

#[derive(Debug)]
struct Turns;

impl Opponents for Turns {
    const MERGED: bool = true;
}

/// The search, whose memory is used again from move to move.
#[derive(Debug)]
pub struct Brs<G: Evaluated>(AlphaBeta<G, Turns>);

impl<G: Evaluated> Default for Brs<G> {
    fn default() -> Self {
        Self(AlphaBeta::default())
    }
}

impl<G: Evaluated> Brs<G> {
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
