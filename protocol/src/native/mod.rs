//! The native protocol of Taikyoku: a JSON object a line, the same for all games.
//!
//! `protocol/NATIVE.md` specifies it for authors of clients. [`ServerEnd`] and [`ClientEnd`] turn
//! bytes into [`ClientMessage`]s and [`ServerMessage`]s and back; they know neither sockets nor
//! clocks: the time comes from the caller, as a [`Duration`](std::time::Duration) since any moment.
//!
//! Moves and views are in the notation of the game, which this module does not look into: a move is
//! a text, a view any JSON value.

mod client_end;
mod json;
mod message;
mod server_end;

pub use client_end::{ClientEnd, Received};
pub use json::{DEPTH_LIMIT, Malformed, parse, read_line};
pub use message::{
    ClientMessage, Clocks, ErrorCode, Hello, NAME_LIMIT, OrganiserRequest, ServerMessage, line_of,
    name_of,
};
pub use server_end::{BURST, Fault, LINE_COST, LINE_LIMIT, PER_SECOND, RateLimit, ServerEnd};

/// The version of the protocol that this module speaks.
pub const VERSION: u32 = 1;

/// Longest line of a server in bytes, without its end. A client may rely on it.
pub const SERVER_LINE_LIMIT: usize = 64 * 1024;
