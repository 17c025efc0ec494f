//! The strongest engine: a Monte Carlo tree search that knows what good moves look like.

mod engine;
mod imitation;
mod judge;
mod map;
mod search;
#[cfg(test)]
mod tests;
mod tree;

pub use engine::BestEngine;
pub(super) use engine::best_packing;
pub use imitation::Imitation;
pub use judge::built_in;
pub(super) use judge::likeliest;
pub use search::Plan;
pub(super) use search::{AdvicePlan, Adviser};
