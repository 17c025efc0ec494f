//! The command line of a client of the native protocol.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::client::{CommonOptions, EngineNames};

/// Options of the client of a game with these engines.
#[derive(Args, Clone, Debug)]
#[group(id = "NativeOptions")]
pub struct Options<E: EngineNames> {
    /// Those that all clients have.
    #[command(flatten)]
    pub common: CommonOptions<E>,
    /// TCP port of the server.
    #[arg(short, long, default_value_t = 4444, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Playouts of the Monte Carlo engines for each move, nodes of the others that search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,
    /// Most milliseconds for each move; never more than the server leaves.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub move_ms: Option<u64>,
    /// Threads of the search, of engines that search with more than one.
    #[arg(long, default_value_t = 1, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
    /// Name at the table [default: that of the engine].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Token of a seat that an earlier run of this program had: comes back to it.
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// File that keeps the token while the match goes on, for its owner's eyes only: comes back to its seat if an
    /// earlier run of this program was killed.
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    pub token_file: Option<PathBuf>,
}

impl<E: EngineNames> Options<E> {
    /// The name at the table.
    pub fn name(&self) -> String {
        let name = self.name.clone();
        name.unwrap_or_else(|| self.common.engine.name())
    }

    /// Most time for a move.
    pub fn move_time(&self) -> Option<Duration> {
        self.move_ms.map(Duration::from_millis)
    }
}
