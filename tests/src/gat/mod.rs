//! Geister: a player that speaks the GAT protocol by hand, its faults, and the server it meets.

mod board;
mod habit;
mod host;
mod player;
mod wire;

pub use crate::fault::{Fault, Phase, Script};
pub use board::moves;
pub use habit::{Habit, OneReader, Step};
pub use host::{Ended, Host, ends, leave};
pub use player::{Outcome, Player};
pub use wire::Wire;
