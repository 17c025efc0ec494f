//! What the games came to.

use std::fmt;
use std::time::Duration;

use protocol::gat::Outcome;
use serde_json::{Value, json};

/// Games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Won.
    pub won: u32,
    /// Drawn.
    pub drawn: u32,
    /// Lost.
    pub lost: u32,
}

impl Results {
    fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Won => &mut self.won,
            Outcome::Draw => &mut self.drawn,
            Outcome::Lost => &mut self.lost,
        } += 1;
    }
}

/// All games of a run as their player saw them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Games with a result: as first player, as second, and those that were over before the first
    /// own turn, where the protocol does not tell the seat.
    pub results: [Results; 3],
    /// Games whose connection broke before a result.
    pub broken: u32,
    /// Moves chosen.
    pub decisions: u64,
    /// Time spent on them.
    pub time: Duration,
    /// The longest of them.
    pub longest: Duration,
    /// Answers of the engine that were not legal and were replaced.
    pub corrected: u64,
    /// Moves that the server refused.
    pub refused: u64,
    /// How often the server's board was not what the moves led to.
    pub disagreements: u64,
    /// Lines of the server that meant nothing.
    pub odd: u64,
}

impl Summary {
    /// Books a result. `seat` is `None` if it is not known.
    pub fn add(&mut self, seat: Option<u8>, outcome: Outcome) {
        self.results[seat.map_or(2, |seat| usize::from(seat.min(1)))].add(outcome);
    }

    /// Results of all seats.
    pub fn total(&self) -> Results {
        let mut total = Results::default();
        for results in self.results {
            total.won += results.won;
            total.drawn += results.drawn;
            total.lost += results.lost;
        }
        total
    }

    /// Games with a result.
    pub fn games(&self) -> u32 {
        let total = self.total();
        total.won + total.drawn + total.lost
    }

    /// Mean milliseconds of a decision; 0 without decisions.
    pub fn mean_ms(&self) -> f64 {
        1e3 * self.time.as_secs_f64() / self.decisions.max(1) as f64
    }

    /// The summary as JSON.
    pub fn to_json(&self) -> Value {
        let json = |results: Results| json!({ "won": results.won, "drawn": results.drawn, "lost": results.lost });
        json!({
            "games": self.games(),
            "results": json(self.total()),
            "as_first": json(self.results[0]),
            "as_second": json(self.results[1]),
            "broken": self.broken,
            "decisions": self.decisions,
            "mean_ms": self.mean_ms(),
            "longest_ms": 1e3 * self.longest.as_secs_f64(),
            "corrected": self.corrected,
            "refused": self.refused,
            "disagreements": self.disagreements,
            "odd": self.odd,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        let [first, second, _] = self.results;
        write!(
            f,
            "{} games: {} won, {} drawn, {} lost; as first player {}-{}-{}, as second {}-{}-{}; \
             {} decisions, {:.2} ms each, {:.0} ms at most",
            self.games(),
            total.won,
            total.drawn,
            total.lost,
            first.won,
            first.drawn,
            first.lost,
            second.won,
            second.drawn,
            second.lost,
            self.decisions,
            self.mean_ms(),
            1e3 * self.longest.as_secs_f64(),
        )?;
        for (n, what) in [
            (u64::from(self.broken), "games whose connection broke"),
            (self.corrected, "answers of the engine replaced"),
            (self.refused, "moves refused by the server"),
            (self.disagreements, "boards of the server taken over"),
            (self.odd, "lines of the server that meant nothing"),
        ] {
            if n > 0 {
                write!(f, "; {n} {what}")?;
            }
        }
        Ok(())
    }
}
