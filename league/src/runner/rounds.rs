//! The rounds of a league, and how each is paired.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::journal::DealBlock;
use crate::ranking::{next_groups, table};
use crate::result::Results;
use crate::schedule::pairings;
use crate::sections::{Section, first_groups};
use crate::settings::{Format, Settings};
use stats::ratings;

/// Matchups that are played before any later one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Round {
    pub(super) section: usize,
    /// Number of the first.
    pub(super) first: u32,
    pub(super) deals: u32,
    pub(super) matchups: Vec<Vec<usize>>,
    pub(super) groups: Vec<Vec<usize>>,
}

/// The rounds of a league. Sections whose pairings do not depend on results have one.
#[derive(Debug)]
pub(super) struct Rounds<'a> {
    settings: &'a Settings,
    sections: Vec<Section>,
    /// The section in play, its groups, and those of the section before.
    section: usize,
    groups: Vec<Vec<usize>>,
    last: Vec<Vec<usize>>,
    done: u32,
    next: u32,
    byes: Vec<u32>,
    /// How often two have met: in all rounds of the section, on the ladder in the last one only.
    met: HashMap<(usize, usize), u32>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(settings: &'a Settings) -> Rounds<'a> {
        Rounds {
            settings,
            sections: Section::all(settings),
            section: 0,
            groups: Vec::new(),
            last: Vec::new(),
            done: 0,
            next: 0,
            byes: vec![0; settings.entrants.len()],
            met: HashMap::new(),
        }
    }

    /// The next round. `results` have all of those before, and perhaps more. A round of which all pairings are known is not
    /// paired again, so that a league of many rounds is soon taken up, and a result that is struck later changes no pairing.
    /// `None` after the last.
    pub(super) fn next(&mut self, results: &Results) -> Option<Round> {
        let is_over = |section: &Section, done| section.rounds.is_some_and(|last| done >= last);
        while is_over(self.sections.get(self.section)?, self.done) {
            self.last = std::mem::take(&mut self.groups);
            self.section += 1;
            self.done = 0;
            self.met.clear();
            self.byes.fill(0);
        }
        if self.groups.is_empty() {
            let groups = results.groups.get(&self.section).cloned();
            self.groups = groups.unwrap_or_else(|| self.draw(results));
        }
        let section = &self.sections[self.section];
        let (count, deals) = (section.matchups, section.deals);
        let matchups = match self.known(&results.pairings, count) {
            Some(known) => known,
            None => self.matchups(results),
        };
        let first = self.next;
        self.done += 1;
        // A ladder ends when its keys do.
        self.next = first.checked_add(count)?;
        (!matchups.is_empty()).then(|| Round {
            section: self.section,
            first,
            deals,
            matchups,
            groups: self.groups.clone(),
        })
    }

    fn draw(&self, results: &Results) -> Vec<Vec<usize>> {
        let Some(last) = self.section.checked_sub(1) else {
            return first_groups(self.settings);
        };
        let out = &results.orders.disqualified;
        let tables = results.tables(&self.sections[last], &self.last);
        let stage = &self.settings.stages[last];
        next_groups(self.settings, self.section, &tables, stage, out)
    }

    /// The matchups of the next round, if all are known; they are taken in as if they had been paired.
    fn known(&mut self, known: &BTreeMap<u32, Vec<usize>>, count: u32) -> Option<Vec<Vec<usize>>> {
        let format = self.sections[self.section].format;
        if !format.pairs_rounds() {
            return None;
        }
        let last = self.next.checked_add(count)?;
        let round = known.range(self.next..last).map(|(_, m)| m.clone());
        let round: Vec<Vec<usize>> = round.collect();
        if round.len() != count as usize {
            return None;
        }
        for &entrant in self.groups.iter().flatten() {
            self.byes[entrant] += u32::from(!round.iter().flatten().any(|&e| e == entrant));
        }
        if format == Format::Ladder {
            self.met.clear();
        }
        self.meet(&round);
        Some(round)
    }

    fn matchups(&mut self, results: &Results) -> Vec<Vec<usize>> {
        let section = &self.sections[self.section];
        let (format, seats) = (section.format, self.settings.seats());
        if let Some(fixed) = section.fixed(&self.groups, seats) {
            return fixed;
        }
        let mut before = results.blocks_of(section);
        before.retain(|block| block.matchup < self.next);
        let entrants = self.settings.entrants.len();
        let mut scores = match format {
            Format::Ladder => self.ratings(&before),
            _ => scores(entrants, &before),
        };
        if self.settings.has_table() {
            for group in &self.groups {
                let rows = table(self.settings, group, &before, &results.orders.disqualified);
                for (place, row) in rows.iter().enumerate() {
                    scores[row.entrant] = -(place as f64);
                }
            }
        }
        let groups = self.groups.clone();
        let paired: Vec<Vec<usize>> = groups
            .iter()
            .flat_map(|group| self.paired(group, &scores))
            .collect();
        if format == Format::Ladder {
            self.met.clear();
        }
        self.meet(&paired);
        paired
    }

    fn paired(&mut self, group: &[usize], scores: &[f64]) -> Vec<Vec<usize>> {
        let met = |a: usize, b: usize| {
            let (a, b) = (group[a], group[b]);
            let pair = (a.min(b), a.max(b));
            self.met.get(&pair).copied().unwrap_or(0)
        };
        let scores: Vec<f64> = group.iter().map(|&entrant| scores[entrant]).collect();
        let byes: Vec<u32> = group.iter().map(|&entrant| self.byes[entrant]).collect();
        let round = pairings(self.settings.seats(), &scores, met, &byes);
        for place in round.byes {
            self.byes[group[place]] += 1;
        }
        let seated = |table: Vec<usize>| table.into_iter().map(|place| group[place]).collect();
        round.matchups.into_iter().map(seated).collect()
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

    fn ratings(&self, blocks: &[&DealBlock]) -> Vec<f64> {
        let blocks = blocks.iter().map(|b| &b.block);
        let plan = stats::Plan {
            anchor: self.settings.anchor,
            resamples: 0,
            seed: self.settings.seed.number(),
        };
        let found = ratings(self.settings.entrants.len(), blocks, plan);
        found.entrants.iter().map(|r| r.rating).collect()
    }
}

/// Mean scores; one half for those that have not played, and nothing for games that they have not begun.
fn scores(entrants: usize, blocks: &[&DealBlock]) -> Vec<f64> {
    let score = |entrant: usize| {
        let of = |block: &&DealBlock| {
            let seated = |game: &&Arc<stats::Outcome>| game.entrants.contains(&entrant);
            let all = block.counted().filter(seated).count();
            let absent = block.walkovers.iter().filter(seated).count();
            let played = block.block.mean_of(entrant, stats::Outcome::score);
            let share = (all - absent) as f64 / all.max(1) as f64;
            (all > 0).then(|| played.unwrap_or(0.0) * share)
        };
        let all: Vec<f64> = blocks.iter().filter_map(of).collect();
        if all.is_empty() {
            0.5
        } else {
            all.iter().sum::<f64>() / all.len() as f64
        }
    };
    (0..entrants).map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_that_nobody_has_begun_score_nothing() {
        let game = |entrants: [usize; 2]| stats::Outcome {
            entrants: entrants.to_vec(),
            places: vec![0, 1],
            points: vec![1.0, 0.0],
        };
        let block = |games: Vec<stats::Outcome>, walkovers: Vec<stats::Outcome>| DealBlock {
            matchup: 0,
            deal: 0,
            block: stats::Block::from_iter(games),
            walkovers: walkovers.into_iter().map(Arc::new).collect(),
        };
        let all = [
            block(vec![game([0, 1])], vec![game([1, 0])]),
            block(vec![], vec![game([2, 3]), game([3, 2])]),
        ];
        let all: Vec<&DealBlock> = all.iter().collect();
        assert_eq!(scores(5, &all), [0.5, 0.0, 0.0, 0.0, 0.5]);
    }
}
