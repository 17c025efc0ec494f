//! Daihinmin: a player that speaks the UECda protocol byte by byte, its faults, and the project's own bots.

pub mod bots;
mod fault;
mod player;
mod wire;

pub use fault::{Fault, Malformed, Phase, Script};
pub use player::{Outcome, Player, Style, lowest};
pub use wire::{COLUMNS, ROWS, Table, Wire, hex};
