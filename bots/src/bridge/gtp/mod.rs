//! Blokus engines that speak GTP in Pentobi's dialect (`protocol/GTP.md`), at a table of the native protocol.
//!
//! | part | what it does |
//! |---|---|
//! | `engine` | what the engine was told and asked |
//! | `stray` | what an engine writes that is no answer |
//! | `game` | the moves of the game as the server tells them |
//! | `client` | the match: requests become `genmove`, moves of others `play` |

mod client;
mod engine;
mod error;
mod game;
mod stray;

pub use client::{Options, run};
pub use error::BridgeError;
