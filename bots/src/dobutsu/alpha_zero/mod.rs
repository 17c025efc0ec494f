//! `alphazero`: a tree search that a network guides.

mod engine;
mod line;
mod options;

pub use engine::AlphaZeroEngine;
pub use line::{Framed, Line, MATE_BITS};
pub use options::{AlphaZeroOptions, Exploration};
