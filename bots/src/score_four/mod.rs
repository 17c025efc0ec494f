//! 3D four-in-a-row bots: the four programs of the paper that `bots/README.md` names, and an engine
//! beyond them.

pub mod best;
#[cfg(feature = "programs")]
pub mod client;
mod game;
mod monte_carlo;
mod options;
pub mod playout;

pub use game::late_position;
pub use monte_carlo::{MonteCarloEngine, MonteCarloMethod};
pub use options::{EngineName, EngineOptions};
