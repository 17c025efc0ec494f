//! What an engine is: a search behind a name.

use std::time::Duration;

use games::blokus::{Board, Placement};
use serde_json::Value;

/// A player of Blokus, for any of the four seats.
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
}
