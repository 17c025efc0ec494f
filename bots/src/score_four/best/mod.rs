//! The engine `best`: alpha-beta with threats, exact towards the end of the game.

mod board;
mod engine;
mod evaluation;
mod root;
mod search;
mod solver;
mod table;
mod threats;
mod trainer;

pub use engine::BestEngine;
pub use solver::Solver;
pub use trainer::{Schedule, Trainer};
