//! The events of a match, kept for players that come back.

use std::collections::VecDeque;

use games::{ByPlayer, Player};
use protocol::native::ServerMessage;

use crate::referee::MOST_PENDING;

pub(super) const MOST_KEPT: usize = 800;

/// Bytes of the lines of events that are kept at most. With a view and a request behind them they stay
/// below what a connection may leave unread: a client that is told them all at once is not cut off for it.
const MOST_BYTES: usize = MOST_PENDING / 4 * 3;

/// Events of the game in play and of the one before, and all since a player is away, but never more
/// than [`MOST_KEPT`] and [`MOST_BYTES`].
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    last: u64,
    events: VecDeque<Kept>,
    /// Bytes of their lines.
    bytes: usize,
    /// The first event of the game in play.
    began: u64,
}

#[derive(Clone, Debug)]
struct Kept {
    number: u64,
    /// Of its line, of the longest if players are told different ones.
    bytes: usize,
    told: ByPlayer<ServerMessage>,
}

impl History {
    /// Number of the last event; 0 before the first.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    pub(super) fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Keeps an event that has the last number.
    pub(super) fn keep(&mut self, told: ByPlayer<ServerMessage>) {
        let bytes = told.iter().map(|message| message.to_line().len()).max();
        let bytes = bytes.expect("a table has players");
        self.bytes += bytes;
        self.events.push_back(Kept {
            number: self.last,
            bytes,
            told,
        });
        while self.events.len() > MOST_KEPT || self.bytes > MOST_BYTES {
            self.forget();
        }
    }

    fn forget(&mut self) {
        if let Some(oldest) = self.events.pop_front() {
            self.bytes -= oldest.bytes;
        }
    }

    /// A game begins: forgets what was before the game that has ended, unless somebody is `missed`
    /// who may not have it.
    pub(super) fn begin_game(&mut self, missed: bool) {
        let before = std::mem::replace(&mut self.began, self.last + 1);
        while !missed && self.events.front().is_some_and(|kept| kept.number < before) {
            self.forget();
        }
    }

    /// What a player has missed since the event `last`.
    pub(super) fn since(&self, last: u64, player: Player) -> impl Iterator<Item = ServerMessage> {
        let events = self.events.iter().filter(move |kept| kept.number > last);
        events.map(move |kept| kept.told[player].clone())
    }
}
