//! The results that count, and what follows from them: which round is the next, and whether the test has a verdict.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::rounds::{Round, Rounds};
use crate::journal::{BlockCollector, DealBlock, Journal, Played, Test};
use crate::schedule::Key;
use crate::settings::Settings;
use stats::Verdict;

pub(super) struct CountedResults<'a> {
    settings: &'a Settings,
    pub(super) played: HashSet<Key>,
    collector: BlockCollector,
    blocks: Vec<DealBlock>,
    /// The sorted entrants of matchups of which something was played, where pairings depend on results.
    known: BTreeMap<u32, Vec<usize>>,
    /// The groups of sections that have begun, where they depend on results.
    groups: BTreeMap<usize, Vec<Vec<usize>>>,
    pub(super) test: Option<Test>,
}

impl<'a> CountedResults<'a> {
    pub(super) fn new(settings: &'a Settings) -> CountedResults<'a> {
        CountedResults {
            settings,
            played: HashSet::new(),
            collector: BlockCollector::new(settings),
            blocks: Vec::new(),
            known: BTreeMap::new(),
            groups: BTreeMap::new(),
            test: Test::new(settings),
        }
    }

    /// Takes the results of a journal in place of all others. Pairings that are known stay, also that of a game which is
    /// played again.
    pub(super) fn read(&mut self, journal: &Journal) {
        self.played.clear();
        self.collector = BlockCollector::new(self.settings);
        self.blocks.clear();
        self.test = Test::new(self.settings);
        for played in journal.all_played() {
            self.know(played);
        }
        for round in journal.rounds() {
            self.groups.insert(round.section, round.groups.clone());
            self.known
                .extend((round.first..).zip(round.matchups.iter().cloned()));
        }
        for played in journal.played() {
            self.add(played);
        }
    }

    fn know(&mut self, played: &Played) {
        if self.settings.pairs_rounds() {
            let seated = || sorted(&played.seats);
            self.known.entry(played.key.matchup).or_insert_with(seated);
        }
    }

    pub(super) fn add(&mut self, played: &Played) {
        self.played.insert(played.key);
        self.know(played);
        let Some(block) = self.collector.add(played) else {
            return;
        };
        if let Some(test) = &mut self.test {
            test.add(&block);
        }
        if self.settings.pairs_rounds() {
            self.blocks.push(block);
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        let test = self.test.as_ref();
        test.map_or(Verdict::Open, |test| test.sprt.verdict())
    }

    /// The next round, after those before it were played.
    pub(super) fn next_round(
        &self,
        rounds: &mut Rounds<'_>,
        disqualified: &BTreeSet<usize>,
    ) -> Option<Round> {
        rounds.follow(&self.groups, disqualified);
        rounds.next(&self.blocks, &self.known)
    }

    /// Records the pairings of a round; gives whether they are new.
    pub(super) fn pair(&mut self, round: &Round) -> bool {
        let numbered = || (round.first..).zip(round.matchups.iter().cloned());
        let is_new = numbered().any(|(number, _)| !self.known.contains_key(&number));
        if is_new {
            self.known.extend(numbered());
        }
        is_new
    }
}

pub(super) fn sorted(seats: &[usize]) -> Vec<usize> {
    let mut seats = seats.to_vec();
    seats.sort_unstable();
    seats
}
