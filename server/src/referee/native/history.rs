//! The events of a match, kept for players that come back.

use std::collections::VecDeque;

use protocol::native::ServerMessage;

/// Events that are kept at most: fewer bytes of lines than a connection may leave unread.
pub(super) const MOST_KEPT: usize = 800;

/// Events of the game in play and of the one before, and all since a player is away, but never more
/// than [`MOST_KEPT`].
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Number of the last event.
    last: u64,
    /// Number of each event and what each player was told.
    events: VecDeque<(u64, Vec<ServerMessage>)>,
    /// The first event of the game in play.
    began: u64,
}

impl History {
    /// Number of the last event; 0 before the first.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Number of the next event.
    pub(super) fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Keeps an event that has the last number.
    pub(super) fn keep(&mut self, told: Vec<ServerMessage>) {
        self.events.push_back((self.last, told));
        if self.events.len() > MOST_KEPT {
            self.events.pop_front();
        }
    }

    /// A game begins: forgets what was before the game that has ended, unless somebody is `missed`
    /// who may not have it.
    pub(super) fn begin_game(&mut self, missed: bool) {
        let before = std::mem::replace(&mut self.began, self.last + 1);
        while !missed && self.events.front().is_some_and(|(n, _)| *n < before) {
            self.events.pop_front();
        }
    }

    /// What a player has missed since the event `last`.
    pub(super) fn since(&self, last: u64, player: u8) -> impl Iterator<Item = ServerMessage> {
        let events = self.events.iter().filter(move |(n, _)| *n > last);
        events.filter_map(move |(_, told)| told.get(usize::from(player)).cloned())
    }
}
