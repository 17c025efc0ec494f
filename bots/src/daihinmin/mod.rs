//! The Daihinmin bots: engines, and the UECda client.

mod belief;
mod best;
#[cfg(feature = "programs")]
pub mod client;
mod endgame;
mod engine;
mod features;
mod imitation;
mod information_state;
mod inputs;
mod monte_carlo;
mod mover;
mod options;
mod playout;
mod rivals;
mod sampler;

pub use best::{Best, Ingredients};
pub use engine::{DefaultEngine, Engine, gift_choices, lowest_meld, weakest};
pub use imitation::MoveLesson;
pub use information_state::InformationState;
pub use inputs::{DaihinminNetworks, INPUTS};
pub use monte_carlo::MonteCarlo;
pub use mover::{Choices, DaihinminPolicy, Mover};
pub use options::{EngineName, EngineOptions};
pub use playout::{GAMES_TO_COME, TRANSITIONS, TdValue, place_values, playout};
