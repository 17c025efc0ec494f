//! What a match of the native protocol came to.

use std::time::Duration;

use games::Player;
use serde_json::Value;

use crate::lobby::{GameCounts, GatReport};
use crate::referee::gat;
use crate::referee::native::GameResult;
use crate::table::files::Lost;

/// The result of one match. Lists go by player.
#[derive(Clone, Debug)]
pub struct NativeReport {
    /// Number of the match on this server, from 1.
    pub number: u64,
    pub names: Vec<String>,
    /// Games, void ones included, in order.
    pub results: Vec<GameResult>,
    /// Players that have given their seats up, or stayed away too long.
    pub gone: Vec<Player>,
    /// Options of the rules, as records have them.
    pub rules: Value,
    /// Seed of the openings and of drawn seats, if there are any.
    pub seed: Option<u64>,
    /// From the first game's start to the last one's end.
    pub time: Duration,
    /// Why it ended before its last game.
    pub reason: Option<String>,
    pub lost: Lost,
}

impl NativeReport {
    /// The report of a match for two as that of Geister; `None` of a match for more.
    pub(crate) fn of_two(&self) -> Option<GatReport> {
        let mut counts = GameCounts::default();
        let names = self.names.clone().try_into().ok()?;
        for result in &self.results {
            counts.add(&of_two(result));
        }
        Some(GatReport {
            number: self.number,
            names,
            counts,
            time: self.time,
            reason: self.reason.clone(),
            lost: self.lost,
        })
    }
}

/// The result of a game for two as the standings of Geister take it.
fn of_two(result: &GameResult) -> gat::GeisterResult {
    let winner = match result.places.to_vec()[..] {
        [0, 1] => Some(Player::new(0)),
        [1, 0] => Some(Player::new(1)),
        _ => None,
    };
    gat::GeisterResult {
        seating: result.seating.clone(),
        winner,
        kinds: [0, 1].map(|player| result.kinds[Player::new(player)]),
        rule: result.rule,
        plies: result.plies as u16,
    }
}
