//! The native protocol: a client that speaks it by hand, and players that misbehave.

mod client;
mod player;

pub use client::{Client, serve, serve_game};
pub use player::{Act, Heard, Random};
