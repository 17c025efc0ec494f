//! Geister bots: the action-preference policy learned by REINFORCE, and what is built on it.

pub mod belief;
mod best;
pub mod choice;
#[cfg(feature = "programs")]
pub mod client;
pub mod engine;
pub mod features;
mod inputs;
mod opponent;
mod options;
mod policy;
pub mod reinforce;
mod search;
pub mod selfplay;
mod sums;
mod weights;

pub use best::GeisterBest;
pub use choice::Choice;
pub use engine::{Engine, PaperEngine, play_game};
pub use inputs::{GeisterNetworks, INPUTS};
pub use options::{EngineName, EngineOptions};
pub use policy::GeisterPolicy;
pub use search::SearchPlan;
pub use sums::{Pair, Sums};
pub use weights::{PAIRS, Weights};
