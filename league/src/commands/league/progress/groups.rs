//! The tables of the groups of the stage in play, for those who watch.

use std::time::{Duration, Instant};

use record::watch::{Group, Standing};

use crate::journal::{DealBlock, Entry, Outcomes};
use crate::ranking::{Row, table};
use crate::result::Results;
use crate::sections::{Section, first_groups};
use crate::settings::Settings;

/// Most entrants in a line to watchers, which is then shorter than the protocol's limit.
pub(super) const TOLD: usize = 48;

/// Ratings and tables may each take one part in so many of the time.
const SHARE: u32 = 100;

/// Bytes of the name of a stage.
const MOST_NAME: usize = 60;

/// The groups of a league that is ranked by points.
#[derive(Default)]
pub(super) struct GroupTables {
    /// The number of the stage in play, and its groups; none for those of the first.
    stage: (usize, Vec<Vec<usize>>),
    pub(super) tables: Vec<Group>,
    /// When they were made last, and what that cost.
    made: Option<(Instant, Duration)>,
    is_due: bool,
}

impl GroupTables {
    /// Those of a league, where there are points to rank by.
    pub(super) fn of(settings: &Settings) -> Option<GroupTables> {
        settings.has_table().then(|| GroupTables {
            is_due: true,
            ..GroupTables::default()
        })
    }

    /// Takes a line of the journal.
    pub(super) fn take(&mut self, entry: &Entry) {
        match entry {
            Entry::Round { round, .. } => {
                let stage = (round.section, round.groups.clone());
                if self.stage != stage {
                    self.stage = stage;
                    self.rank_anew();
                }
            }
            Entry::Command { .. } => self.rank_anew(),
            entry => self.is_due |= entry.played().is_some(),
        }
    }

    /// The next tables are made whatever they cost.
    pub(super) const fn rank_anew(&mut self) {
        (self.made, self.is_due) = (None, true);
    }

    /// Brings the tables up to date, if that has become cheap enough; gives whether they are.
    pub(super) fn rank(&mut self, results: &Results) -> bool {
        if self.is_due && !is_dear(self.made) {
            let now = Instant::now();
            self.tables = self.ranked(results);
            (self.made, self.is_due) = (Some((now, now.elapsed())), false);
        }
        !self.is_due
    }

    fn ranked(&self, results: &Results) -> Vec<Group> {
        let settings = &results.head.settings;
        let (number, groups) = &self.stage;
        let groups = if groups.is_empty() {
            first_groups(settings)
        } else {
            groups.clone()
        };
        let sections = Section::all(settings);
        let Some(section) = sections.get(*number) else {
            return Vec::new();
        };
        // Deals of which a part was played count too.
        let mut outcomes = Outcomes::default();
        let begun = results.begun();
        let begun: Vec<DealBlock> = begun.map(|all| DealBlock::of(all, &mut outcomes)).collect();
        let begun = begun.iter().filter(|one| section.has(one.matchup));
        let mut own = results.blocks_of(section);
        own.extend(begun);
        let count = groups.len();
        let section = cut(&section.name, MOST_NAME);
        let standing = |row: Row| Standing {
            name: settings.entrants[row.entrant].name.clone(),
            games: row.games,
            points: rounded(row.points, 10.0),
        };
        // As many entrants of all groups as there are in the list.
        let mut left = TOLD;
        let group = |(at, group): (usize, Vec<usize>)| {
            let shown = left.min(group.len());
            left -= shown;
            (at, group, shown)
        };
        let all = groups.into_iter().enumerate().map(group);
        let group = |(at, group, shown): (usize, Vec<usize>, usize)| Group {
            name: match count {
                1 => section.clone(),
                _ => format!("{section} {}", at + 1),
            },
            entrants: table(settings, &group, &own, &results.orders.disqualified)
                .into_iter()
                .take(shown)
                .map(standing)
                .collect(),
        };
        all.filter(|(.., shown)| *shown > 0).map(group).collect()
    }
}

/// Whether it is too early to recompute figures that were made at this time at this cost.
pub(super) fn is_dear(made: Option<(Instant, Duration)>) -> bool {
    made.is_some_and(|(at, cost)| at.elapsed() < cost * SHARE)
}

pub(super) fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}

/// The beginning of a text, in whole characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    text[..text.floor_char_boundary(most)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Game, Played};
    use crate::settings::TieBreak;
    use crate::testing::{head, settings};

    #[test]
    fn tables_wait_until_their_cost_is_a_small_part_of_the_time() {
        let mut settings = settings();
        assert!(
            GroupTables::of(&settings).is_none(),
            "it is ranked by ratings"
        );
        settings.ranking.tie_breaks = vec![TieBreak::Points];
        let mut groups = GroupTables::of(&settings).unwrap();
        let mut results = Results::new(head(settings));
        let played = Played {
            key: "0.0.0".parse().unwrap(),
            seats: vec![0, 1],
            ms: 1,
            games: vec![Game {
                places: vec![0, 1],
                points: vec![1.0, 0.0],
                moves: vec![1; 2],
                used: vec![1; 2],
                slowest: vec![1; 2],
                ..Game::default()
            }],
            record: None,
            host: None,
        };
        let games = |groups: &GroupTables| groups.tables[0].entrants[0].games;
        assert!(groups.rank(&results));
        groups.made = Some((Instant::now(), Duration::from_mins(1)));
        assert!(groups.rank(&results), "nothing has changed");
        let entry = Entry::Played(played);
        results.take(&entry);
        groups.take(&entry);
        assert!(!groups.rank(&results));
        assert_eq!(games(&groups), 0);
        // A disqualification and a new stage are shown at once.
        groups.rank_anew();
        assert!(groups.rank(&results));
        assert_eq!(games(&groups), 1);
    }
}
