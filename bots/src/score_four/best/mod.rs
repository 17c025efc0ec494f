//! The engine `best`: alpha-beta with threats, exact towards the end of the game.

mod board;
mod engine;
mod evaluation;
mod search;
mod trainer;

pub use engine::{BestEngine, Solver};
pub use trainer::{Schedule, Trainer};
