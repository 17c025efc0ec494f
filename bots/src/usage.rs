//! What engines use in a game.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a seat used in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Moves that it chose.
    pub moves: u32,
    /// Time of all its moves.
    pub time: Duration,
    /// Time of its slowest move.
    pub longest: Duration,
    /// Playouts, simulations, or nodes of a depth-first search, as far as the engine tells.
    pub work: u64,
    /// Sum of the depths of its searches, in plies.
    pub depth: f64,
}

impl Usage {
    /// Adds a move, and what the engine tells of its search.
    pub fn add_move(&mut self, time: Duration, reasons: Option<&Value>) {
        self.moves += 1;
        self.time += time;
        self.longest = self.longest.max(time);
        if let Some(reasons) = reasons {
            let number = |key: &str| reasons.get(key).and_then(Value::as_f64);
            let work = ["playouts", "simulations", "nodes"]
                .into_iter()
                .find_map(number);
            self.work += work.unwrap_or(0.0) as u64;
            self.depth += number("depth").unwrap_or(0.0);
        }
    }

    /// Adds what another seat used.
    pub fn add(&mut self, other: &Usage) {
        self.moves += other.moves;
        self.time += other.time;
        self.longest = self.longest.max(other.longest);
        self.work += other.work;
        self.depth += other.depth;
    }
}
