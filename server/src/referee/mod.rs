//! Referees: state machines of one table, without sockets and without clocks.
//!
//! A referee takes messages with the time they came at, and gives out bytes for the players and
//! events for the record in an [`Outbox`]. It says whom it waits for and when it wants to be woken;
//! time is a [`Duration`](std::time::Duration) since the match began, whatever the shell takes it
//! from. A ten-minute time-out is thus tested in no time.

pub mod gat;
pub mod native;
mod outbox;
pub mod uecda;

pub use outbox::Outbox;
