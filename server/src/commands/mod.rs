//! The commands of the `taikyoku` program that need no league, and what all of its commands share.

mod bot;
mod demo;
pub mod log;
pub mod open_files;
pub mod printer;
mod serve;
pub mod signals;
mod standings;
mod watch;
mod web;

use std::io::{self, Write as _};

use program::PrintableWriter;

pub use bot::{BotArgs, ClientOptions, beside};
pub use demo::DemoArgs;
pub use serve::ServeArgs;
pub use watch::WatchArgs;
pub use web::WebArgs;

/// Writes to standard output. A reader that has seen enough is no failure.
pub fn write_out(text: &str) -> io::Result<()> {
    match PrintableWriter(io::stdout().lock()).write_all(text.as_bytes()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// The commands, run with their arguments.
pub mod run {
    pub use super::bot::{lab, run as bot};
    pub use super::demo::run as demo;
    pub use super::serve::run as serve;
    pub use super::watch::run as watch;
    pub use super::web::run as web;
}
