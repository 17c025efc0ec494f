//! The exact value of positions near the end.

use std::time::Duration;

use games::score_four::{Peg, Position};

use super::evaluation::Weights;
use super::search::{AlphaBeta, Limits, until};

/// Searches positions to the end of the game: alpha-beta without any pruning that is not exact, with a
/// transposition table that is kept from position to position.
pub struct Solver {
    search: AlphaBeta,
}

impl Solver {
    /// With a table of `2^bits` pairs of positions, 32 bytes each.
    pub fn new(bits: u32) -> Self {
        Self {
            search: AlphaBeta::new(Weights::built_in(), bits),
        }
    }

    /// The value for the seat to move with best play of both: 1 for a win, 0 for a draw, -1 for a loss. For a
    /// finished game, how it ended for that seat. `None` when the time was over first.
    pub fn value(&mut self, position: &Position, limit: Option<Duration>) -> Option<i32> {
        if let Some(end) = position.end() {
            return Some(if end.winner.is_some() { -1 } else { 0 });
        }
        self.search.begin(Limits {
            nodes: u64::MAX,
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
