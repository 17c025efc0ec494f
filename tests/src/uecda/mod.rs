//! Daihinmin: a player that speaks the UECda protocol byte by byte, its faults, and the project's own bots.

pub mod bots;
mod malformed;
mod player;
mod wire;

pub use crate::fault::{Fault, Phase, Script};
pub use malformed::Malformed;
pub use player::{Outcome, Player, Style, lowest};
pub use wire::{COLUMNS, ROWS, Table, Wire};
