//! `best` as an engine, and the exact value of positions near the end.

use std::time::{Duration, Instant};

use games::score_four::{Peg, Position};
use serde_json::{Value, json};

use super::evaluation::Weights;
use super::search::{AlphaBeta, Found, Limits, WON, until};
use crate::score_four::Engine;
use crate::search::Budget;

/// Pairs of positions in the table, as a power of 2: 32 bytes each.
const TABLE_BITS: u32 = 20;
/// Empty squares from which on the game is searched to its end before anything else.
const SOLVED_FROM: u8 = 36;
/// Plies searched before that, for the order of moves and for short wins.
const SURVEY: u32 = 8;

/// Alpha-beta with iterative deepening; the budget's playouts are nodes.
pub struct BestEngine {
    search: AlphaBeta,
    budget: Budget,
    /// Nodes of the last move.
    nodes: u64,
    last: Option<Value>,
}

impl BestEngine {
    /// With what it may use for each move. It has no need of a seed: a budget in nodes gives the same move.
    pub fn new(budget: Budget) -> Self {
        Self {
            search: AlphaBeta::new(Weights::built_in(), TABLE_BITS),
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
        }
        let mut value = None;
        if 64 - position.ply() <= SOLVED_FROM {
            self.search.begin(limits(0.2, 0));
            let survey = self.search.deepen(position, SURVEY)?;
            self.nodes += self.search.nodes;
            if survey.best.score.abs() > WON || survey.depth == 0 {
                return Some((survey, None));
            }
            self.search.begin(limits(0.6, self.nodes));
            let solution = self.search.solved_move(position, survey.best.ball);
            self.nodes += self.search.nodes;
            if let Some((ball, solved)) = solution {
                value = Some(solved);
                if solved >= 0 {
                    let mut found = survey;
                    found.best.ball = ball;
                    return Some((found, value));
                }
            }
        }
        // A lost position is searched for the longest defence.
        self.search.begin(limits(0.97, self.nodes));
        let found = self.search.deepen(position, 64)?;
        self.nodes += self.search.nodes;
        Some((found, value))
    }
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

/// Searches positions to the end of the game: alpha-beta without any pruning that is not exact, with a
/// transposition table that is kept from position to position.
pub struct Solver {
    search: AlphaBeta,
    nodes: u64,
}

impl Solver {
    /// With a table of `2^bits` pairs of positions, 32 bytes each.
    pub fn new(bits: u32) -> Self {
        Self {
            search: AlphaBeta::new(Weights::built_in(), bits),
            nodes: u64::MAX,
        }
    }

    /// One that searches so many nodes of a position at most.
    #[must_use]
    pub fn with_nodes(self, nodes: u64) -> Self {
        Self { nodes, ..self }
    }

    /// The value for the seat to move with best play of both: 1 for a win, 0 for a draw, -1 for a loss. For a
    /// finished game, how it ended for that seat. `None` when the time or the nodes were over first.
    pub fn value(&mut self, position: &Position, limit: Option<Duration>) -> Option<i32> {
        if let Some(end) = position.end() {
            return Some(if end.winner.is_some() { -1 } else { 0 });
        }
        self.search.begin(Limits {
            nodes: self.nodes,
            until: until(limit),
        });
        self.search.solve(position)
    }

    /// The value that a legal move leaves its player, 1, 0 or -1; `None` when the time was over first.
    pub fn value_of(
        &mut self,
        position: &Position,
        peg: Peg,
        limit: Option<Duration>,
    ) -> Option<i32> {
        let mut next = *position;
        next.play_unchecked(peg);
        self.value(&next, limit).map(|value| -value)
    }

    /// Nodes of the last search.
    pub fn nodes(&self) -> u64 {
        self.search.nodes
    }
}
