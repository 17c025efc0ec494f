//! What a referee gives out.

use std::time::Duration;

use record::{Event, What};

/// What a referee wants done: the shell empties it after every call.
#[derive(Clone, Debug)]
pub struct Outbox<M> {
    /// Messages with the player that each goes to, in order. A player that is gone may still have
    /// some.
    pub messages: Vec<(u8, M)>,
    /// Players whose connection is to be closed once their messages are sent.
    pub close: Vec<u8>,
    /// Events for the record, in order.
    pub events: Vec<Event>,
}

impl<M> Default for Outbox<M> {
    fn default() -> Outbox<M> {
        Outbox {
            messages: Vec::new(),
            close: Vec::new(),
            events: Vec::new(),
        }
    }
}

impl<M> Outbox<M> {
    /// An empty outbox.
    pub fn new() -> Outbox<M> {
        Outbox::default()
    }

    /// Adds a message.
    pub(crate) fn send(&mut self, player: u8, message: M) {
        self.messages.push((player, message));
    }

    /// Adds an event.
    pub(crate) fn event(&mut self, now: Duration, what: What) {
        self.events.push(what.at(now.as_millis() as u64));
    }
}
