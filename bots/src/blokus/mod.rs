//! Blokus bots: the searches of the literature on games of several players, and simple players.

mod engine;
mod game;
mod greedy;
mod options;
mod random;

pub use engine::Engine;
pub use game::win_shares;
pub use greedy::GreedyEngine;
pub use options::{EngineName, EngineOptions, SpecificationError};
pub use random::RandomEngine;
