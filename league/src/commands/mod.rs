//! The commands of the `taikyoku` program that need leagues.

pub mod check;
pub mod ladder;
pub mod launch;
pub mod league;
pub mod new_bot;
pub mod report;
pub mod verify;
