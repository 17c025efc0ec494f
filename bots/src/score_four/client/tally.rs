//! Games won, drawn and lost.

use std::fmt;

use serde_json::{Map, Value, json};

use super::Summary;
use crate::client::native::{self, GameEnd, Outcome};

/// Games won, drawn and lost, by seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Of seat 0 and of seat 1.
    pub results: [[u32; 3]; 2],
}

impl Tally {
    /// Games won, drawn and lost.
    pub fn total(&self) -> [u32; 3] {
        [0, 1, 2].map(|i| self.results[0][i] + self.results[1][i])
    }
}

impl Summary {
    /// Games won, drawn and lost.
    pub fn total(&self) -> [u32; 3] {
        self.tally.total()
    }
}

impl native::Tally for Tally {
    fn add(&mut self, seat: u8, end: &GameEnd<'_>) -> &'static str {
        let (index, word) = match end.outcome(seat) {
            None => return "void",
            Some(Outcome::Won) => (0, "won"),
            Some(Outcome::Shared) => (1, "drawn"),
            Some(Outcome::Lost) => (2, "lost"),
        };
        self.results[usize::from(seat.min(1))][index] += 1;
        word
    }

    fn write(&self, summary: &mut Map<String, Value>) {
        let json = |[won, drawn, lost]: [u32; 3]| json!({"won": won, "drawn": drawn, "lost": lost});
        for (name, value) in [
            ("games", json!(self.total().iter().sum::<u32>())),
            ("results", json(self.total())),
            ("as_first", json(self.results[0])),
            ("as_second", json(self.results[1])),
        ] {
            summary.insert(name.to_owned(), value);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [won, drawn, lost] = self.total();
        let [first, second] = self.results.map(|r| format!("{}-{}-{}", r[0], r[1], r[2]));
        write!(
            f,
            "{} games: {won} won, {drawn} drawn, {lost} lost; as first player {first}, as second {second}",
            won + drawn + lost
        )
    }
}
