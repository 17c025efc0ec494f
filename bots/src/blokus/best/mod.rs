//! The strongest engine: a Monte Carlo tree search that knows what good moves and good positions look like.

mod engine;
mod evaluation;
mod imitation;
mod judge;
mod map;
mod search;
mod survey;
#[cfg(test)]
mod tests;
mod trainer;
mod tree;

pub(super) use engine::best_packing;
pub use engine::{BestEngine, BestNetworks};
pub use evaluation::Evaluation;
pub use imitation::{Guess, Imitation, Searched};
pub use judge::Judge;
pub(super) use judge::likeliest;
pub use search::BestPlan;
pub(super) use search::{AdvicePlan, Adviser};
pub use trainer::{Fit, Lesson, Trainer};
