//! What an engine is: a search behind a name.

use std::time::Duration;

use games::score_four::{Peg, Position};
use serde_json::Value;

/// A player of score four.
pub trait Engine: Send {
    /// A peg for the seat to move in a position that is not over. The engine keeps to its own budget and,
    /// where one is given, to `limit`, whichever is less; it may overrun by a few milliseconds. The
    /// caller checks the peg.
    fn choose(&mut self, position: &Position, limit: Option<Duration>) -> Peg;

    /// The reasons for the last choice, for the `--json` log.
    fn explain(&self) -> Option<Value> {
        None
    }
}
