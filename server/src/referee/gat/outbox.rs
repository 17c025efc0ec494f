//! What the referee of a game of Geister gives out.

use bytes::Bytes;
use games::geister::SEATS;

use record::Event;

/// What a referee wants done: the shell empties it after every call.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Messages with the seat that each goes to, in the order in which they are to be written,
    /// each with a write of its own.
    pub messages: Vec<(u8, Bytes)>,
    /// Seats whose connection is to be closed once their messages are sent.
    pub close: [bool; SEATS],
    /// Events for the record, in order.
    pub events: Vec<Event>,
}

impl Outbox {
    /// An empty outbox.
    pub fn new() -> Outbox {
        Outbox::default()
    }

    pub(super) fn send(&mut self, seat: usize, message: Bytes) {
        self.messages.push((seat as u8, message));
    }
}
