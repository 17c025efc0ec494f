//! Bridges: engines that speak on their standard input and output sit down at a table of the native protocol.
//!
//! An engine is a program of its own that answers commands. The bridge starts it, tells it what is played, and
//! sends its moves as they are: the server judges them. When the engine ends, the game is lost and the bridge starts the
//! engine anew for the next; when it ends in three games in a row, so does the connection. When it stands still, the server's
//! clock runs on.

mod client;
mod engine;
mod error;
pub mod gtp;
mod process;
pub mod usi;

pub use client::Common;
pub use error::BridgeError;
