//! The engine `best`: alpha-beta with a learned evaluation, exact towards the end of the game.

mod board;
mod engine;
mod network;
mod order;
mod proof;
mod samples;
mod search;
mod solver;
mod trainer;

pub use engine::BestEngine;
pub use samples::{Sample, SelfPlay};
pub use solver::Solver;
pub use trainer::{Fit, Schedule, Trainer};
