//! The tables of the stages of a league, and the order of all entrants that follows from them.

use serde::Serialize;

use super::Results;
use crate::ranking::{Bye, Row, byes, next_groups};
use crate::sections::{Section, first_groups};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageTable {
    /// Its name; empty in a league without stages.
    pub name: String,
    pub is_over: bool,
    /// By group the entrants, from the best to the worst.
    pub groups: Vec<Vec<StagePlace>>,
}

impl StageTable {
    /// The heading of a group, counted from 1.
    pub(super) fn title(&self, group: usize) -> String {
        let name = if self.name.is_empty() {
            "table"
        } else {
            &self.name
        };
        match self.groups.len() {
            1 => name.to_owned(),
            _ => format!("{name} {group}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StagePlace {
    pub name: String,
    /// Its number in the league, from 0.
    pub number: usize,
    /// Games, of whole deals.
    pub games: u64,
    pub points: f64,
    /// Games that it has won alone.
    pub wins: u64,
    /// Points of its opponents, each once for each pairing.
    pub buchholz: f64,
    /// Whether it plays in the next stage, or would if this one ended now.
    pub goes_on: bool,
}

/// The groups of a section, if it has begun.
fn groups(results: &Results, number: usize) -> Option<Vec<Vec<usize>>> {
    let known = results.groups.get(&number).cloned();
    known.or_else(|| (number == 0).then(|| first_groups(&results.head.settings)))
}

/// The byes in all sections that have begun.
pub(super) fn all_byes(results: &Results) -> Vec<Bye> {
    let settings = &results.head.settings;
    let mut all = Vec::new();
    for (number, section) in Section::all(settings).iter().enumerate() {
        let Some(groups) = groups(results, number) else {
            break;
        };
        let own = results.blocks_of(section);
        all.extend(byes(settings, section, &groups.concat(), &own));
    }
    all
}

/// The tables of all stages that have begun; none where the league is ranked otherwise.
pub(super) fn tables(results: &Results) -> Vec<StageTable> {
    let settings = &results.head.settings;
    let disqualified = &results.orders.disqualified;
    if !settings.has_table() {
        return Vec::new();
    }
    let mut stages = Vec::new();
    for (number, section) in Section::all(settings).iter().enumerate() {
        let Some(groups) = groups(results, number) else {
            break;
        };
        let rows = results.tables(section, &groups);
        // Those of a stage that has begun stay, whatever becomes of earlier results.
        let known = results.groups.get(&(number + 1));
        let next = settings.stages.get(number).map(|stage| match known {
            Some(groups) => groups.concat(),
            None => next_groups(settings, number + 1, &rows, stage, disqualified).concat(),
        });
        let place = |row: Row| StagePlace {
            name: settings.entrants[row.entrant].name.clone(),
            number: row.entrant,
            games: row.games,
            points: row.points,
            wins: row.wins,
            buchholz: row.buchholz,
            goes_on: next
                .as_ref()
                .is_some_and(|next| next.contains(&row.entrant)),
        };
        let due = section.rounds.map(|rounds| {
            u64::from(rounds) * u64::from(section.matchups) * u64::from(section.deals)
        });
        stages.push(StageTable {
            name: section.name.clone(),
            is_over: due == Some(results.blocks_of(section).len() as u64),
            groups: rows
                .into_iter()
                .map(|rows| rows.into_iter().map(place).collect())
                .collect(),
        });
    }
    stages
}

/// All entrants from the best to the worst: those of the last stage by their places there, then the others by those in the
/// stage before, and so on; what no table says by `otherwise`.
pub(super) fn ranking(stages: &[StageTable], otherwise: &[usize]) -> Vec<usize> {
    let mut ranking: Vec<usize> = Vec::with_capacity(otherwise.len());
    for stage in stages.iter().rev() {
        let longest = stage.groups.iter().map(Vec::len).max().unwrap_or_default();
        for place in 0..longest {
            let level = stage.groups.iter().filter_map(|group| group.get(place));
            let mut level: Vec<&StagePlace> = level.collect();
            level.sort_by(|a, b| b.points.total_cmp(&a.points).then(b.wins.cmp(&a.wins)));
            let new = level.into_iter().map(|place| place.number);
            let new: Vec<usize> = new.filter(|number| !ranking.contains(number)).collect();
            ranking.extend(new);
        }
    }
    let left = otherwise.iter().filter(|number| !ranking.contains(number));
    let left: Vec<usize> = left.copied().collect();
    ranking.extend(left);
    ranking
}
