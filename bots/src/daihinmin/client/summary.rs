//! What a match came to.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

/// A match as its player saw it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of the player, 0..5.
    pub player: u8,
    /// Games ended.
    pub games: u32,
    /// How often each place was reached; games whose place the wire did not tell are missing.
    pub places: [u32; 5],
    /// Decisions, exchanges included.
    pub decisions: u64,
    /// Time spent on decisions.
    pub time: Duration,
    /// The longest decision.
    pub longest: Duration,
    /// Answers of the engine that were not legal and were replaced.
    pub corrected: u64,
    /// Melds that the server refused.
    pub refused: u64,
    /// How often the server disagreed with the tracked game.
    pub disagreements: u64,
}

impl Summary {
    /// Points: 5, 4, 3, 2, 1 by place.
    pub fn points(&self) -> u32 {
        self.places
            .iter()
            .zip([5, 4, 3, 2, 1])
            .map(|(n, points)| n * points)
            .sum()
    }

    /// Mean milliseconds of a decision; 0 without decisions.
    pub fn mean_ms(&self) -> f64 {
        1e3 * self.time.as_secs_f64() / self.decisions.max(1) as f64
    }

    /// The summary as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "player": self.player,
            "games": self.games,
            "points": self.points(),
            "places": self.places,
            "decisions": self.decisions,
            "mean_ms": self.mean_ms(),
            "longest_ms": 1e3 * self.longest.as_secs_f64(),
            "corrected": self.corrected,
            "refused": self.refused,
            "disagreements": self.disagreements,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "player {}: {} games, {} points, places 1 to 5: {:?}; {} decisions, {:.2} ms each, {:.0} ms at most",
            self.player,
            self.games,
            self.points(),
            self.places,
            self.decisions,
            self.mean_ms(),
            1e3 * self.longest.as_secs_f64(),
        )?;
        for (n, what) in [
            (self.corrected, "illegal answers of the engine replaced"),
            (self.refused, "melds refused by the server"),
            (self.disagreements, "differences from the server taken over"),
        ] {
            if n > 0 {
                write!(f, "; {n} {what}")?;
            }
        }
        Ok(())
    }
}
