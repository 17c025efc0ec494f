//! What the programs have in common: how they read and describe their options, how they end, how they print and log, the
//! version that they print, and permits that limit what one address uses. With the feature `work` also `work`, by which leagues
//! and the laboratory have other machines play.
//!
//! Nothing here knows a rule or a socket. Without the feature `options` the crate has only the version, the exit codes and the
//! permits: libraries need no more.
//!
//! Begin reading at the exit codes below, then at `options.rs`.

#![forbid(unsafe_code)]

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
