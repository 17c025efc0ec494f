//! The Daihinmin bots: engines, their match runner for experiments, and the UECda client.

pub mod arena;
mod best;
pub mod client;
mod endgame;
mod engine;
mod gift;
mod inference;
mod ingredients;
mod monte_carlo;
mod options;
mod playout;
mod policy;
mod rank_value;
mod sampler;
mod simple;
mod sure_win;
pub mod tracker;
pub mod train;
mod weighted;

pub use best::Best;
pub use engine::Engine;
pub use ingredients::Ingredients;
pub use monte_carlo::{Budget, Candidate, MonteCarlo};
pub use options::{EngineName, EngineOptions, WeightsError};
pub use playout::{TdValue, playout};
pub use policy::{FEATURES, Weights};
pub use rank_value::{TRANSITIONS, place_values};
pub use simple::{DefaultEngine, RandomEngine};
