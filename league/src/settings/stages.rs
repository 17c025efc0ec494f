//! Groups and stages: who meets whom in a league that is played in several parts.

use serde::{Deserialize, Serialize};

use super::{Format, Settings};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Groups {
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stage {
    pub name: String,
    /// How many of each group of the stage before go on.
    pub advance: u32,
    /// How many of the others go on, by their points.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wild_cards: u32,
    pub groups: u32,
    pub format: Format,
    pub deals: u32,
}

/// The pace at which the first games of each matchup of a stage are shown to watchers. It changes no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MoveDelay {
    /// The number of games of each matchup.
    pub games: u32,
    /// Least milliseconds between two moves.
    pub ms: u64,
}

/// Most milliseconds between two moves of a pace.
const SLOWEST_PACE: u64 = 60_000;

impl MoveDelay {
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

    pub const fn has_stages(&self) -> bool {
        !self.stages.is_empty() || !self.groups.is_one()
    }

    pub fn has_table(&self) -> bool {
        self.has_stages() || !self.ranking.is_default()
    }
}

/// How entrants are ranked, where it is not by rating. It is no part of what is played, unless a later stage or a round
/// depends on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ranking {
    /// Points of the one with more wins in all games of a pairing, of both where these are equal, and of the other;
    /// `None` adds up the points of games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairing_points: Option<[f64; 3]>,
    /// What decides, one after the other; empty for what is usual.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tie_breaks: Vec<TieBreak>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    Points,
    /// Games that it has won alone.
    Wins,
    /// The games of those that are level against each other.
    HeadToHead,
    /// Points of its opponents, each once for each pairing.
    Buchholz,
    /// A lot, drawn from the league's seed.
    Lot,
}

impl TieBreak {
    /// Its name in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            TieBreak::Points => "points",
            TieBreak::Wins => "wins",
            TieBreak::HeadToHead => "head-to-head",
            TieBreak::Buchholz => "buchholz",
            TieBreak::Lot => "lot",
        }
    }
}

impl Ranking {
    pub fn is_default(&self) -> bool {
        *self == Ranking::default()
    }

    pub fn order(&self) -> &[TieBreak] {
        const USUAL: [TieBreak; 4] = [
            TieBreak::Points,
            TieBreak::Wins,
            TieBreak::HeadToHead,
            TieBreak::Lot,
        ];
        match &self.tie_breaks[..] {
            [] => &USUAL,
            given => given,
        }
    }
}
