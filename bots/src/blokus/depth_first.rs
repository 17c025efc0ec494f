//! The depth-first engines.

use std::time::Duration;

use games::blokus::{Board, Placement, SQUARES};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::engine::NONE;
use crate::engine::Engine;
use crate::search::alpha_beta::Brs;
use crate::search::alpha_beta::Paranoid;
use crate::search::maxn::Maxn;
use crate::search::{Budget, DepthFirstResult};

#[derive(Debug)]
pub enum Algorithm {
    Maxn(Box<Maxn<Board>>),
    Paranoid(Box<Paranoid<Board>>),
    Brs(Box<Brs<Board>>),
}

impl Algorithm {
    const fn name(&self) -> &'static str {
        match self {
            Self::Maxn(_) => "maxn",
            Self::Paranoid(_) => "paranoid",
            Self::Brs(_) => "brs",
        }
    }
}

/// Iterative deepening with squares placed as the evaluation.
pub struct DepthFirstEngine {
    algorithm: Algorithm,
    budget: Budget,
    rng: Xoshiro256PlusPlus,
    last: Option<DepthFirstResult<Placement>>,
}

impl DepthFirstEngine {
    /// With what it may use for each move, the playouts of the budget being nodes, and a seed for the choice among
    /// equal moves.
    pub fn new(algorithm: Algorithm, budget: Budget, seed: u64) -> Self {
        Self {
            algorithm,
            budget,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            last: None,
        }
    }
}

impl Engine<Board> for DepthFirstEngine {
    fn choose(&mut self, board: &Board, limit: Option<Duration>) -> Placement {
        let (budget, rng) = (self.budget.within(limit), &mut self.rng);
        self.last = match &mut self.algorithm {
            Algorithm::Maxn(search) => search.search(board, u32::MAX, budget, rng),
            Algorithm::Paranoid(search) => search.search(board, u32::MAX, budget, rng),
            Algorithm::Brs(search) => search.search(board, u32::MAX, budget, rng),
        };
        self.last.map_or(NONE, |found| found.mv)
    }

    fn explain(&self) -> Option<Value> {
        let found = self.last?;
        Some(json!({
            "engine": self.algorithm.name(),
            "nodes": found.nodes,
            "depth": found.depth,
            "exact": found.is_exact,
            "move": found.mv.to_string(),
            "squares": found.value,
        }))
    }

    /// The move chosen and the squares that the search expects, as a share of all.
    fn values(&self) -> Vec<(Placement, f64, u64)> {
        let value =
            |found: DepthFirstResult<Placement>| f64::from(found.value) / f64::from(SQUARES);
        self.last
            .map(|found| (found.mv, value(found), found.nodes))
            .into_iter()
            .collect()
    }
}
