//! The figures of a report.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::highlights::Highlight;
use super::results::Thinking;
use super::seats::SeatScore;
use super::stages::StageTable;
use crate::journal::{MachineWork, OrganiserCommand, PlayedBy};
use crate::schedule::LeagueSeed;
use stats::{Cross, Duels, Hypotheses, Standing, Step, Verdict};

/// Version of the figures as JSON: it grows when a field changes its name or its meaning.
pub const VERSION: u32 = 1;

/// All figures of a league. Lists of entrants go from the best to the worst. Intervals are for 95 %;
/// an end that cannot be told yet is infinite, in JSON `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    pub version: u32,
    pub title: String,
    /// The programs and machines that have played it, from the first to the last.
    pub played_by: Vec<PlayedBy>,
    /// What each machine has played, where workers on many have.
    pub machines: Vec<MachineWork>,
    pub game: &'static str,
    /// The pairing of the entrants, in words.
    pub format: String,
    /// Games of a block, the unit of the statistics: one for each seat, in sessions as many sessions.
    pub block_games: u64,
    /// Whether all games of a block have the same deal; if not each has its own.
    pub duplicate: bool,
    pub ranked_by: RankedBy,
    /// Name of the entrant whose rating is 0.
    pub anchor: String,
    /// Wanted half width of the intervals of ratings.
    pub margin: f64,
    /// When the league was begun and taken up again, RFC 3339.
    pub began: Vec<String>,
    /// Hours of play, added up over all fixtures.
    pub table_hours: f64,
    pub totals: Totals,
    /// The seed, once the league is over: all deals follow from it.
    pub seed: Option<LeagueSeed>,
    pub entrants: Vec<EntrantFigures>,
    /// The tables of all stages that have begun, where the league is ranked by them.
    pub stages: Vec<StageTable>,
    /// Row against column, both in the order of [`Report::entrants`]; `None` where two never met.
    pub cross: Vec<Vec<Option<Cross>>>,
    pub seats: Vec<SeatScore>,
    /// Davidson's parameter of draws, in games for two.
    pub draw: Option<f64>,
    /// How many games ended by which rule, in games that end by several.
    pub ends: BTreeMap<String, u64>,
    /// What was begun in vain, and played later.
    pub voids: Vec<VoidCount>,
    /// What was begun in vain and has not been played.
    pub not_played: Vec<Unplayed>,
    pub acts: Vec<OrganiserCommand>,
    pub sprt: Option<Sequential>,
    /// What is still needed for the wanted margin; `None` if that cannot be told yet.
    pub needed: Option<Needed>,
    /// What tells each entrant from the one below it, about; `None` if that cannot be told yet.
    pub apart: Option<MoreGames>,
    /// Ratings by the first blocks of the schedule, in the order of [`Report::entrants`].
    pub progress: Vec<Step>,
    /// Games that are worth a look, at most three of each kind.
    pub highlights: Vec<Highlight>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankedBy {
    Rating,
    /// Sum of points, as in tournaments that count them.
    Points,
    /// The table of the last stage, and those before it.
    Table,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Totals {
    pub fixtures: u64,
    /// Fixtures of the whole schedule; `None` if it has no end.
    pub scheduled: Option<u64>,
    pub games: u64,
    /// Moves of all games.
    pub plies: u64,
    /// Whole blocks: deals that were played from every seat, or as many games with a deal each.
    pub blocks: u64,
    /// Blocks that were begun but not finished: left out of ratings, means and tables.
    pub incomplete: u64,
    /// Blocks that repeat the games of an earlier block. They count as independent all the same: intervals are too narrow.
    pub repeats: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EntrantFigures {
    pub name: String,
    /// Its number in the league, from 0.
    pub number: usize,
    /// Its time limits in words, if they differ from the league's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<String>,
    /// Its rating above the anchor; `None` without a game.
    pub rating: Option<f64>,
    /// Half width of the interval of its rating.
    pub rating_half_width: f64,
    /// The chance that it is stronger than the next one below; `None` where that cannot be told.
    pub superior_to_next: Option<Superiority>,
    /// Whether it is disqualified, and behind all others.
    pub disqualified: bool,
    /// Games, of whole deals.
    pub games: u64,
    #[serde(flatten)]
    pub standing: Standing,
    /// Wins, draws, losses, pairs and Elo, in games for two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duels: Option<Duels>,
    /// Mean score in each seat of the table; `None` where it never sat.
    pub by_seat: Vec<Option<f64>>,
    /// How often it made which fault.
    pub faults: BTreeMap<&'static str, u64>,
    /// Melds and gifts that were refused in Daihinmin: no faults.
    pub refused: u64,
    pub thinking: Thinking,
}

/// A chance, written with as many digits as it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superiority(pub f64);

impl Superiority {
    /// Whether the 95 % interval of the difference leaves out zero.
    pub fn is_told(self) -> bool {
        !(0.025..=0.975).contains(&self.0)
    }
}

impl Serialize for Superiority {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64((self.0 * 1e4).round() / 1e4)
    }
}

/// Fixtures that were begun in vain, by no player's fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoidCount {
    pub reason: String,
    pub fixtures: u64,
}

/// Fixtures that were begun in vain and have not been played: the league has given them up, or goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unplayed {
    /// Names of who should have met, as far as they are known.
    pub entrants: Vec<String>,
    /// Why: one of the reasons, where they differ.
    pub reason: String,
    pub fixtures: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sequential {
    pub entrant: String,
    pub hypotheses: Hypotheses,
    /// Bounds of the logarithm of the likelihood ratio.
    pub bounds: [f64; 2],
    /// The logarithm of the likelihood ratio; `None` before [`LEAST_BLOCKS`](stats::Sprt::LEAST_BLOCKS) blocks.
    pub ratio: Option<f64>,
    /// Blocks that count: up to the verdict, or up to the first that is still missing.
    pub blocks: u64,
    pub verdict: Verdict,
    /// The ratio after so many blocks, thinned out; the last is the present one.
    pub course: Vec<(u64, f64)>,
    /// Whether the whole schedule is played, so that no more blocks come.
    pub all_played: bool,
    /// Whether the league is a Swiss one, which goes on with more rounds.
    #[serde(skip)]
    pub is_swiss: bool,
    /// Logistic Elo of both hypotheses, in games for two: the difference 400 log10(s / (1 - s)) that has the mean
    /// score s. Not the unit of ratings, in which draws are no half wins.
    pub elo: Option<[f64; 2]>,
}

/// What is needed for the wanted margin: with half width h after n blocks, n (h / margin)^2 in all, where h is that of
/// a known variance, for Student's quantile shrinks too.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Needed {
    /// Half width of the widest interval of a rating by now.
    pub widest: f64,
    /// All 0 if the margin is reached.
    #[serde(flatten)]
    pub more: MoreGames,
}

/// More games, as a league can play them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MoreGames {
    /// More deals of each matchup; 0 in formats with rounds.
    pub deals: u64,
    /// More rounds, in formats with rounds; else 0.
    pub rounds: u64,
    /// Blocks of these deals or rounds.
    pub blocks: u64,
    pub games: u64,
}
