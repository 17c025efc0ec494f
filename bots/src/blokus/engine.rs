//! Blokus as the engines see it, and the engine that prefers large pieces.

use std::time::Duration;

use games::blokus::{Board, Colour, Placement};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::{Engine, OpenPosition};

impl OpenPosition for Board {
    type Move = Placement;

    fn beginning() -> Self {
        Self::new()
    }

    fn seat(&self) -> Option<usize> {
        self.to_move().map(Colour::index)
    }

    fn list_moves(&self, out: &mut Vec<Placement>) {
        self.legal_moves(out);
    }

    fn try_move(&mut self, mv: Placement) -> bool {
        self.play(mv).is_ok()
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

impl Engine<Board> for GreedyEngine {
    fn choose(&mut self, board: &Board, _limit: Option<Duration>) -> Placement {
        board.legal_moves(&mut self.moves);
        if self.epsilon > 0.0 && self.rng.random_bool(self.epsilon) {
            any(&self.moves, &mut self.rng)
        } else {
            any(largest(&self.moves), &mut self.rng)
        }
    }
}
