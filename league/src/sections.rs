//! The sections of a schedule: one in most leagues; in those with stages one for each, with its groups.
//!
//! How many matchups a section has follows from the settings alone, so that each fixture has one key in all stages. Who
//! plays in a section follows from the results of the one before.

use std::collections::BTreeSet;

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::ranking::Row;
use super::schedule;
use super::schedule::{LeagueSeed, matchups};
use super::settings::{Format, Settings, Stage};

/// Matchups of a schedule; more fill the memory and are played by nobody.
pub const MOST_MATCHUPS: u64 = 100_000;

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name; empty for that of a league without stages.
    pub name: String,
    /// The pairing in each group.
    pub format: Format,
    /// Entrants of each group.
    pub sizes: Vec<usize>,
    /// Deals of each matchup of a round.
    pub deals: u32,
    /// The number of its first matchup.
    pub first: u32,
    /// Matchups of a round, of all groups together.
    pub matchups: u32,
    /// Rounds; `None` without end.
    pub rounds: Option<u32>,
    /// Blocks of the sections before.
    pub before: u64,
}

impl Section {
    /// Those of a league, in their order.
    pub fn all(settings: &Settings) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::with_capacity(1 + settings.stages.len());
        let (mut first, mut before) = (0_u32, 0_u64);
        let mut entrants = settings.entrants.len();
        for stage in 0..=settings.stages.len() {
            let later = stage.checked_sub(1).map(|stage| &settings.stages[stage]);
            let groups = later
                .map_or(settings.groups.count, |stage| stage.groups)
                .max(1) as usize;
            if let (Some(stage), Some(last)) = (later, sections.last()) {
                entrants = last.sizes.len() * stage.advance as usize + stage.wild_cards as usize;
            }
            let format = later.map_or(settings.format, |stage| stage.format);
            let size = |group: usize| entrants / groups + usize::from(group < entrants % groups);
            let sizes: Vec<usize> = (0..groups).map(size).collect();
            let matchups = sizes
                .iter()
                .map(|&size| of_round(format, size, settings.seats()));
            let matchups = matchups.fold(0_u32, u32::saturating_add);
            let deals = later.map_or(settings.deals, |stage| stage.deals);
            let rounds = match format {
                Format::Swiss { rounds } => Some(rounds),
                Format::Ladder => None,
                _ => Some(1),
            };
            let first_name = match (settings.stages.is_empty(), settings.groups.count) {
                (true, _) => "",
                (false, 1) => "first stage",
                (false, _) => "groups",
            };
            let name = later.map_or_else(|| first_name.to_owned(), |stage| stage.name.clone());
            sections.push(Section {
                name,
                format,
                sizes,
                deals,
                first,
                matchups,
                rounds,
                before,
            });
            let rounds = rounds.unwrap_or(1);
            first = first.saturating_add(matchups.saturating_mul(rounds));
            let blocks = u64::from(matchups) * u64::from(rounds);
            before = before.saturating_add(blocks.saturating_mul(deals.into()));
        }
        sections
    }

    /// Matchups of a schedule, of which at most [`MOST_MATCHUPS`] are played: of a round, where results pair it.
    pub fn matchups_of(settings: &Settings) -> u64 {
        let sections = Section::all(settings).into_iter();
        sections.map(|section| u64::from(section.matchups)).sum()
    }

    /// Fixtures of the whole schedule of a league; `None` if it has no end.
    pub fn fixtures_of(settings: &Settings) -> Option<u64> {
        let sections = Section::all(settings);
        let last = sections.last()?;
        let of_last = u64::from(last.rounds?) * u64::from(last.matchups);
        let of_last = of_last.saturating_mul(last.deals.into());
        let blocks = last.before.saturating_add(of_last);
        Some(blocks.saturating_mul(settings.plan().rotations().into()))
    }

    /// The matchups of a round whose pairing does not depend on results; `None` where it does.
    pub fn fixed(&self, groups: &[Vec<usize>], seats: usize) -> Option<Vec<Vec<usize>>> {
        let format = match self.format {
            Format::RoundRobin => schedule::MatchupFormat::RoundRobin,
            Format::Gauntlet { challenger } => schedule::MatchupFormat::Gauntlet { challenger },
            Format::Copies { challenger } => schedule::MatchupFormat::Copies { challenger },
            Format::Swiss { .. } | Format::Ladder => return None,
        };
        let of_group = |group: &Vec<usize>| {
            let mut all = matchups(format, group.len(), seats);
            for seat in all.iter_mut().flatten() {
                *seat = group[*seat];
            }
            all
        };
        Some(groups.iter().flat_map(of_group).collect())
    }

    /// The number behind its last matchup; `None` without end.
    pub fn end(&self) -> Option<u64> {
        let rounds = u64::from(self.rounds?);
        Some(u64::from(self.first) + rounds * u64::from(self.matchups))
    }

    /// Whether a matchup is one of its.
    pub fn has(&self, matchup: u32) -> bool {
        self.first <= matchup && self.end().is_none_or(|end| u64::from(matchup) < end)
    }
}

fn of_round(format: Format, size: usize, seats: usize) -> u32 {
    let format = match format {
        Format::RoundRobin => schedule::MatchupFormat::RoundRobin,
        Format::Gauntlet { challenger } => schedule::MatchupFormat::Gauntlet { challenger },
        Format::Copies { challenger } => schedule::MatchupFormat::Copies { challenger },
        Format::Swiss { .. } | Format::Ladder => return (size / seats.max(1)) as u32,
    };
    u32::try_from(schedule::count(format, size, seats)).unwrap_or(u32::MAX)
}

/// The groups of the first section, each sorted. Where the file gives an order, each group gets one of the first entrants,
/// one of the next, and so on, drawn from the seed; otherwise all are drawn.
pub fn first_groups(settings: &Settings) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..settings.entrants.len()).collect();
    let groups = settings.groups.count.max(1) as usize;
    let pots = match &settings.groups.order[..] {
        [] => vec![all],
        order => order.chunks(groups).map(<[usize]>::to_vec).collect(),
    };
    drawn(settings.seed, 0, &pots, groups)
}

/// The groups of a later section: the best of each table, each group with as many winners of a table as the others, and so
/// on, and then the best of the others, those that are disqualified last.
pub fn next_groups(
    settings: &Settings,
    section: usize,
    tables: &[Vec<Row>],
    stage: &Stage,
    disqualified: &BTreeSet<usize>,
) -> Vec<Vec<usize>> {
    let advance = stage.advance as usize;
    let place = |place: usize| tables.iter().filter_map(move |table| table.get(place));
    let mut order: Vec<usize> = (0..advance)
        .flat_map(place)
        .map(|row| row.entrant)
        .collect();
    let longest = tables.iter().map(Vec::len).max().unwrap_or_default();
    let mut others: Vec<&Row> = (advance..longest).flat_map(place).collect();
    // Those that are level in points and wins go by their place and the lot of the table.
    let is_out = |row: &Row| disqualified.contains(&row.entrant);
    others.sort_by(|a, b| {
        let is_out = is_out(a).cmp(&is_out(b));
        is_out
            .then(b.points.total_cmp(&a.points))
            .then(b.wins.cmp(&a.wins))
    });
    let others = others.into_iter().take(stage.wild_cards as usize);
    order.extend(others.map(|row| row.entrant));
    let groups = stage.groups.max(1) as usize;
    let pots: Vec<Vec<usize>> = order.chunks(groups).map(<[usize]>::to_vec).collect();
    drawn(settings.seed, section as u32, &pots, groups)
}

/// Draws the entrants of each pot into the groups, as evenly as can be.
fn drawn(seed: LeagueSeed, section: u32, pots: &[Vec<usize>], groups: usize) -> Vec<Vec<usize>> {
    let seed = seed.key().part("groups", &[section]).seed();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut all = vec![Vec::new(); groups];
    for pot in pots {
        let mut pot = pot.clone();
        pot.shuffle(&mut rng);
        for (place, entrant) in pot.into_iter().enumerate() {
            all[place % groups].push(entrant);
        }
    }
    for group in &mut all {
        group.sort_unstable();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Groups;
    use crate::testing::settings;

    /// So many entrants in groups, and a final.
    fn staged(entrants: usize, groups: u32, advance: u32) -> Settings {
        let mut settings = settings();
        let one = settings.entrants[0].clone();
        settings.entrants = vec![one; entrants];
        settings.deals = 3;
        settings.groups = Groups {
            count: groups,
            order: Vec::new(),
        };
        settings.stages = vec![Stage {
            name: "final".to_owned(),
            advance,
            wild_cards: 0,
            groups: 1,
            format: Format::RoundRobin,
            deals: 7,
        }];
        settings
    }

    #[test]
    fn matchups_count_on_through_groups_and_stages() {
        let settings = staged(11, 3, 2);
        let sections = Section::all(&settings);
        let [groups, last] = &sections[..] else {
            panic!("{sections:?}");
        };
        assert_eq!(
            (&groups.sizes[..], groups.matchups),
            (&[4, 4, 3][..], 6 + 6 + 3)
        );
        assert_eq!(
            (&last.sizes[..], last.matchups, last.first),
            (&[6][..], 15, 15)
        );
        assert_eq!((groups.before, last.before), (0, 45));
        assert!(groups.has(14) && !groups.has(15) && last.has(15) && !last.has(30));
        let drawn = first_groups(&settings);
        let fixed = groups.fixed(&drawn, 2).unwrap();
        assert_eq!(fixed.len(), 15);
        for (matchup, seated) in fixed.iter().enumerate() {
            let group = [0, 6, 12, 15]
                .iter()
                .rposition(|&first| first <= matchup)
                .unwrap();
            assert!(seated.iter().all(|entrant| drawn[group].contains(entrant)));
        }
    }

    #[test]
    fn a_schedule_of_any_length_is_counted() {
        let mut settings = staged(4, 1, 2);
        settings.format = Format::Swiss { rounds: u32::MAX };
        settings.deals = u32::MAX;
        assert_eq!(Section::fixtures_of(&settings), Some(u64::MAX));
    }

    #[test]
    fn groups_follow_from_the_seed_and_are_balanced_by_an_order() {
        let mut settings = staged(9, 3, 1);
        let drawn = first_groups(&settings);
        assert_eq!(first_groups(&settings), drawn);
        let mut all = drawn.concat();
        all.sort_unstable();
        assert_eq!(all, (0..9).collect::<Vec<_>>());
        settings.seed = 2.into();
        assert_ne!(first_groups(&settings), drawn);
        settings.groups.order = vec![8, 7, 6, 5, 4, 3, 2, 1, 0];
        for seed in 0..20_u64 {
            settings.seed = seed.into();
            for group in first_groups(&settings) {
                let pots: Vec<usize> = group.iter().map(|entrant| entrant / 3).collect();
                assert_eq!(pots, [0, 1, 2], "one of each third");
            }
        }
    }

    #[test]
    fn the_best_of_each_group_go_on() {
        let settings = staged(9, 3, 2);
        let row = |entrant| Row {
            entrant,
            games: 1,
            points: 0.0,
            wins: 0,
            buchholz: 0.0,
        };
        let tables = [[4, 1, 7], [0, 8, 2], [5, 3, 6]].map(|table| table.map(row).to_vec());
        let mut stage = settings.stages[0].clone();
        let none = BTreeSet::new();
        assert_eq!(
            next_groups(&settings, 1, &tables, &stage, &none),
            [[0, 1, 3, 4, 5, 8]]
        );
        let mut better = tables.clone();
        (better[1][2].points, better[2][1].points) = (1.0, 2.0);
        (stage.advance, stage.wild_cards) = (1, 2);
        assert_eq!(
            next_groups(&settings, 1, &better, &stage, &none),
            [[0, 2, 3, 4, 5]]
        );
        // One that is disqualified leaves its place to the next.
        let two = next_groups(&settings, 1, &better, &stage, &[2].into());
        assert!(!two[0].contains(&2) && two[0].len() == 5, "{two:?}");
        (stage.advance, stage.wild_cards, stage.groups) = (2, 0, 3);
        let three = next_groups(&settings, 1, &tables, &stage, &none);
        for group in three {
            let winners = group.iter().filter(|entrant| [4, 0, 5].contains(entrant));
            assert_eq!((group.len(), winners.count()), (2, 1));
        }
    }
}
