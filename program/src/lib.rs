//! What the programs have in common: how they read and describe their options, how they end, how they print and log, the
//! version that they print, and permits that limit what one address uses. With the feature `work` also `work`, by which leagues
//! and the laboratory have other machines play.
//!
//! Nothing here knows a rule or a socket. Without the feature `options` the crate has only the version, the exit codes and the
//! permits: libraries need no more.
//!
//! Begin reading at the exit codes below, then at `options.rs`.

#![forbid(unsafe_code)]

use std::fmt::{self, Display};
use std::io;

#[cfg(feature = "options")]
mod description;
#[cfg(feature = "options")]
mod options;
#[cfg(feature = "options")]
mod output;
mod permits;
mod version;
#[cfg(feature = "work")]
pub mod work;

#[cfg(feature = "options")]
pub use description::{Argument, Description, Values, commands};
#[cfg(feature = "options")]
pub use options::{DESCRIBE, options};
#[cfg(feature = "options")]
pub use output::{PrintableWriter, fail, log_to, start_log, write_out};
pub use permits::{NoPermit, Permit, Permits, network_of};
pub use version::{DIGITS, commit_of, machine, say, version};

include!(concat!(env!("OUT_DIR"), "/log_of_head.rs"));

/// Exit code: something failed.
pub const FAILED: u8 = 1;
/// Exit code: the command line, a settings file or another file that it names is wrong. The parser of options uses it, too.
pub const USAGE: u8 = 2;
/// Exit code of clients: no connection, or no seat.
pub const NO_CONNECTION: u8 = 3;
/// Exit code of clients: the connection was lost, or the match ended early.
pub const CUT_SHORT: u8 = 4;
/// Exit code: interrupted, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// Why a command fails: a text for people, and the exit code for programs.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    reason: String,
    is_unread: bool,
}

impl Failure {
    /// A failure with this exit code.
    pub fn new(code: u8, reason: impl Display) -> Failure {
        Failure {
            code,
            reason: reason.to_string(),
            is_unread: false,
        }
    }

    /// The command line, a settings file or another file that it names is wrong.
    pub fn usage(reason: impl Display) -> Failure {
        Failure::new(USAGE, reason)
    }

    /// Something failed.
    pub fn failed(reason: impl Display) -> Failure {
        Failure::new(FAILED, reason)
    }

    /// The exit code.
    pub const fn code(&self) -> u8 {
        self.code
    }

    /// Whether nobody reads the output any more (`program | head`).
    pub const fn is_unread(&self) -> bool {
        self.is_unread
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure {
            is_unread: error.kind() == io::ErrorKind::BrokenPipe,
            ..Failure::failed(error)
        }
    }
}
