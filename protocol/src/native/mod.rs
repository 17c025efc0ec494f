//! The native protocol of Taikyoku: a JSON object a line, the same for all games.
//!
//! `protocol/NATIVE.md` specifies it for authors of clients. [`ServerEnd`] and [`ClientEnd`] turn
//! bytes into [`ClientMessage`]s and [`ServerMessage`]s and back; they know neither sockets nor
//! clocks: the time comes from the caller, as a [`Duration`](std::time::Duration) since any moment.
//!
//! Moves and views are in the notation of the game, which this module does not look into: a move is
//! a text, a view any JSON value.

mod client_end;
mod client_message;
mod error_code;
mod json;
mod line;
mod message;
mod rate;
mod server_end;

pub use client_end::{ClientEnd, Received};
pub use client_message::{ClientMessage, Hello, NAME_LIMIT, name_of};
pub use error_code::ErrorCode;
pub use json::{DEPTH_LIMIT, Malformed, parse};
pub use line::{Line, LineReader};
pub use message::{Clocks, ServerMessage};
pub use rate::{BURST, LINE_COST, PER_SECOND, RateLimit};
pub use server_end::{Fault, LINE_LIMIT, ServerEnd};

/// The version of the protocol that this module speaks.
pub const VERSION: u32 = 1;

/// Longest line of a server in bytes, without its end. A client may rely on it.
pub const SERVER_LINE_LIMIT: usize = 64 * 1024;
