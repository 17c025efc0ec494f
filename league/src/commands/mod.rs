//! The commands of the `taikyoku` program that need leagues.

mod check;
mod launch;
mod league;
mod new_bot;
mod report;
mod verify;

pub use check::CheckArgs;
pub use launch::LaunchArgs;
pub use league::{
    ArchiveArgs, AuditArgs, DisqualifyArgs, LeagueArgs, LeagueCommand, PauseArgs, PlayArgs,
    ReplayArgs, ReportArgs, ReportOptions, StatusArgs, WorkArgs,
};
pub use new_bot::NewBotArgs;
pub use report::RecordsArgs;
pub use verify::VerifyArgs;

pub mod run {
    pub use super::check::run as check;
    pub use super::launch::run as launch;
    pub use super::league::run as league;
    pub use super::new_bot::run as new_bot;
    pub use super::report::run as report;
    pub use super::verify::run as verify;
}
