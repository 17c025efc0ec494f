//! The command line.

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;

use crate::client::ServerOptions;

/// Options of the bridge of an engine that speaks GTP.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Where the server is.
    #[command(flatten)]
    pub server: ServerOptions,
    /// TCP port of the server.
    #[arg(short, long, default_value_t = 4444, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Name at the table [default: what the engine answers to `name`].
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub name: Option<String>,
    /// Milliseconds for each move, told to the engine: by its parameter `move_ms`, or by `time_settings` in whole
    /// seconds, at least one. An engine that has neither, such as Pentobi, is told nothing: its own options and level
    /// decide.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub move_ms: Option<u64>,
    /// Seconds for each answer of the engine before it sits down.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub start_timeout: u64,
    /// The engine's program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl Options {
    /// How long the engine may take for an answer at its start.
    pub(super) fn start_limit(&self) -> Duration {
        Duration::from_secs(self.start_timeout)
    }
}
