//! The port of watchers.

use clap::Args;

use super::MOST_MS;

/// Whether and how the tables of a server can be watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct Watch {
    /// Let everybody watch all tables at this port, without what is hidden in a game that is not over; 0 takes a free
    /// one and says which
    #[arg(long, value_name = "PORT", help_heading = "Where")]
    pub watch: Option<u16>,
    /// Tell watchers everything so much later
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), requires = "watch", default_value_t = 0, help_heading = "Where")]
    pub watch_delay: u64,
}
