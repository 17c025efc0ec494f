//! `BlokusZero`: a tree search that a network guides.
//!
//! [`ZeroEngine`] searches by [`crate::search::puct`] with anything that evaluates positions
//! ([`LeafEvaluator`]); in play that is a network of a file ([`NetworkEvaluator`]).

mod engine;
mod error;
mod evaluation;
mod lazy;
mod model;
mod network;
mod options;
mod playouts;
mod position;
mod search;
#[cfg(test)]
mod tests;
mod worker;

pub use engine::{Settings, ZeroEngine};
pub use error::BuildError;
pub use evaluation::LeafEvaluator;
pub(super) use lazy::LazyEngine;
pub use model::{MODEL, Model, Models, find_model};
pub use network::NetworkEvaluator;
pub use options::ZeroOptions;
pub use playouts::{Mixture, Playouts, WithPlayouts};
pub(crate) use position::worth_of;
