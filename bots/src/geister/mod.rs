//! Geister bots: the action-preference policy learned by REINFORCE, and what is built on it.

pub mod choice;
pub mod engine;
pub mod features;
mod npy;
pub mod reinforce;
pub mod selfplay;
mod sums;
pub mod trainer;
pub mod versus;
mod weights;

pub use choice::Choice;
pub use engine::Engine;
pub use npy::WeightsError;
pub use sums::{Pair, Sums};
pub use weights::{PAIRS, Weights};
