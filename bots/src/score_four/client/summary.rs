//! What a match came to for its player.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

/// What a game came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Won,
    Drawn,
    Lost,
}

/// What the places by seat, 1 is the best, are to a seat; `None` if the game does not count.
pub(super) fn outcome(seat: u8, places: &[u8]) -> Option<Outcome> {
    let is_first = *places.get(usize::from(seat))? == 1;
    let is_shared = places.iter().filter(|place| **place == 1).nth(1).is_some();
    Some(match (is_first, is_shared) {
        (true, false) => Outcome::Won,
        (true, true) => Outcome::Drawn,
        (false, _) => Outcome::Lost,
    })
}

/// The games of a match as their player saw them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Games won, drawn and lost, by seat.
    pub results: [[u32; 3]; 2],
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

impl Summary {
    /// Books a result from the places by seat, 1 is the best; gives it as a word.
    pub fn add(&mut self, seat: u8, places: &[u8]) -> &'static str {
        let (index, word) = match outcome(seat, places) {
            None => {
                self.void += 1;
                return "void";
            }
            Some(Outcome::Won) => (0, "won"),
            Some(Outcome::Drawn) => (1, "drawn"),
            Some(Outcome::Lost) => (2, "lost"),
        };
        self.results[usize::from(seat.min(1))][index] += 1;
        word
    }

    /// Games won, drawn and lost.
    pub fn total(&self) -> [u32; 3] {
        [0, 1, 2].map(|i| self.results[0][i] + self.results[1][i])
    }

    /// Mean milliseconds of a decision; 0 without decisions.
    pub fn mean_ms(&self) -> f64 {
        1e3 * self.time.as_secs_f64() / self.decisions.max(1) as f64
    }

    /// The summary as JSON.
    pub fn to_json(&self) -> Value {
        let json = |[won, drawn, lost]: [u32; 3]| json!({"won": won, "drawn": drawn, "lost": lost});
        json!({
            "games": self.total().iter().sum::<u32>(),
            "results": json(self.total()),
            "as_first": json(self.results[0]),
            "as_second": json(self.results[1]),
            "void": self.void,
            "reason": self.reason,
            "decisions": self.decisions,
            "mean_ms": self.mean_ms(),
            "longest_ms": 1e3 * self.longest.as_secs_f64(),
            "corrected": self.corrected,
            "refused": self.refused,
            "disagreements": self.disagreements,
            "odd": self.odd,
            "reconnected": self.reconnected,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [won, drawn, lost] = self.total();
        let [first, second] = self.results.map(|r| format!("{}-{}-{}", r[0], r[1], r[2]));
        write!(
            f,
            "{} games: {won} won, {drawn} drawn, {lost} lost; as first player {first}, as second {second}",
            won + drawn + lost
        )?;
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
