//! What a match came to for its player.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::native::Tally;

/// What a game came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The best place, alone.
    Won,
    /// The best place, with others.
    Shared,
    /// Another place.
    Lost,
}

/// The end of a game, as the server tells it; lists go by seat.
#[derive(Clone, Copy, Debug)]
pub struct GameEnd<'a> {
    /// Places, 1 is the best; empty if the game does not count.
    pub places: &'a [u8],
    /// Points for the match.
    pub scores: &'a [f64],
    /// Points by the game's own count; empty in games that have none.
    pub game_points: &'a [i32],
}

impl GameEnd<'_> {
    /// What it is to a seat; `None` if the game does not count.
    pub fn outcome(&self, seat: u8) -> Option<Outcome> {
        let is_first = *self.places.get(usize::from(seat))? == 1;
        let is_shared = self
            .places
            .iter()
            .filter(|place| **place == 1)
            .nth(1)
            .is_some();
        Some(match (is_first, is_shared) {
            (true, false) => Outcome::Won,
            (true, true) => Outcome::Shared,
            (false, _) => Outcome::Lost,
        })
    }
}

/// The games of a match as their player saw them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary<T> {
    /// The results.
    pub tally: T,
    /// Games that do not count.
    pub void: u32,
    /// Why the match was over before its last game.
    pub reason: Option<String>,
    /// Moves chosen.
    pub decisions: u64,
    /// Time spent on them.
    pub time: Duration,
    /// The longest of them.
    pub longest: Duration,
    /// Answers of the engine that were replaced.
    pub corrected: u64,
    /// Moves that the server refused.
    pub refused: u64,
    /// How often the server's moves did not fit the board.
    pub disagreements: u64,
    /// Lines of the server that meant nothing.
    pub odd: u64,
    /// Connections that were lost.
    pub reconnected: u64,
}

impl<T: Tally> Summary<T> {
    /// Books a result; gives it as a word.
    pub fn add(&mut self, seat: u8, end: &GameEnd<'_>) -> &'static str {
        if end.outcome(seat).is_none() {
            self.void += 1;
            return "void";
        }
        self.tally.add(seat, end)
    }

    /// Mean milliseconds of a decision; 0 without decisions.
    pub fn mean_ms(&self) -> f64 {
        1e3 * self.time.as_secs_f64() / self.decisions.max(1) as f64
    }

    /// The summary as JSON.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        self.tally.write(&mut json);
        for (name, value) in [
            ("void", json!(self.void)),
            ("reason", json!(self.reason)),
            ("decisions", json!(self.decisions)),
            ("mean_ms", json!(self.mean_ms())),
            ("longest_ms", json!(1e3 * self.longest.as_secs_f64())),
            ("corrected", json!(self.corrected)),
            ("refused", json!(self.refused)),
            ("disagreements", json!(self.disagreements)),
            ("odd", json!(self.odd)),
            ("reconnected", json!(self.reconnected)),
        ] {
            json.insert(name.to_owned(), value);
        }
        Value::Object(json)
    }
}

impl<T: Tally> fmt::Display for Summary<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.tally)?;
        if self.decisions > 0 {
            let (mean, longest) = (self.mean_ms(), 1e3 * self.longest.as_secs_f64());
            let decisions = self.decisions;
            write!(
                f,
                "; {decisions} decisions, {mean:.2} ms each, {longest:.0} ms at most"
            )?;
        }
        for (n, what) in [
            (u64::from(self.void), "games that do not count"),
            (self.corrected, "answers of the engine replaced"),
            (self.refused, "moves refused by the server"),
            (self.disagreements, "boards of the server taken over"),
            (self.odd, "lines of the server that meant nothing"),
            (self.reconnected, "connections lost"),
        ] {
            if n > 0 {
                write!(f, "; {n} {what}")?;
            }
        }
        if let Some(reason) = &self.reason {
            write!(f, "; ended early: {reason}")?;
        }
        Ok(())
    }
}
