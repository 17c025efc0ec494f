//! The native protocol: a client that speaks it by hand, and players that misbehave.

mod client;
mod player;

pub use client::Client;
pub use player::{Act, Heard, Random};
