//! Blokus bots: the searches of the literature on games of several players, and simple players.

pub mod arena;
pub mod best;
pub mod client;
mod depth_first;
mod engine;
mod exact;
mod game;
mod greedy;
pub mod gtp;
mod mcts;
mod options;
mod picture;
mod playout;
mod random;
mod specification;
pub mod zero;

pub use depth_first::{Algorithm, DepthFirstEngine};
pub use engine::Engine;
pub use exact::ExactPlayout;
pub use game::win_shares;
pub use greedy::GreedyEngine;
pub use mcts::MctsEngine;
pub use options::{EngineName, EngineOptions};
pub use picture::picture;
pub use playout::RowPlayout;
pub use random::RandomEngine;
pub use zero::BuildError;
