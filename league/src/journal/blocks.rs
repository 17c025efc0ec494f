//! The blocks of a journal, in the order of the schedule.
//!
//! A block is whole once every rotation of its deal was played. Results are counted by whole blocks in the order of
//! the schedule, never in that of the lines: lines come in the order in which games ended.

use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use stats::Outcome;

use super::Played;
use crate::schedule::Key;
use crate::sections::{Section, first_groups};
use crate::settings::Settings;

/// All games of one deal of a matchup.
#[derive(Clone, Debug, PartialEq)]
pub struct DealBlock {
    pub matchup: u32,
    pub deal: u32,
    /// Its games, by rotation, and in a session in the order of play.
    pub block: stats::Block,
    /// Games that all their players have lost, as none of them has begun: they have points, and say nothing of strength.
    pub walkovers: Vec<Arc<Outcome>>,
}

impl DealBlock {
    /// The games of these fixtures of one deal, of which there is one at least.
    pub fn of(fixtures: &[Played], outcomes: &mut Outcomes) -> DealBlock {
        let Key { matchup, deal, .. } = fixtures[0].key;
        let mut block = DealBlock {
            matchup,
            deal,
            block: stats::Block::default(),
            walkovers: Vec::new(),
        };
        let number = fixtures.iter().map(|played| played.games.len()).sum();
        block.block.games.reserve_exact(number);
        for played in fixtures {
            for game in &played.games {
                let outcome = outcomes.shared(Outcome {
                    entrants: played.seats.clone(),
                    places: game.places.clone(),
                    points: game.points.clone(),
                });
                if game.is_walkover() {
                    block.walkovers.push(outcome);
                } else {
                    block.block.games.push(outcome);
                }
            }
        }
        block
    }

    /// All games that have points.
    pub fn counted(&self) -> impl Iterator<Item = &Arc<Outcome>> {
        self.block.games.iter().chain(&self.walkovers)
    }
}

/// The outcomes of games, each different one once: a long league has many games of few outcomes.
#[derive(Clone, Debug, Default)]
pub struct Outcomes(HashSet<KnownOutcome>);

#[derive(Clone, Debug, PartialEq)]
struct KnownOutcome(Arc<Outcome>);

/// No points are NaN: a line of JSON has none.
impl Eq for KnownOutcome {}

impl Hash for KnownOutcome {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.0.entrants, &self.0.places).hash(state);
        for points in &self.0.points {
            points.to_bits().hash(state);
        }
    }
}

impl Outcomes {
    fn shared(&mut self, outcome: Outcome) -> Arc<Outcome> {
        let new = KnownOutcome(Arc::new(outcome));
        if let Some(known) = self.0.get(&new) {
            return Arc::clone(&known.0);
        }
        let shared = Arc::clone(&new.0);
        self.0.insert(new);
        shared
    }
}

/// Where blocks stand in the schedule: round by round, in it deal by deal, in it matchup by matchup. Programs that live
/// on for several deals play these in a row; the order is the same nevertheless, so that it does not change when a league
/// is given more deals.
#[derive(Clone, Debug)]
pub struct Order {
    /// Entrants of each matchup of the first section, in formats in which they do not depend on results.
    fixed: Option<Vec<Vec<usize>>>,
    sections: Vec<Section>,
}

impl Order {
    pub fn of(settings: &Settings) -> Order {
        let sections = Section::all(settings);
        Order {
            fixed: sections[0].fixed(&first_groups(settings), settings.seats()),
            sections,
        }
    }

    fn section(&self, matchup: u32) -> &Section {
        let begun = self
            .sections
            .partition_point(|section| section.first <= matchup);
        &self.sections[begun.saturating_sub(1)]
    }

    pub fn deals(&self, matchup: u32) -> u32 {
        self.section(matchup).deals
    }

    /// The number of a block in the schedule, from 0.
    pub fn position(&self, matchup: u32, deal: u32) -> u64 {
        let section = self.section(matchup);
        let (of_round, deals) = sizes(section);
        let matchup = u64::from(matchup - section.first);
        let (round, matchup) = match section.rounds {
            Some(1) => (0, matchup),
            _ => (matchup / of_round, matchup % of_round),
        };
        section.before + (round * deals + u64::from(deal)) * of_round + matchup
    }

    /// The matchup of the block at a position of a league without stages, counted through all rounds.
    fn matchup(&self, position: u64) -> u64 {
        let (of_round, deals) = sizes(&self.sections[0]);
        let round = match self.fixed {
            Some(_) => 0,
            None => position / (deals * of_round),
        };
        round * of_round + position % of_round
    }

    /// The entrants of a matchup, as far as the format says without results.
    pub fn seated(&self, matchup: u32) -> Option<&[usize]> {
        let matchup = self.fixed.as_ref()?.get(matchup as usize)?;
        Some(matchup)
    }

    /// Matchups: in formats with rounds those of a round.
    pub fn matchups(&self) -> u64 {
        sizes(&self.sections[0]).0
    }

    /// Whether these are the entrants of a matchup, in any order, as far as the format says without results.
    pub(in crate::journal) fn seats(&self, matchup: u32, seats: &[usize]) -> bool {
        let Some(fixed) = &self.fixed else {
            return true;
        };
        let mut sorted = seats.to_vec();
        sorted.sort_unstable();
        if let Some(fixed) = fixed.get(matchup as usize) {
            return *fixed == sorted;
        }
        let mut later = self.sections.iter().skip(1);
        later.any(|section| section.has(matchup))
    }

    /// Whether an entrant may have a seat in the block at a position.
    fn may_seat(&self, entrant: usize, position: u64) -> bool {
        let Some(fixed) = &self.fixed else {
            return true;
        };
        let matchup = fixed.get(self.matchup(position) as usize);
        matchup.is_some_and(|seated| seated.contains(&entrant))
    }

    /// Blocks of the whole schedule; `None` if it has no end.
    pub fn end(&self) -> Option<u64> {
        let last = self.sections.last()?;
        let (of_round, deals) = sizes(last);
        Some(last.before + u64::from(last.rounds?) * of_round * deals)
    }
}

/// Matchups of a round of a section, and deals of a matchup, one at least.
fn sizes(section: &Section) -> (u64, u64) {
    let at_least_one = |number: u32| u64::from(number.max(1));
    (at_least_one(section.matchups), at_least_one(section.deals))
}

/// The sequential test of a league. It takes blocks in any order and counts them in that of the schedule: a block
/// counts once all before it, in which the entrant sits, have: deal 0 of all matchups, then deal 1, however many deals a
/// program plays in a row. A verdict falls only when all matchups have had equally many deals: opponents differ in strength,
/// and the order in which the file names them must not decide. So the verdict depends on what is played, never on what
/// happened to be over first, and one that has fallen stays when a league is given more deals.
#[derive(Clone, Debug)]
pub struct Test {
    entrant: usize,
    order: Order,
    end: Option<u64>,
    pub sprt: stats::Sprt,
    next: u64,
    /// Scores of blocks that have others to wait for; `None` where the entrant has no seat.
    waiting: BTreeMap<u64, Option<f64>>,
    /// The ratio after so many blocks.
    pub course: Vec<(u64, f64)>,
}

impl Test {
    pub fn new(settings: &Settings) -> Option<Test> {
        let sprt = settings.sprt?;
        let order = Order::of(settings);
        Some(Test {
            entrant: sprt.entrant,
            end: order.end(),
            order,
            sprt: if settings.seats() == 2 && settings.session == 1 {
                stats::Sprt::pentanomial(sprt.hypotheses)
            } else {
                stats::Sprt::normal(sprt.hypotheses)
            },
            next: 0,
            waiting: BTreeMap::new(),
            course: Vec::new(),
        })
    }

    pub fn add(&mut self, block: &DealBlock) -> stats::Verdict {
        let position = self.order.position(block.matchup, block.deal);
        if position < self.next {
            return self.sprt.verdict();
        }
        // The test leaves out a block that lacks some of its games.
        let score = block.block.mean_of(self.entrant, stats::Outcome::score);
        let score = score.filter(|_| block.walkovers.is_empty());
        self.waiting.insert(position, score);
        let matchups = self.order.matchups();
        let is_open = |next: u64| !next.is_multiple_of(matchups);
        while (is_open(self.next) || !self.waiting.is_empty())
            && self.end.is_none_or(|end| self.next < end)
        {
            match self.waiting.remove(&self.next) {
                Some(Some(score)) => self.sprt.take(score),
                None if self.order.may_seat(self.entrant, self.next) => break,
                Some(None) | None => {}
            }
            self.next += 1;
            if !is_open(self.next) {
                self.sprt.decide();
            }
            let (blocks, last) = (self.sprt.blocks(), self.course.last());
            if let Some(ratio) = self.sprt.ratio()
                && last.is_none_or(|&(before, _)| before < blocks)
            {
                self.course.push((blocks, ratio));
            }
        }
        self.sprt.verdict()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::journal::Entry;
    use crate::journal::tests::{played, read, settings};
    use crate::settings::{Format, ProcessLife, Sprt};
    use stats::{Hypotheses, Outcome, Verdict};

    /// Whole blocks in the order of the schedule.
    fn blocks(settings: &Settings, all: &[Played]) -> Vec<DealBlock> {
        let entries: Vec<Entry> = all.iter().cloned().map(Entry::Played).collect();
        read(settings, &entries).blocks().cloned().collect()
    }

    #[test]
    fn blocks_are_whole_deals_with_all_games_of_a_session() {
        let mut settings = settings(&["a", "b", "c", "d", "e", "f"], 2);
        settings.session = 3;
        let mut all = played(&settings);
        let whole = blocks(&settings, &all);
        let numbers: Vec<(u32, u32)> = whole.iter().map(|b| (b.deal, b.matchup)).collect();
        let due: Vec<(u32, u32)> = (0..2).flat_map(|d| (0..6).map(move |m| (d, m))).collect();
        assert_eq!(numbers, due);
        assert!(whole.iter().all(|b| b.block.games.len() == 5 * 3));
        assert_eq!(whole[0].block.games[3].entrants, all[1].seats);
        let gone = all.remove(7).key;
        let rest = blocks(&settings, &all);
        assert_eq!(rest.len(), 11);
        assert!(
            !rest
                .iter()
                .any(|b| (b.matchup, b.deal) == (gone.matchup, gone.deal))
        );
    }

    #[test]
    fn a_league_that_is_given_more_deals_keeps_its_order() {
        let mut settings = settings(&["a", "b", "c", "d", "e", "f"], 5);
        settings.process = ProcessLife::Deals(2);
        let order = Order::of(&settings);
        settings.deals = 9;
        let more = Order::of(&settings);
        let all = (0..5).flat_map(|d| (0..6).map(move |m| (m, d)));
        for (position, (matchup, deal)) in (0..).zip(all) {
            for order in [&order, &more] {
                assert_eq!(order.position(matchup, deal), position);
                assert_eq!(order.matchup(position), u64::from(matchup));
            }
        }
        assert_eq!(order.seated(5).unwrap().len(), 5);
    }

    #[test]
    fn a_verdict_stays_when_a_league_is_given_more_deals() {
        let (mut settings, all) = tested(0.0);
        settings.process = ProcessLife::Deals(7);
        settings.deals = 33;
        let run = |settings: &Settings, deals: u32| {
            let mut test = Test::new(settings).unwrap();
            for block in all.iter().filter(|b| b.deal < deals) {
                test.add(block);
            }
            (test.sprt.verdict(), test.sprt.blocks())
        };
        let due = run(&settings, 33);
        settings.deals = 40;
        let more = run(&settings, 40);
        assert!(due == more || due.0 == Verdict::Open, "{due:?} {more:?}");
        assert_ne!(more.0, Verdict::Open);
    }

    #[test]
    fn rounds_come_one_after_the_other() {
        let names: Vec<String> = (0..11).map(|i| format!("bot {i}")).collect();
        let names: Vec<&str> = names.iter().map(|n| &n[..]).collect();
        let mut settings = settings(&names, 3);
        settings.format = Format::Ladder;
        settings.process = ProcessLife::Deals(2);
        let order = Order::of(&settings);
        // Two tables of five, one sits out.
        let due = [
            (0, 0),
            (1, 0),
            (0, 1),
            (1, 1),
            (0, 2),
            (1, 2),
            (2, 0),
            (3, 0),
            (2, 1),
        ];
        for (position, (matchup, deal)) in (0..).zip(due) {
            assert_eq!(order.position(matchup, deal), position, "{matchup}.{deal}");
            assert_eq!(order.matchup(position), u64::from(matchup));
        }
    }

    fn tested(shift: f64) -> (Settings, Vec<DealBlock>) {
        let mut settings = settings(&["a", "b", "c", "d", "e", "f"], 40);
        settings.sprt = Some(Sprt {
            entrant: 0,
            hypotheses: Hypotheses {
                s0: 0.5 + shift,
                s1: 0.55 + shift,
                alpha: 0.05,
                beta: 0.05,
            },
        });
        let all = blocks(&settings, &played(&settings));
        (settings, all)
    }

    #[test]
    fn a_test_waits_for_the_blocks_before_and_skips_those_without_its_entrant() {
        let (settings, mut all) = tested(0.0);
        let due = |blocks: &[DealBlock]| {
            let mut sprt = stats::Sprt::normal(settings.sprt.unwrap().hypotheses);
            for deal in blocks.chunk_by(|a, b| a.deal == b.deal) {
                for block in deal {
                    if let Some(score) = block.block.mean_of(0, Outcome::score) {
                        sprt.take(score);
                    }
                }
                sprt.decide();
            }
            (sprt.blocks(), sprt.ratio())
        };
        let run = |blocks: &[DealBlock]| {
            let mut test = Test::new(&settings).unwrap();
            for block in blocks {
                test.add(block);
            }
            (test.sprt.blocks(), test.sprt.ratio())
        };
        assert_eq!(run(&all), due(&all));
        assert!(run(&all).0 >= 16);
        // The last matchup of each deal is the one without entrant 0: nothing waits for it.
        let without = all.remove(5);
        assert_eq!(run(&all), due(&all));
        all.push(without);
        assert_eq!(run(&all), due(&all));
        // Nothing behind a missing block counts.
        all.pop();
        all.remove(20);
        assert_eq!(run(&all).0, 21 - 3);
    }

    #[test]
    fn a_block_without_some_of_its_games_is_none_of_a_test() {
        let (settings, mut all) = tested(0.0);
        let blocks = |all: &[DealBlock]| {
            let mut test = Test::new(&settings).unwrap();
            for block in &all[..12] {
                test.add(block);
            }
            test.sprt.blocks()
        };
        assert_eq!(blocks(&all), 10);
        let lost = all[2].block.games.pop().unwrap();
        all[2].walkovers.push(lost);
        assert_eq!(blocks(&all), 9);
    }

    #[test]
    fn a_verdict_falls_when_all_matchups_have_had_a_deal_as_often() {
        let (settings, all) = tested(-0.2);
        let mut test = Test::new(&settings).unwrap();
        let fell = all
            .iter()
            .find(|block| test.add(block) != Verdict::Open)
            .unwrap();
        // The last matchup is the one without entrant 0.
        assert_eq!(fell.matchup, 4);
        assert_eq!(test.sprt.blocks(), 5 * (u64::from(fell.deal) + 1));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn a_verdict_does_not_depend_on_what_is_over_first(seed in any::<u64>(), shift in 0..3_u32) {
            use rand::{SeedableRng as _, seq::SliceRandom as _};
            let (settings, mut all) = tested(f64::from(shift) * 0.2 - 0.2);
            let run = |blocks: &[DealBlock]| {
                let mut test = Test::new(&settings).unwrap();
                let verdicts: Vec<Verdict> = blocks.iter().map(|b| test.add(b)).collect();
                // Once fallen it stays.
                assert!(verdicts.windows(2).all(|v| v[0] == Verdict::Open || v[0] == v[1]));
                (test.sprt.blocks(), test.sprt.ratio().map(f64::to_bits), test.sprt.verdict())
            };
            let due = run(&all);
            prop_assert_eq!(due.2 == Verdict::Open, false);
            all.shuffle(&mut rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed));
            prop_assert_eq!(run(&all), due);
        }
    }
}
