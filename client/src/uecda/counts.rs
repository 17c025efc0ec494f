//! Games, places and points.

use std::fmt;

use games::count_of_games;
use serde_json::{Map, Value, json};

use crate::Counts;

/// A match as its player saw it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DaihinminCounts {
    /// Number of the player, 0..5.
    pub player: u8,
    /// Games ended.
    pub games: u32,
    /// How often each place was reached; games whose place the wire did not tell are missing.
    pub places: [u32; 5],
}

impl DaihinminCounts {
    /// Counts a place (0..=4). One that is none, as a server may tell in a deal, is not counted.
    pub(super) fn add(&mut self, place: u8) {
        if let Some(n) = self.places.get_mut(usize::from(place)) {
            *n += 1;
        }
    }

    /// Points: 5, 4, 3, 2, 1 by place.
    pub fn points(&self) -> u32 {
        self.places
            .iter()
            .zip([5, 4, 3, 2, 1])
            .map(|(n, points)| n * points)
            .sum()
    }
}

impl Counts for DaihinminCounts {
    fn write(&self, summary: &mut Map<String, Value>) {
        for (name, value) in [
            ("player", json!(self.player)),
            ("games", json!(self.games)),
            ("points", json!(self.points())),
            ("places", json!(self.places)),
        ] {
            summary.insert(name.to_owned(), value);
        }
    }
}

impl fmt::Display for DaihinminCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "player {}: {}, points {}, places 1 to 5: {:?}",
            self.player,
            count_of_games(self.games),
            self.points(),
            self.places,
        )
    }
}
