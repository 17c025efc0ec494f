//! What an engine is, a search behind a name, and the engines that do not search.

use std::cmp::Reverse;
use std::time::Duration;

use games::blokus::{Board, Placement};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::random::RandomEngine;

/// Number of moves that the reasons list, the most visited first.
const TOLD: usize = 8;

pub trait Engine: Send {
    /// A move for the colour to move on a board whose game is not over. The engine keeps to its own budget
    /// and, where one is given, to `limit`, whichever is less; it may overrun by a few milliseconds.
    /// The caller checks the move.
    fn choose(&mut self, board: &Board, limit: Option<Duration>) -> Placement;

    /// A new game begins: what was kept of the last one is forgotten.
    fn new_game(&mut self) {}

    /// The reasons for the last choice, for the `--json` log.
    fn explain(&self) -> Option<Value> {
        None
    }

    /// The moves of the last choice that were looked at, each with its value for the seat that chose, 0
    /// (lost) to 1 (won), and its visits. Empty for engines that do not search.
    fn values(&self) -> Vec<(Placement, f64, u64)> {
        Vec::new()
    }

    /// The reasons for the last choice, with its most visited moves.
    fn reasons(&self) -> Option<Value> {
        let mut reasons = self.explain()?;
        let mut tried = self.values();
        if tried.len() > 1 {
            tried.sort_by_key(|&(_, _, visits)| Reverse(visits));
            let told = tried.iter().take(TOLD).map(|(placement, value, visits)| {
                json!({ "move": placement.to_string(), "visits": visits, "value": value })
            });
            reasons["moves"] = told.collect();
        }
        Some(reasons)
    }
}

impl Engine for RandomEngine {
    fn choose(&mut self, board: &Board, _limit: Option<Duration>) -> Placement {
        let mut moves = Vec::new();
        board.legal_moves(&mut moves);
        any(&moves, &mut self.rng)
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
