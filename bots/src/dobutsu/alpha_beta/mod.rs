//! `alphabeta`: a search without the table of the solved game.

mod engine;
mod evaluation;
mod search;

pub use engine::AlphaBetaEngine;
pub use search::AlphaBeta;
pub(super) use search::Found;
