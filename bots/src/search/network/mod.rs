//! Tree search that a network guides, for all games: networks of files, what evaluates positions with them, and the
//! search that threads share.
//!
//! A game implements [`Networked`]; [`Guided`] then searches by [`puct`](super::puct) with a [`LeafEvaluator`] for each
//! thread, in play a [`NetworkEvaluator`] of a [`Model`].

mod evaluator;
mod game;
mod guided;
mod model;
mod search;

pub use evaluator::{Answers, LeafEvaluator, NetworkEvaluator};
pub use game::{GameLayout, Networked};
pub use guided::{Allowed, Guided};
pub use model::{Model, ModelError, ModelOptions, Models, Opened, find_model};
pub(crate) use search::try_out;
