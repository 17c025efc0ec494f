//! Daihinmin: a player that speaks the UECda protocol byte by byte, its faults, a stand-in for the official server, and
//! the project's own bots.

pub mod bots;
mod fault;
mod host;
mod player;
mod wire;

pub use fault::{Fault, Malformed, Phase, Script};
pub use host::{Ranking, StandIn};
pub use player::{Outcome, Player, Style, lowest};
pub use wire::{COLUMNS, ROWS, Table, Wire, hex};
