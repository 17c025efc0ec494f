//! The search as an engine.

use std::time::Duration;

use games::dobutsu::{Dobutsu, Move};
use serde_json::{Value, json};

use super::search::AlphaBeta;
use crate::dobutsu::engine::{DobutsuEngine, Limits, Report};
use crate::engine::Engine;
use crate::search::Budget;

/// Alpha-beta with iterative deepening; the budget's playouts are nodes. It has no need of a seed.
pub struct AlphaBetaEngine {
    search: AlphaBeta,
    budget: Budget,
    last: Option<Value>,
}

impl AlphaBetaEngine {
    /// Megabytes of the transposition table where nothing else is said.
    pub const HASH: u32 = 16;

    /// With what it may use for each move, and at most so many megabytes for its transposition table.
    pub fn new(budget: Budget, hash: u32) -> Self {
        let pairs = (u64::from(hash.max(1)) << 20) / 32;
        // A node takes one entry: more room than for all nodes of a move would be emptied for nothing.
        let wanted = match budget.time {
            None => budget.playouts.min(pairs),
            Some(_) => pairs,
        };
        Self {
            search: AlphaBeta::new(wanted.min(pairs).max(1 << 8).ilog2()),
            budget,
            last: None,
        }
    }
}

impl DobutsuEngine for AlphaBetaEngine {
    fn think(
        &mut self,
        game: &Dobutsu,
        limits: &Limits,
        tell: &mut dyn FnMut(&Report<'_>),
    ) -> Move {
        let mut line = Vec::new();
        let found = self.search.deepen(game, limits, &mut |report| {
            line.clear();
            line.extend(report.line.iter().map(ToString::to_string));
            tell(report);
        });
        let mut log = found.score.log();
        log["engine"] = json!("alphabeta");
        log["move"] = json!(found.mv.to_string());
        log["depth"] = json!(found.depth);
        log["nodes"] = json!(found.nodes);
        log["line"] = json!(line);
        self.last = Some(log);
        found.mv
    }

    fn budget(&self) -> Budget {
        self.budget
    }
}

impl Engine<Dobutsu> for AlphaBetaEngine {
    fn choose(&mut self, game: &Dobutsu, limit: Option<Duration>) -> Move {
        if self.budget.time.is_none() {
            // Told to count nodes: the move must not depend on the moves before, whatever the clock is.
            self.search.forget();
        }
        self.think_within(game, limit)
    }

    fn new_game(&mut self) {
        self.search.forget();
    }

    fn explain(&self) -> Option<Value> {
        self.last.clone()
    }
}
