//! `BlokusZero`: a tree search that a network guides.
//!
//! [`ZeroEngine`] searches by [`crate::search::network`] with anything that evaluates positions; in play that is a
//! network of a file.

mod engine;
mod lazy;
mod options;
mod playouts;
#[cfg(test)]
mod tests;

pub use engine::{ZeroEngine, ZeroSettings};
pub(super) use lazy::LazyEngine;
pub use options::BlokusZeroOptions;
pub use playouts::{Mixture, WithPlayouts};
