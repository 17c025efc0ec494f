//! The client of Daihinmin.

mod options;
mod player;
mod summary;

pub use crate::client::uecda::{PlayError, play_match, run};
pub use options::{Options, Rule};
pub use player::{Decision, Player};
pub use summary::Summary;
