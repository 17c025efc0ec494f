//! Groups and stages: who meets whom in a league that is played in several parts.

use serde::{Deserialize, Serialize};

use super::{Format, Settings};
use crate::result::number::counted;
use crate::sections::Section;

/// The groups of the first stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Groups {
    /// So many.
    pub count: u32,
    /// Entrants from the best to the worst, by which the groups are balanced; empty where all are drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<usize>,
}

impl Default for Groups {
    fn default() -> Groups {
        Groups {
            count: 1,
            order: Vec::new(),
        }
    }
}

impl Groups {
    /// Whether all entrants play in one.
    pub const fn is_one(&self) -> bool {
        self.count == 1 && self.order.is_empty()
    }
}

/// A later stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// How many of each group of the stage before go on.
    pub advance: u32,
    /// How many of the others go on, by their points.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wild_cards: u32,
    /// Its groups.
    pub groups: u32,
    /// The pairing in each.
    pub format: Format,
    /// Deals of each matchup.
    pub deals: u32,
}

/// The pace at which the first games of each matchup of a stage are shown to watchers. It changes no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pace {
    /// The number of games of each matchup.
    pub games: u32,
    /// Least milliseconds between two moves.
    pub ms: u64,
}

/// Most milliseconds between two moves of a pace.
const SLOWEST_PACE: u64 = 60_000;

impl Pace {
    /// What is wrong with the pace, if anything.
    pub(super) fn fault(self) -> Option<String> {
        if self.games == 0 {
            Some("a pace is that of 1 game or more: leave it out for none".to_owned())
        } else if !(1..=SLOWEST_PACE).contains(&self.ms) {
            Some(format!(
                "a pace has 1 to {SLOWEST_PACE} milliseconds between two moves"
            ))
        } else {
            None
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde has it
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Settings {
    /// Whether pairings follow from the games of a round or a stage before.
    pub const fn pairs_rounds(&self) -> bool {
        self.format.pairs_rounds() || !self.stages.is_empty()
    }

    /// Whether it is played in groups or stages.
    pub const fn has_stages(&self) -> bool {
        !self.stages.is_empty() || !self.groups.is_one()
    }

    /// The pace of the stage in which this matchup is played, if it has one.
    pub(crate) fn pace_of(&self, matchup: u32) -> Option<Pace> {
        if self.run.paces.is_empty() {
            return None;
        }
        let sections = Section::all(self);
        let stage = sections.iter().rposition(|s| s.first <= matchup)?;
        self.run.paces.get(&stage).copied()
    }

    /// Whether it is ranked by a table of points.
    pub fn has_table(&self) -> bool {
        self.has_stages() || !self.ranking.is_default()
    }
}

/// What of groups, stages and ranking cannot be: its key, and why.
pub(crate) fn fault(s: &Settings) -> Option<(&'static str, String)> {
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
