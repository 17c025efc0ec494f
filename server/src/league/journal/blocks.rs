//! The blocks of a journal, in the order of the schedule.
//!
//! A block is whole once every rotation of its deal was played. Results are counted by whole blocks in the order of
//! the schedule, never in that of the lines: lines come in the order in which games ended.

mod order;
mod sequential;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::Played;
use crate::league::settings::Settings;

pub use order::Order;
pub use sequential::Test;

/// All games of one deal of a matchup.
#[derive(Clone, Debug, PartialEq)]
pub struct DealBlock {
    /// Number of the matchup.
    pub matchup: u32,
    /// Number of the deal.
    pub deal: u32,
    /// Its games, by rotation, and in a session in the order of play.
    pub block: stats::Block,
}

/// The blocks in which every rotation was played, in the order of the schedule.
pub fn blocks<'a>(
    settings: &Settings,
    played: impl IntoIterator<Item = &'a Played>,
) -> Vec<DealBlock> {
    let order = Order::of(settings);
    let mut collector = Collector::new(settings);
    let whole = played.into_iter().filter_map(|p| collector.add(p));
    let mut blocks: Vec<DealBlock> = whole.collect();
    blocks.sort_by_key(|b| order.position(b.matchup, b.deal));
    blocks
}

/// Gathers played fixtures into blocks.
#[derive(Clone, Debug)]
pub struct Collector {
    rotations: usize,
    open: HashMap<(u32, u32), Open>,
}

/// A block that waits for more rotations; by rotation its games.
#[derive(Clone, Debug)]
struct Open {
    games: Vec<Option<Vec<stats::Outcome>>>,
    missing: usize,
}

impl Collector {
    /// Without any.
    pub fn new(settings: &Settings) -> Collector {
        Collector {
            rotations: usize::from(settings.plan().rotations()),
            open: HashMap::new(),
        }
    }

    /// Takes a fixture that was played; gives its block if that is whole now. A fixture must come but once.
    pub fn add(&mut self, played: &Played) -> Option<DealBlock> {
        let key = (played.key.matchup, played.key.deal);
        let empty = || Open {
            games: vec![None; self.rotations],
            missing: self.rotations,
        };
        let open = self.open.entry(key).or_insert_with(empty);
        let place = open.games.get_mut(usize::from(played.key.rotation))?;
        if place.replace(outcomes(played).collect()).is_none() {
            open.missing -= 1;
        }
        if open.missing > 0 {
            return None;
        }
        let open = self.open.remove(&key)?;
        Some(DealBlock {
            matchup: key.0,
            deal: key.1,
            block: stats::Block {
                games: open.games.into_iter().flatten().flatten().collect(),
            },
        })
    }

    /// Deals of which some rotations were played, but not all.
    pub fn open(&self) -> usize {
        self.open.len()
    }
}

/// The games of a fixture as the statistics see them.
fn outcomes(played: &Played) -> impl Iterator<Item = stats::Outcome> {
    played.games.iter().map(|game| stats::Outcome {
        entrants: played.seats.clone(),
        places: game.places.clone(),
        points: game.points.clone(),
    })
}
