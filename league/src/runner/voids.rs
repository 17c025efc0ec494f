//! Fixtures that came to nothing, and the matchups that are given up for them.

use std::collections::{BTreeSet, HashMap, HashSet};

#[derive(Debug, Default)]
pub(super) struct Voids {
    /// Matchups of which something was played, now or before.
    played: HashSet<u32>,
    /// Voids since the last fixture that was played.
    in_a_row: HashMap<u32, u32>,
    /// Those that are given up, with the entrants because of which, as far as that is known.
    stopped: HashMap<u32, BTreeSet<usize>>,
}

impl Voids {
    pub(super) fn played(&mut self, matchup: u32) {
        self.played.insert(matchup);
        self.in_a_row.remove(&matchup);
    }

    /// Records that a fixture of this matchup came to nothing, because of the entrant `because_of` if that is known, while the
    /// seats of the entrants `nobody` were empty. Returns whether the matchup is given up now: at once while none of its
    /// fixtures has been played, later after two in a row.
    pub(super) fn void(
        &mut self,
        matchup: u32,
        because_of: Option<usize>,
        nobody: &BTreeSet<usize>,
    ) -> bool {
        if let Some(faulty) = self.stopped.get_mut(&matchup) {
            // If it fails again without the entrants at fault, and no other is at fault, all lose. A fixture that began with
            // them says nothing about the others.
            let failed_without = faulty.is_subset(nobody);
            let is_new = because_of.is_some_and(|entrant| faulty.insert(entrant));
            if failed_without && !is_new {
                faulty.clear();
            }
            return false;
        }
        let in_a_row = self.in_a_row.entry(matchup).or_default();
        *in_a_row += 1;
        if *in_a_row < 2 && self.played.contains(&matchup) {
            return false;
        }
        self.stopped
            .insert(matchup, because_of.into_iter().collect());
        true
    }

    /// What came to nothing of this matchup is forgotten.
    pub(super) fn try_again(&mut self, matchup: u32) {
        self.in_a_row.remove(&matchup);
        self.stopped.remove(&matchup);
    }

    /// The entrants because of which this matchup is given up, as far as that is known; `None` where it is not given up.
    pub(super) fn stopped(&self, matchup: u32) -> Option<&BTreeSet<usize>> {
        self.stopped.get(&matchup)
    }
}
