//! Fixtures that came to nothing, and the matchups that are given up for them.

use std::collections::{HashMap, HashSet};

/// Counts fixtures that came to nothing.
#[derive(Debug, Default)]
pub(super) struct Voids {
    /// Matchups of which something was played, now or before.
    played: HashSet<u32>,
    /// Voids since the last fixture that was played.
    in_a_row: HashMap<u32, u32>,
    stopped: HashSet<u32>,
}

impl Voids {
    /// A fixture of this matchup was played.
    pub(super) fn played(&mut self, matchup: u32) {
        self.played.insert(matchup);
        self.in_a_row.remove(&matchup);
    }

    /// A fixture of this matchup came to nothing: gives whether that stops it now. The first of all does, and two in a
    /// row do.
    pub(super) fn void(&mut self, matchup: u32) -> bool {
        let in_a_row = self.in_a_row.entry(matchup).or_default();
        *in_a_row += 1;
        if *in_a_row < 2 && self.played.contains(&matchup) || self.is_stopped(matchup) {
            return false;
        }
        self.stopped.insert(matchup)
    }

    /// What came to nothing of this matchup is forgotten.
    pub(super) fn try_again(&mut self, matchup: u32) {
        self.in_a_row.remove(&matchup);
        self.stopped.remove(&matchup);
    }

    /// Whether nothing more of this matchup is played.
    pub(super) fn is_stopped(&self, matchup: u32) -> bool {
        self.stopped.contains(&matchup)
    }
}
