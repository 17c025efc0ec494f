//! Geister bots: the action-preference policy learned by REINFORCE, and what is built on it.

pub mod engine;
pub mod features;
mod npy;
mod sums;
mod weights;

pub use engine::Engine;
pub use npy::WeightsError;
pub use sums::{Pair, Sums};
pub use weights::{PAIRS, Weights};
