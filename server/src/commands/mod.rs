//! The commands of the `taikyoku` program.

mod bot;
mod check;
mod demo;
mod launch;
mod league;
pub mod log;
mod new_bot;
mod open_files;
mod printer;
mod report;
mod serve;
mod signals;
mod standings;
mod verify;
mod watch;
mod web;

use std::io::{self, Write as _};

use program::PrintableWriter;

pub use bot::{BotArgs, BotFailure, ClientOptions};
pub use check::{CheckArgs, CheckFailure};
pub use demo::{DemoArgs, DemoFailure};
pub use launch::LaunchArgs;
pub use league::{
    ArchiveArgs, AuditArgs, DisqualifyArgs, Figures, LeagueArgs, LeagueCommand, LeagueFailure,
    PauseArgs, PlayArgs, ReplayArgs, ReportArgs, ReportFailure, StatusArgs, WorkArgs,
};
pub use new_bot::{NewBotArgs, NewBotFailure};
pub use report::RecordsArgs;
pub use serve::{ServeArgs, ServeFailure, ServeUsage};
pub use verify::{VerifyArgs, VerifyFailure};
pub use watch::{WatchArgs, WatchFailure};
pub use web::WebArgs;

/// Writes to standard output. A reader that has seen enough is no failure.
fn write_out(text: &str) -> io::Result<()> {
    match PrintableWriter(io::stdout().lock()).write_all(text.as_bytes()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// The commands, run with their arguments.
pub mod run {
    pub use super::bot::{lab, run as bot};
    pub use super::check::run as check;
    pub use super::demo::run as demo;
    pub use super::launch::run as launch;
    pub use super::league::run as league;
    pub use super::new_bot::run as new_bot;
    pub use super::report::run as report;
    pub use super::serve::run as serve;
    pub use super::verify::run as verify;
    pub use super::watch::run as watch;
    pub use super::web::run as web;
}
