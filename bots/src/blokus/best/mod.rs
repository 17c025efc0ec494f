//! The strongest engine: a Monte Carlo tree search that knows what good moves look like.

mod advice;
mod engine;
mod imitation;
mod judge;
mod map;
mod marks;
mod packing;
mod reward;
mod search;
#[cfg(test)]
mod tests;
mod tree;

pub(super) use advice::{AdvicePlan, Adviser};
pub use engine::BestEngine;
pub use imitation::Imitation;
pub use judge::built_in;
pub(super) use judge::likeliest;
pub(super) use packing::best_packing;
pub use search::Plan;
