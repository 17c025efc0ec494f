//! What a match of the native protocol came to.

use std::time::Duration;

use serde_json::Value;

use crate::lobby::{GatReport, Tally};
use crate::referee::gat;
use crate::referee::native::GameResult;
use record::EndKind;

/// The result of one match. Lists go by player.
#[derive(Clone, Debug)]
pub struct NativeReport {
    /// Number of the match on this server, from 1.
    pub number: u64,
    /// Names.
    pub names: Vec<String>,
    /// Games, void ones included, in order.
    pub results: Vec<GameResult>,
    /// Players that have given their seats up, or stayed away too long.
    pub gone: Vec<u8>,
    /// Options of the rules, as records have them.
    pub rules: Value,
    /// Seed of the openings and of drawn seats, if there are any.
    pub seed: Option<u64>,
    /// From the first game's start to the last one's end.
    pub time: Duration,
    /// Why it ended before its last game.
    pub reason: Option<String>,
}

impl NativeReport {
    /// The report of a match for two as that of Geister.
    pub fn of_two(self) -> GatReport {
        let mut tally = Tally::default();
        for result in &self.results {
            tally.add(&of_two(result));
        }
        let mut names = self.names.into_iter();
        GatReport {
            number: self.number,
            names: std::array::from_fn(|_| names.next().unwrap_or_default()),
            tally,
            time: self.time,
            reason: self.reason,
        }
    }
}

/// The result of a game for two as the standings of Geister take it.
fn of_two(result: &GameResult) -> gat::GameResult {
    let list = |list: &[u8]| [0, 1].map(|i| list.get(i).copied().unwrap_or_default());
    let winner = match list(&result.places) {
        [0, 1] => Some(0),
        [1, 0] => Some(1),
        _ => None,
    };
    gat::GameResult {
        player_at: list(&result.player_at),
        winner,
        kinds: [0, 1].map(|i| result.kinds.get(i).copied().unwrap_or(EndKind::Normal)),
        rule: result.rule,
        plies: result.plies as u16,
    }
}
