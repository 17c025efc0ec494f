//! The Daihinmin bots: engines, their match runner for experiments, and the UECda client.

pub mod arena;
mod engine;
mod monte_carlo;
mod playout;
mod sampler;
mod simple;

pub use engine::Engine;
pub use monte_carlo::{Budget, Candidate, MonteCarlo};
pub use playout::{TdValue, playout};
pub use simple::{DefaultEngine, RandomEngine};
