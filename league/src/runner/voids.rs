//! Void fixtures, and the matchups that are given up because of them.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Stopped;
use super::agenda::Decision;
use crate::result::Results;
use crate::settings::{AbandonmentRule, Entrant, Settings};

#[derive(Debug, Default)]
pub(super) struct VoidMatchups {
    /// Whether the rest of a matchup that is given up counts as lost, so that a contest goes on. The entrants at fault lose
    /// it, or all its entrants if the fault is unknown.
    are_lost: bool,
    /// Matchups of which something was played, now or before.
    played: HashSet<u32>,
    /// Voids since the last fixture that was played.
    in_a_row: HashMap<u32, u32>,
    /// Matchups that are given up, with the entrants at fault as far as they are known.
    given_up: HashMap<u32, BTreeSet<usize>>,
    /// Matchups whose rest is left.
    stopped: Vec<Stopped>,
}

impl VoidMatchups {
    pub(super) fn new(settings: &Settings) -> VoidMatchups {
        let is_contest = settings.entrants.iter().any(Entrant::comes_itself);
        let is_lost = settings.run.contest.given_up == AbandonmentRule::Lost;
        VoidMatchups {
            are_lost: is_contest && is_lost && settings.pairs_rounds(),
            ..VoidMatchups::default()
        }
    }

    /// Takes in of which matchups something was played.
    pub(super) fn follow(&mut self, results: &Results) {
        for &matchup in results.fixtures_of().keys() {
            self.played(matchup);
        }
    }

    pub(super) fn played(&mut self, matchup: u32) {
        self.played.insert(matchup);
        self.in_a_row.remove(&matchup);
    }

    /// Records that a fixture of this matchup is void, because of the entrant `because_of` if that is known, while the
    /// seats of the entrants `nobody` were empty. Returns whether the matchup is given up now: at once while none of its
    /// fixtures has been played, later after two in a row.
    pub(super) fn void(
        &mut self,
        matchup: u32,
        because_of: Option<usize>,
        nobody: &BTreeSet<usize>,
    ) -> bool {
        if let Some(faulty) = self.given_up.get_mut(&matchup) {
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
        self.given_up
            .insert(matchup, because_of.into_iter().collect());
        true
    }

    /// Records a matchup that is given up; gives whether its rest is left, and not lost.
    pub(super) fn stop(&mut self, stopped: &Stopped) -> bool {
        if !self.are_lost {
            self.stopped.push(stopped.clone());
        }
        !self.are_lost
    }

    pub(super) fn try_again(&mut self, matchup: u32) {
        self.in_a_row.remove(&matchup);
        self.given_up.remove(&matchup);
        self.stopped.retain(|stopped| stopped.matchup != matchup);
    }

    pub(super) fn decision(&self, matchup: u32) -> Decision {
        match self.given_up.get(&matchup) {
            None => Decision::Played(BTreeSet::new()),
            Some(_) if !self.are_lost => Decision::Left,
            Some(faulty) if faulty.is_empty() => Decision::Lost,
            Some(faulty) => Decision::Played(faulty.clone()),
        }
    }

    /// Whether a matchup of this entrant is given up, and its rest left.
    pub(super) fn stops(&self, entrant: usize) -> bool {
        let mut stopped = self.stopped.iter();
        stopped.any(|stopped| stopped.entrants.contains(&entrant))
    }

    pub(super) fn into_stopped(self) -> Vec<Stopped> {
        self.stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_because_of_which_a_matchup_is_given_up_are_known_until_nobody_else_is_to_blame() {
        let all = |entrants: &[usize]| entrants.iter().copied().collect::<BTreeSet<usize>>();
        let none = all(&[]);
        let mut voids = VoidMatchups::default();
        assert!(voids.void(0, Some(3), &none));
        assert_eq!(voids.given_up.get(&0), Some(&all(&[3])));
        // A table that had begun before fails in the same way, or in another one.
        assert!(!voids.void(0, Some(3), &none) && !voids.void(0, None, &none));
        assert_eq!(voids.given_up.get(&0), Some(&all(&[3])));
        // Without it another one fails.
        assert!(!voids.void(0, Some(5), &all(&[3])));
        assert_eq!(voids.given_up.get(&0), Some(&all(&[3, 5])));
        assert!(!voids.void(0, None, &all(&[3])));
        assert_eq!(voids.given_up.get(&0), Some(&all(&[3, 5])));
        // Without both it fails again.
        assert!(!voids.void(0, None, &all(&[3, 5])));
        assert_eq!(voids.given_up.get(&0), Some(&none));
        assert!(voids.void(1, None, &none));
        assert_eq!(voids.given_up.get(&1), Some(&none));
    }

    #[test]
    fn a_matchup_that_is_tried_again_may_fail_once() {
        let mut voids = VoidMatchups::default();
        voids.played(1);
        let void = |voids: &mut VoidMatchups| voids.void(1, None, &BTreeSet::new());
        assert!(!void(&mut voids) && void(&mut voids) && voids.given_up.contains_key(&1));
        voids.try_again(1);
        assert!(!voids.given_up.contains_key(&1) && !void(&mut voids));
    }
}
