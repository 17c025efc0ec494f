//! The standings of a match of Geister.

use std::collections::BTreeMap;

use games::Seat;
use games::geister::SEATS;

use crate::referee::gat::GeisterResult;
use record::{EndKind, Event, What};

/// What the games of a match have come to so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// Games that counted.
    pub games: u32,
    /// Games that were void.
    pub void: u32,
    /// Moves of the games that counted.
    pub plies: u64,
    /// Games that nobody won.
    pub draws: u32,
    /// Wins by player and by the seat that it had: `wins[player][seat]`.
    pub wins: [[u32; SEATS]; SEATS],
    /// How games ended for each player: how often by which fault.
    pub faults: [BTreeMap<&'static str, u32>; SEATS],
    /// How games ended: how often by which rule or fault.
    pub ends: BTreeMap<&'static str, u32>,
    /// Games by the player that moved first.
    pub first: [u32; SEATS],
    /// How the match ends for each player: its first fault.
    pub kinds: [EndKind; SEATS],
}

impl GameCounts {
    pub fn add(&mut self, result: &GeisterResult) {
        if result.is_void() {
            self.void += 1;
            return;
        }
        self.games += 1;
        self.plies += u64::from(result.plies);
        self.first[result.seating.player_at(Seat::new(0)).index()] += 1;
        match result.winner {
            None => self.draws += 1,
            Some(player) => {
                let seat = result.seating.seat_of(player);
                self.wins[player.index()][seat.index()] += 1;
            }
        }
        let mut end = result.rule.unwrap_or(EndKind::Normal.as_str());
        for (kind, faults) in result.kinds.iter().zip(&mut self.faults) {
            if *kind != EndKind::Normal {
                end = kind.as_str();
                *faults.entry(end).or_default() += 1;
            }
        }
        for (first, kind) in self.kinds.iter_mut().zip(result.kinds) {
            if *first == EndKind::Normal {
                *first = kind;
            }
        }
        *self.ends.entry(end).or_default() += 1;
    }

    pub fn won(&self, player: usize) -> u32 {
        self.wins[player].iter().sum()
    }

    /// Points of a player: a win is 1, a draw one half.
    pub fn points(&self, player: usize) -> f64 {
        f64::from(self.won(player)) + f64::from(self.draws) / 2.0
    }

    /// The last event of the match.
    pub fn result(&self, ms: u64, reason: Option<String>) -> Event {
        let result = What::Result {
            games: self.games,
            points: vec![self.points(0), self.points(1)],
            kinds: self.kinds.to_vec(),
            seed: None,
            key: None,
            reason,
        };
        result.at(ms)
    }
}
