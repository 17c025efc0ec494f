//! 3D four-in-a-row: the tables of the thesis, and the games that the evaluation of `best` learns from.

mod paper;
mod samples;

pub use paper::{Row, Side, rows};
pub use samples::{Sample, SampleGames};
