//! Geister bots: the action-preference policy learned by REINFORCE, and what is built on it.

pub mod arena;
pub mod belief;
mod best;
pub mod choice;
pub mod client;
pub mod engine;
pub mod features;
mod npy;
mod options;
mod placement;
pub mod reinforce;
mod search;
pub mod selfplay;
mod simple;
mod sums;
pub mod tracker;
pub mod trainer;
mod tree;
pub mod versus;
mod weights;

pub use best::BestEngine;
pub use choice::Choice;
pub use engine::Engine;
pub use npy::WeightsError;
pub use options::{EngineName, EngineOptions};
pub use placement::Placements;
pub use search::{Candidate, Plan};
pub use simple::{PaperEngine, RandomEngine};
pub use sums::{Pair, Sums};
pub use weights::{PAIRS, Weights};
