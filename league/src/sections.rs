//! The sections of a schedule: one in most leagues; in those with stages one for each, with its groups.
//!
//! How many matchups a section has follows from the settings alone, so that each fixture has one key in all stages. Who
//! plays in a section follows from the results of the one before.

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::schedule::{LeagueSeed, count, matchups};
use super::settings::{Format, MoveDelay, Settings};
use server::number::counted;

/// Matchups of a schedule; more fill the memory and are played by nobody.
pub const MOST_MATCHUPS: u64 = 100_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name; empty for that of a league without stages.
    pub name: String,
    pub format: Format,
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
            let matchups = sizes.iter().map(|&size| {
                let matchups = count(format, size, settings.seats());
                u32::try_from(matchups).unwrap_or(u32::MAX)
            });
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
        let of_group = |group: &Vec<usize>| {
            let mut all = matchups(self.format, group.len(), seats)?;
            for seat in all.iter_mut().flatten() {
                *seat = group[*seat];
            }
            Some(all)
        };
        let all: Option<Vec<_>> = groups.iter().map(of_group).collect();
        Some(all?.concat())
    }

    /// The number behind its last matchup; `None` without end.
    pub fn end(&self) -> Option<u64> {
        let rounds = u64::from(self.rounds?);
        Some(u64::from(self.first) + rounds * u64::from(self.matchups))
    }

    pub fn has(&self, matchup: u32) -> bool {
        self.first <= matchup && self.end().is_none_or(|end| u64::from(matchup) < end)
    }
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

/// Draws the entrants of each pot into the groups, as evenly as can be.
pub(super) fn drawn(
    seed: LeagueSeed,
    section: u32,
    pots: &[Vec<usize>],
    groups: usize,
) -> Vec<Vec<usize>> {
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

/// What of groups, stages and ranking cannot be: its key, and why.
pub(crate) fn fault_of_stages(s: &Settings) -> Option<(&'static str, String)> {
    let is_staged = s.has_stages();
    let has_groups = matches!(s.format, Format::RoundRobin | Format::Swiss { .. });
    let mut named = s.groups.order.clone();
    named.sort_unstable();
    named.dedup();
    let is_crowd = |groups: u32| groups as usize > s.entrants.len();
    let (key, reason) = if s.groups.count == 0 {
        ("groups", "entrants play in at least one group")
    } else if is_crowd(s.groups.count) {
        ("groups", "there are more groups than entrants")
    } else if s.stages.iter().any(|stage| is_crowd(stage.groups)) {
        ("[[stages]]", "there are more groups than entrants")
    } else if !s.groups.order.is_empty() && named.len() != s.entrants.len() {
        ("order", "the order of the entrants names each of them once")
    } else if s.groups.count == 1 && !s.groups.order.is_empty() {
        (
            "order",
            "an order balances groups: say how many `groups` there are",
        )
    } else if is_staged && !has_groups {
        let reason = "groups and stages have the formats `round-robin` and `swiss`";
        ("format", reason)
    } else if is_staged && s.sprt.is_some() {
        (
            "[sprt]",
            "a league with groups or stages has no sequential test",
        )
    } else if s.ranking.pairing_points.is_some() && s.seats() != 2 {
        ("pairing-points", "points of a pairing are for two seats")
    } else if s
        .ranking
        .pairing_points
        .is_some_and(|p| p.iter().any(|p| !p.is_finite()))
    {
        ("pairing-points", "points are numbers")
    } else {
        return is_staged.then(|| section_fault(s)).flatten();
    };
    Some((key, reason.to_owned()))
}

fn section_fault(s: &Settings) -> Option<(&'static str, String)> {
    let sections = Section::all(s);
    for (number, section) in sections.iter().enumerate() {
        let key = if number == 0 { "groups" } else { "[[stages]]" };
        let smallest = section.sizes.iter().min().copied().unwrap_or_default();
        let least = match section.format {
            Format::Swiss { .. } => s.seats(),
            _ => 2,
        };
        if smallest < least {
            let entrants = counted(smallest as u64, "entrant");
            let reason = format!("a group has {entrants}, and {least} at least play in it");
            return Some((key, reason));
        }
        if section.deals == 0 || section.rounds == Some(0) {
            return Some((key, "at least one deal and one round are played".to_owned()));
        }
        let Some(next) = s.stages.get(number) else {
            continue;
        };
        if next.groups == 0 {
            return Some((
                "[[stages]]",
                "entrants play in at least one group".to_owned(),
            ));
        }
        let left: usize = section
            .sizes
            .iter()
            .map(|size| size.saturating_sub(next.advance as usize))
            .sum();
        if next.advance as usize > smallest || next.wild_cards as usize > left {
            let reason = format!(
                "more entrants go on than there are: the smallest group before `{}` has {smallest}",
                next.name
            );
            return Some(("[[stages]]", reason));
        }
    }
    None
}

impl Settings {
    /// The pace of the stage in which this matchup is played, if it has one.
    pub(crate) fn pace_of(&self, matchup: u32) -> Option<MoveDelay> {
        if self.run.paces.is_empty() {
            return None;
        }
        let sections = Section::all(self);
        let stage = sections.iter().rposition(|s| s.first <= matchup)?;
        self.run.paces.get(&stage).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Groups, Stage};
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
}
