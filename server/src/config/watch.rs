//! The port of watchers.

use clap::Args;

use super::MOST_MS;

/// Whether and how the tables of a server can be watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct Watch {
    /// Show all tables to everybody at this port, hidden cards and colours when the game is over; 0 takes a free port and
    /// says which
    #[arg(long, value_name = "PORT", help_heading = "Where")]
    pub watch: Option<u16>,
    /// Show watchers everything this much later
    #[arg(long = "watch-delay-ms", alias = "watch-delay", value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), requires = "watch", default_value_t = 0, help_heading = "Where")]
    pub watch_delay: u64,
}
