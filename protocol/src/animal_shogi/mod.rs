//! The lines of `AnimalShogiServer`, a server of Dobutsu shogi of Keio University in 2018: LF lines of UTF-8 over one
//! connection a game.
//!
//! `protocol/ANIMAL_SHOGI.md` specifies them. [`ServerEnd`] and [`ClientEnd`] are the state machines of the two ends.
//! A [`Move`] is read and written here in the notation of the lines and of USI; no rule is looked into.
//!
//! These are habits of the original server that nothing here repeats:
//! - it reads at most one command of what comes at once, and the rest is lost: every line is taken here;
//! - a line that it does not know goes to the opponent, who cannot tell it from one of the server: nothing of a
//!   client goes to another here;
//! - who resigns is told nothing: both are told the end here.

mod client_end;
mod message;
mod server_end;

pub use client_end::{ClientEnd, Event, NAME_LIMIT, NotDue, SERVER_LINE_LIMIT};
pub use message::{ClientLine, End, Move, Outcome, ServerLine, Side};
pub use server_end::{ALIVE_SECONDS, CLIENT_LINE_LIMIT, Request, ServerEnd};
