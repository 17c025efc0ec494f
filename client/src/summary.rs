//! What a match came to for its player.

use std::fmt;
use std::io::Write;

use games::{Printable, Seat, count_of, count_of_games};
use serde_json::{Map, Value, json};

use super::player::Thinking;
use super::write_line;

/// The count of results that a game has for its player; its text is the first part of a summary.
pub trait Counts: Clone + Default + fmt::Debug + fmt::Display + PartialEq {
    /// Writes its figures into the summary's JSON.
    fn write(&self, summary: &mut Map<String, Value>);
}

/// The games of a run as their player saw them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary<T> {
    /// The results.
    pub counts: T,
    /// Games that do not count.
    pub void: u32,
    /// Games whose connection broke before a result.
    pub broken: u32,
    /// Why the match was over before its last game.
    pub reason: Option<String>,
    /// What the decisions took.
    pub thinking: Thinking,
    /// Moves that the server refused.
    pub refused: u64,
    /// How often what the server said did not fit the game as it was followed.
    pub disagreements: u64,
    /// Lines of the server that meant nothing.
    pub odd: u64,
    /// Connections that were lost and came back.
    pub reconnected: u64,
}

impl<T> Summary<T> {
    /// Whether every game has a result, and the match did not end early.
    pub const fn is_whole(&self) -> bool {
        self.broken == 0 && self.reason.is_none()
    }

    pub(crate) fn leave(&mut self) {
        self.reason = Some("the player has left".to_owned());
    }
}

impl<T: Counts> Summary<T> {
    /// Writes the summary as a line of JSON or for people. A closed pipe does not stop the games. People read only what went
    /// wrong where the run failed (`has_failed`) before anything happened.
    pub fn write(&self, json: bool, has_failed: bool, out: &mut dyn Write) {
        if json {
            write_line(out, &json!({ "summary": self.to_json() }));
        } else if !has_failed || *self != Summary::default() {
            let _ = writeln!(out, "{self}");
        }
    }

    /// The summary as JSON.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        self.counts.write(&mut json);
        for (name, value) in [
            ("void", json!(self.void)),
            ("broken", json!(self.broken)),
            ("reason", json!(self.reason)),
            ("decisions", json!(self.thinking.decisions)),
            ("mean_ms", json!(self.thinking.mean_ms())),
            ("longest_ms", json!(self.thinking.longest_ms())),
            ("corrected", json!(self.thinking.corrected)),
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

impl<T: Counts> fmt::Display for Summary<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.counts)?;
        if self.thinking.decisions > 0 {
            let (mean, longest) = (self.thinking.mean_ms(), self.thinking.longest_ms());
            let decisions = self.thinking.decisions;
            write!(
                f,
                "; {}, {mean:.2} ms each, {longest:.0} ms at most",
                count_of(decisions, "decision", "decisions")
            )?;
        }
        let (void, broken) = (self.void.into(), self.broken.into());
        let broke = [
            "game whose connection broke",
            "games whose connections broke",
        ];
        let corrected = [
            "answer of the engine replaced",
            "answers of the engine replaced",
        ];
        let refused = ["move refused by the server", "moves refused by the server"];
        let boards = [
            "board of the server taken over",
            "boards of the server taken over",
        ];
        let odd = [
            "line of the server that meant nothing",
            "lines of the server that meant nothing",
        ];
        for (n, [one, more]) in [
            (
                void,
                ["game that does not count", "games that do not count"],
            ),
            (broken, broke),
            (self.thinking.corrected, corrected),
            (self.refused, refused),
            (self.disagreements, boards),
            (self.odd, odd),
            (self.reconnected, ["connection lost", "connections lost"]),
        ] {
            if n > 0 {
                write!(f, "; {}", count_of(n, one, more))?;
            }
        }
        if let Some(reason) = &self.reason {
            write!(f, "; ended early: {}", Printable(reason))?;
        }
        Ok(())
    }
}

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
    /// Won, drawn and lost.
    pub const fn counts(self) -> [u32; 3] {
        [self.won, self.drawn, self.lost]
    }

    /// How many there are.
    pub const fn games(self) -> u32 {
        self.won + self.drawn + self.lost
    }

    fn to_json(self) -> Value {
        json!({ "won": self.won, "drawn": self.drawn, "lost": self.lost })
    }
}

/// The results of a game for two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DuelCounts {
    /// As first player, as second, and where the protocol has not told the seat.
    pub results: [Results; 3],
}

impl DuelCounts {
    /// The results of a seat; `None` if it is not known.
    pub fn of(&mut self, seat: Option<Seat>) -> &mut Results {
        &mut self.results[seat.map_or(2, |seat| seat.index().min(1))]
    }

    /// Results of all seats.
    pub fn total(&self) -> Results {
        let sum = |part: fn(&Results) -> u32| self.results.iter().map(part).sum();
        Results {
            won: sum(|results| results.won),
            drawn: sum(|results| results.drawn),
            lost: sum(|results| results.lost),
        }
    }
}

impl Counts for DuelCounts {
    fn write(&self, summary: &mut Map<String, Value>) {
        for (name, value) in [
            ("games", json!(self.total().games())),
            ("results", self.total().to_json()),
            ("as_first", self.results[0].to_json()),
            ("as_second", self.results[1].to_json()),
        ] {
            summary.insert(name.to_owned(), value);
        }
    }
}

impl fmt::Display for DuelCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Results { won, drawn, lost } = self.total();
        let games = self.total().games();
        let [first, second, _] = self
            .results
            .map(|r| format!("{}-{}-{}", r.won, r.drawn, r.lost));
        write!(
            f,
            "{}: {won} won, {drawn} drawn, {lost} lost; as first player {first}, as second {second}",
            count_of_games(games)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_failed_at_once_has_a_summary_for_programs_only() {
        let written = |summary: &Summary<DuelCounts>, json, has_failed| {
            let mut out = Vec::new();
            summary.write(json, has_failed, &mut out);
            String::from_utf8(out).unwrap()
        };
        let nothing = Summary::default();
        assert_eq!(written(&nothing, false, true), "");
        assert!(written(&nothing, true, true).starts_with(r#"{"summary":"#));
        assert!(written(&nothing, false, false).starts_with("0 games"));
        let broken = Summary {
            broken: 1,
            ..Summary::default()
        };
        assert!(written(&broken, false, true).contains("connection broke"));
    }
}
