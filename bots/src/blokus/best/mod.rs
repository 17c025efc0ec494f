//! The strongest engine: a Monte Carlo tree search that knows what good moves and good positions look like.

mod engine;
pub mod evaluation;
pub mod judge;
mod map;
mod search;
pub mod survey;
#[cfg(test)]
mod tests;
mod tree;

pub use engine::BlokusBest;
pub(super) use engine::best_packing;
pub use evaluation::Evaluation;
pub use judge::Judge;
pub(super) use judge::likeliest;
pub(super) use search::{AdvicePlan, Adviser};
pub use search::{BestNetworks, BestPlan};
