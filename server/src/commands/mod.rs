//! The commands of the `taikyoku` program that need no league, and what all of its commands share.

pub mod bot;
pub mod demo;
pub mod log;
pub mod open_files;
pub mod printer;
pub mod serve;
pub mod signals;
mod standings;
pub mod watch;

use std::io::{self, Write as _};

use program::PrintableWriter;

/// Writes to standard output. A reader that has seen enough is no failure.
pub fn write_out(text: &str) -> io::Result<()> {
    match PrintableWriter(io::stdout().lock()).write_all(text.as_bytes()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
