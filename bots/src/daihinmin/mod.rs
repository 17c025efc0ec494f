//! The Daihinmin bots: engines, their match runner for experiments, and the UECda client.

pub mod arena;
mod belief;
mod best;
#[cfg(feature = "programs")]
pub mod client;
mod endgame;
mod engine;
mod features;
pub mod field;
mod imitation;
mod information_state;
mod inputs;
pub mod learner;
mod monte_carlo;
mod mover;
mod options;
mod playout;
mod policy;
mod rivals;
mod sampler;

pub use best::{Best, Ingredients};
pub use engine::{DefaultEngine, Engine, RandomEngine};
pub use inputs::Networks;
pub use monte_carlo::{MonteCarlo, RootMove};
pub use options::{EngineName, EngineOptions, WeightsError};
pub use playout::{TRANSITIONS, TdValue, place_values, playout};
pub use policy::PolicyEngine;
