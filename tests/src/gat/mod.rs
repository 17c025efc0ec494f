//! Geister: a player that speaks the GAT protocol by hand, its faults, and the server it meets.

mod board;
mod fault;
mod habit;
mod host;
mod player;
mod wire;

pub use board::{Ghost, ghosts, moves};
pub use fault::{Fault, Phase, Script};
pub use habit::{Habit, OneReader, Step};
pub use host::{Ended, Host, Playing, ends, leave, reasons};
pub use player::{Outcome, Player};
pub use wire::Wire;
