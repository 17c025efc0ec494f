//! The engine `best`: alpha-beta with a learned evaluation, exact towards the end of the game.

mod board;
mod engine;
pub mod network;
mod order;
mod proof;
mod search;
mod solver;

pub use board::{Board, Moves};
pub use engine::ScoreFourBest;
pub use network::ValueNetwork;
pub use search::{Deepened, NetworkSearch, NodeLimits, ProvenMoves, RootChoice, WON};
pub use solver::Solver;
