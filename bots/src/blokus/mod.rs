//! Blokus bots: the searches of the literature on games of several players, and simple players.

pub mod best;
#[cfg(feature = "programs")]
pub mod client;
mod depth_first;
mod engine;
mod game;
#[cfg(feature = "programs")]
pub mod gtp;
mod mcts;
mod options;
mod playout;
pub mod zero;

pub use depth_first::{Algorithm, DepthFirstEngine};
pub use engine::GreedyEngine;
pub use game::win_shares;
pub use mcts::MctsEngine;
pub use options::{EngineName, EngineOptions};
pub use playout::RowPlayout;
