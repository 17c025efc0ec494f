//! `best` as an engine.

use std::time::{Duration, Instant};

use games::score_four::{Peg, Position};
use serde_json::{Value, json};

use super::Solver;
use super::network::Network;
use super::search::{AlphaBeta, Found, Limits, WON};
use crate::score_four::Engine;
use crate::search::Budget;

/// Pairs of positions in each of the two tables, as a power of 2: 32 bytes each.
const TABLE_BITS: u32 = 20;
/// Nodes of the solver in a second, roughly.
const NODES_A_SECOND: f64 = 4e6;
/// Fewest nodes with which a position with 32 empty squares goes to the solver.
const CHANCE: f64 = 60_000.0;
/// Plies searched before that, for the order of moves and for short wins.
const SURVEY: u32 = 10;

/// Alpha-beta with iterative deepening; the budget's playouts are nodes.
pub struct BestEngine {
    search: AlphaBeta,
    solver: Solver,
    budget: Budget,
    /// Nodes of the last move.
    nodes: u64,
    last: Option<Value>,
}

impl BestEngine {
    /// With what it may use for each move. It has no need of a seed: a budget in nodes gives the same move.
    pub fn new(budget: Budget) -> Self {
        Self {
            search: AlphaBeta::new(Network::built_in(), TABLE_BITS),
            solver: Solver::new(TABLE_BITS),
            budget,
            nodes: 0,
            last: None,
        }
    }

    /// The square to play and what was found; `None` when the game is over.
    fn think(&mut self, position: &Position, budget: Budget) -> Option<(Found, Option<i32>)> {
        let begin = Instant::now();
        // What may be used up by the end of a stage.
        let limits = |share: f64, used: u64| Limits {
            nodes: ((budget.playouts as f64 * share) as u64).saturating_sub(used),
            until: budget
                .time
                .and_then(|time| begin.checked_add(time.mul_f64(share))),
        };
        self.nodes = 0;
        if self.budget.time.is_none() {
            // Told to count nodes: the move must not depend on the moves before, whatever the clock is.
            self.search.forget();
            self.solver.forget();
        }
        let (mut value, mut worse) = (None, 0);
        if may_be_solved(64 - u32::from(position.ply()), budget) {
            self.search.begin(limits(0.1, 0));
            let survey = self.search.deepen(position, SURVEY)?;
            self.nodes += self.search.nodes;
            if survey.best.score.abs() > WON || survey.only {
                return Some((survey, None));
            }
            let expected = (survey.best.ball, survey.best.score);
            let Limits { nodes, until } = limits(0.6, self.nodes);
            let solution = self.solver.best_move(position, expected, (nodes, until));
            self.nodes += self.solver.nodes();
            match solution {
                Ok((ball, solved)) if solved >= 0 => {
                    let mut found = survey;
                    found.best.ball = ball;
                    return Some((found, Some(solved)));
                }
                Ok((_, solved)) => value = Some(solved),
                Err(known) => worse = known,
            }
        }
        // A lost position is searched for the longest defence.
        self.search.begin(limits(0.97, self.nodes));
        let found = self.search.deepen_without(position, 64, worse)?;
        self.nodes += self.search.nodes;
        Some((found, value))
    }
}

/// Whether the solver has a chance within a budget: positions of balanced games with 32 empty squares take it 140,000 nodes
/// in the median, and each more square doubles that.
fn may_be_solved(empty: u32, budget: Budget) -> bool {
    let in_time = budget
        .time
        .map_or(f64::MAX, |time| time.as_secs_f64() * NODES_A_SECOND);
    let nodes = in_time.min(budget.playouts as f64);
    f64::from(empty) <= 32.0 + (nodes / CHANCE).max(f64::MIN_POSITIVE).log2()
}

impl Engine for BestEngine {
    fn choose(&mut self, position: &Position, limit: Option<Duration>) -> Peg {
        let Some((found, value)) = self.think(position, self.budget.within(limit)) else {
            return Peg::ALL[0];
        };
        let peg = Peg::under(found.best.ball.trailing_zeros());
        self.last = Some(json!({
            "engine": "best",
            "peg": peg.to_string(),
            "score": found.best.score,
            "depth": found.depth,
            "nodes": self.nodes,
            "solved": value,
        }));
        peg
    }

    fn explain(&self) -> Option<Value> {
        self.last.clone()
    }
}
