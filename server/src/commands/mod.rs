//! The commands of the `taikyoku` program that need no league, and what all of its commands share.

pub mod bot;
pub mod demo;
pub mod log;
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

/// Lets this process open so many files, or as many as the system allows. Gives how many it may open then.
pub fn allow_open_files(needed: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let Some(current) = current else {
        return u64::MAX;
    };
    let raised = maximum.map_or(needed, |most| needed.min(most));
    if raised <= current {
        return current;
    }
    let limit = Rlimit {
        current: Some(raised),
        maximum,
    };
    setrlimit(Resource::Nofile, limit).map_or(current, |()| raised)
}
