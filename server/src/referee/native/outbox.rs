//! What a referee of the native protocol gives out.

use std::time::Duration;

use protocol::native::ServerMessage;

use super::GameResult;
use record::{Event, What};

/// What a referee wants done: the shell empties it after every call.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Messages with the player that each goes to, in order.
    pub messages: Vec<(u8, ServerMessage)>,
    /// Players whose connection is to be closed once their messages are sent.
    pub close: Vec<u8>,
    /// Events for the record, in order.
    pub events: Vec<Event>,
    /// Games that are over.
    pub results: Vec<GameResult>,
}

impl Outbox {
    /// An empty outbox.
    pub fn new() -> Outbox {
        Outbox::default()
    }

    pub(super) fn send(&mut self, player: u8, message: ServerMessage) {
        self.messages.push((player, message));
    }

    pub(super) fn event(&mut self, now: Duration, what: What) {
        self.events.push(what.at(now.as_millis() as u64));
    }
}
