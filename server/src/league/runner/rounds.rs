//! The rounds of a league, and how each is paired.

use std::collections::{BTreeMap, HashMap};

use crate::league::journal::{DealBlock, Order};
use crate::league::schedule;
use crate::league::schedule::{matchups, pairings};
use crate::league::settings::{Format, Settings};
use stats::{Block, ratings};

/// Matchups that are played before any later one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// Number of the first.
    pub(super) first: u32,
    /// Their entrants.
    pub(super) matchups: Vec<Vec<usize>>,
}

/// The rounds of a league. Formats whose pairings do not depend on results have one.
#[derive(Debug)]
pub(super) struct Rounds<'a> {
    settings: &'a Settings,
    order: Order,
    done: u32,
    next: u32,
    byes: Vec<u32>,
    /// How often two have met: in all rounds, on the ladder in the last one only.
    met: HashMap<(usize, usize), u32>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(settings: &'a Settings) -> Rounds<'a> {
        Rounds {
            settings,
            order: Order::of(settings),
            done: 0,
            next: 0,
            byes: vec![0; settings.entrants.len()],
            met: HashMap::new(),
        }
    }

    /// The next round; `blocks` are all blocks of those before, in any order, and perhaps more. `known` are the sorted
    /// entrants of matchups of which something was played: a round of which all are known is not paired again, so that
    /// a league of many rounds is soon taken up. `None` after the last.
    pub(super) fn next(
        &mut self,
        blocks: &[DealBlock],
        known: &BTreeMap<u32, Vec<usize>>,
    ) -> Option<Round> {
        let last = match self.settings.format {
            Format::Swiss { rounds } => Some(rounds),
            Format::Ladder => None,
            _ => Some(1),
        };
        if last.is_some_and(|last| self.done >= last) {
            return None;
        }
        let matchups = match self.known(known) {
            Some(known) => known,
            None => self.matchups(blocks),
        };
        let first = self.next;
        self.done += 1;
        // A ladder ends when its keys do.
        self.next = first.checked_add(u32::try_from(matchups.len()).ok()?)?;
        (!matchups.is_empty()).then_some(Round { first, matchups })
    }

    /// The matchups of the next round, if all are known; they are taken in as if they had been paired.
    fn known(&mut self, known: &BTreeMap<u32, Vec<usize>>) -> Option<Vec<Vec<usize>>> {
        let is_ladder = self.settings.format == Format::Ladder;
        if !is_ladder && !matches!(self.settings.format, Format::Swiss { .. }) {
            return None;
        }
        let entrants = self.settings.entrants.len();
        let count = u32::try_from(entrants / self.settings.seats()).ok()?;
        let last = self.next.checked_add(count)?;
        let round: Vec<Vec<usize>> = known
            .range(self.next..last)
            .map(|(_, m)| m.clone())
            .collect();
        if round.len() != count as usize {
            return None;
        }
        for entrant in 0..entrants {
            self.byes[entrant] += u32::from(!round.iter().flatten().any(|&e| e == entrant));
        }
        if is_ladder {
            self.met.clear();
        }
        self.meet(&round);
        Some(round)
    }

    fn matchups(&mut self, blocks: &[DealBlock]) -> Vec<Vec<usize>> {
        let (entrants, seats) = (self.settings.entrants.len(), self.settings.seats());
        let format = match self.settings.format {
            Format::RoundRobin => schedule::Format::RoundRobin,
            Format::Gauntlet { challenger } => schedule::Format::Gauntlet { challenger },
            Format::Copies { challenger } => schedule::Format::Copies { challenger },
            Format::Swiss { .. } => return self.paired(&scores(entrants, &self.before(blocks))),
            Format::Ladder => {
                let scores = self.ratings(&self.before(blocks));
                let paired = self.paired(&scores);
                self.met.clear();
                self.meet(&paired);
                return paired;
            }
        };
        matchups(format, entrants, seats)
    }

    fn paired(&mut self, scores: &[f64]) -> Vec<Vec<usize>> {
        let met = |a: usize, b: usize| {
            let pair = (a.min(b), a.max(b));
            self.met.get(&pair).copied().unwrap_or(0)
        };
        let round = pairings(self.settings.seats(), scores, met, &self.byes);
        for &entrant in &round.byes {
            self.byes[entrant] += 1;
        }
        self.meet(&round.matchups);
        round.matchups
    }

    fn meet(&mut self, matchups: &[Vec<usize>]) {
        for table in matchups {
            for (i, &a) in table.iter().enumerate() {
                for &b in &table[i + 1..] {
                    *self.met.entry((a.min(b), a.max(b))).or_default() += 1;
                }
            }
        }
    }

    /// The blocks of earlier rounds in the order of the schedule, so that sums are the same to the last bit.
    fn before(&self, blocks: &[DealBlock]) -> Vec<Block> {
        let earlier = blocks.iter().filter(|b| b.matchup < self.next);
        let mut earlier: Vec<&DealBlock> = earlier.collect();
        earlier.sort_by_key(|b| self.order.position(b.matchup, b.deal));
        earlier.into_iter().map(|b| b.block.clone()).collect()
    }

    fn ratings(&self, blocks: &[Block]) -> Vec<f64> {
        let plan = stats::Plan {
            anchor: self.settings.anchor,
            resamples: 0,
            seed: self.settings.seed.number(),
        };
        let found = ratings(self.settings.entrants.len(), blocks, plan);
        found.entrants.iter().map(|r| r.rating).collect()
    }
}

/// Mean scores; one half for those that have not played.
fn scores(entrants: usize, blocks: &[Block]) -> Vec<f64> {
    let score = |entrant: usize| {
        let of = |block: &Block| block.mean_of(entrant, stats::Outcome::score);
        let all: Vec<f64> = blocks.iter().filter_map(of).collect();
        if all.is_empty() {
            0.5
        } else {
            all.iter().sum::<f64>() / all.len() as f64
        }
    };
    (0..entrants).map(score).collect()
}
