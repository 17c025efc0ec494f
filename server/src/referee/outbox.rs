//! What a referee gives out.

use std::time::Duration;

use bytes::BytesMut;

use record::{Event, What};

/// What a referee wants done: the shell empties it after every call.
#[derive(Clone, Debug)]
pub struct Outbox<const SEATS: usize> {
    /// Bytes to send to each player, whole messages in order. A player that is gone may still have
    /// some.
    pub bytes: [BytesMut; SEATS],
    /// Players whose connection is to be closed once their bytes are sent.
    pub close: [bool; SEATS],
    /// Events for the record, in order.
    pub events: Vec<Event>,
}

impl<const SEATS: usize> Default for Outbox<SEATS> {
    fn default() -> Outbox<SEATS> {
        Outbox {
            bytes: std::array::from_fn(|_| BytesMut::new()),
            close: [false; SEATS],
            events: Vec::new(),
        }
    }
}

impl<const SEATS: usize> Outbox<SEATS> {
    /// An empty outbox.
    pub fn new() -> Outbox<SEATS> {
        Outbox::default()
    }

    /// Adds an event.
    pub(crate) fn event(&mut self, now: Duration, what: What) {
        self.events.push(what.at(now.as_millis() as u64));
    }
}
