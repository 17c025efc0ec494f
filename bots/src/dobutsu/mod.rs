//! Dobutsu shogi: the solver with its table of all values, and the bots.
//!
//! [`solve`] values every position, and a [`Table`] keeps the values. Engines are [`PerfectEngine`], which plays by it,
//! and [`AlphaBetaEngine`] and [`AlphaZeroEngine`], which do not; [`usi`] lets controllers of the shogi family play with them.

mod alpha_beta;
mod alpha_zero;
mod bits;
#[cfg(feature = "programs")]
pub mod client;
mod engine;
mod index;
pub(crate) mod move_number;
mod options;
mod perfect;
mod solver;
mod statistics;
mod table;
#[cfg(feature = "programs")]
pub mod usi;
mod value;
mod verifier;

pub use alpha_beta::{AlphaBeta, AlphaBetaEngine};
pub use alpha_zero::{AlphaZeroEngine, AlphaZeroOptions, Exploration, Framed, Line, MATE_BITS};
pub use engine::{DobutsuEngine, Limits, Report, Score};
pub use index::{Index, Material};
pub use move_number::move_of;
pub use options::{EngineName, EngineOptions};
pub use perfect::{PerfectEngine, values_of_moves};
pub use solver::{Solution, solve};
pub use statistics::Statistics;
pub use table::{Table, TableError, default_folder};
pub use value::Value;
pub use verifier::{Breach, verify};
