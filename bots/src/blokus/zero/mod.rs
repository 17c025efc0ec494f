//! `BlokusZero`: a tree search that a network guides.
//!
//! [`ZeroEngine`] searches by [`crate::search::puct`] with anything that evaluates positions
//! ([`LeafEvaluator`]); in play that is a network of a file ([`NetworkEvaluator`]).

mod engine;
mod evaluator;
mod lazy;
mod model;
mod options;
mod playouts;
mod search;
#[cfg(test)]
mod tests;

pub use engine::{Settings, ZeroEngine};
pub use evaluator::{LeafEvaluator, NetworkEvaluator};
pub(super) use lazy::LazyEngine;
pub use model::{BuildError, MODEL, Model, Models, find_model};
pub use options::ZeroOptions;
pub use playouts::{Mixture, Playouts, WithPlayouts};
