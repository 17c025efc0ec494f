//! The journal of a league: one file, a line for each thing that has happened, only ever written at its end.
//!
//! The first line is a [`Head`], every other an [`Entry`]. A last line that is torn, because the machine or the program
//! died while it was written, does not count, and is cut off before anything is written behind it.

mod blocks;
mod changed;
mod commands;
mod file;
mod line;
mod read;
#[cfg(test)]
pub(crate) mod tests;
mod timeouts;

pub use blocks::{DealBlock, Order, Outcomes, Test};
pub use changed::{Difference, SettingsChanged, check_change, difference};
pub use commands::{ACTS, CommandAction, CommandFile, OrganiserCommand, OrganiserState};
pub use file::{JournalFile, Lock, Page, holder};
pub use line::{
    Entry, Exclusion, Game, Head, Host, InRecord, Machine, MachineWork, PairedRound, Played,
    PlayedBy, VERSION, WALKOVER,
};
pub(crate) use read::GZIP;
pub use read::{
    FILE_NAME, Fixtures, Journal, JournalError, JournalLine, JournalReader, find, folder_of,
};
pub use timeouts::TimeoutPolicy;
