//! The client of the native protocol: any player, through one match of any open game.
//!
//! A game is a [`NativeGame`], the one trait that an open game needs for its client; connections, lost ones too,
//! requests, clocks, the log and the summary are here.

mod client;
mod clock;
mod connection;
mod game;
mod narrator;
mod seat_token;
mod track;

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use games::Printable;
use protocol::native::ErrorCode;

use crate::client::{CommonOptions, EngineNames, NoConnection, OptionsError, TlsOptions};
pub use client::{run, sit};
pub(crate) use clock::TimeLeft;
pub use connection::connect;
pub(crate) use connection::{Connection, Destination};
pub use game::{Counts, GameEnd, NativeGame, Outcome};
#[cfg(test)]
pub(crate) use track::Track;

/// Why a match was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// An option that would have no effect.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The engine cannot be made.
    #[error(transparent)]
    Engine(Box<dyn Error + Send + Sync>),
    /// No connection.
    #[error(transparent)]
    Connect(#[from] NoConnection),
    /// The certificates that are trusted cannot be had.
    #[error("{0}")]
    Trust(String),
    /// No TLS with the server.
    #[error("no TLS with {address}: {reason}")]
    Tls {
        /// Host and port.
        address: String,
        /// What went wrong.
        reason: String,
    },
    /// The server does not want this client.
    #[error("the server refused: {} ({})", Printable(message), code.as_str())]
    Refused {
        /// The code.
        code: ErrorCode,
        /// The server's sentence.
        message: String,
    },
    /// No connection has led to a welcome.
    #[error(
        "{address} gives no welcome: perhaps its protocol is another, or it wants TLS ({reason})"
    )]
    NoWelcome {
        /// Host and port.
        address: String,
        /// How the last connection ended.
        reason: String,
    },
    /// The connection was lost and did not come back.
    #[error("the connection was lost, and no other came: {0}")]
    Lost(String),
    /// What the server says cannot be followed.
    #[error("this server cannot be followed: {0}")]
    Odd(String),
    /// The file of the token cannot be read or written.
    #[error("the file of the token, {path}: {source}")]
    TokenFile {
        /// The file.
        path: String,
        /// What went wrong.
        source: io::Error,
    },
}

impl PlayError {
    /// The error of an engine that cannot be made.
    pub(crate) fn engine(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Engine(Box::new(error))
    }

    /// The exit status of a program that ends with this: 2 for the command line or a file that it names, 3 for no
    /// connection or no seat, 4 for a match that was not finished.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Options(_) | Self::Engine(_) | Self::TokenFile { .. } | Self::Trust(_) => {
                program::USAGE
            }
            Self::Connect(_) | Self::Tls { .. } | Self::Refused { .. } | Self::NoWelcome { .. } => {
                program::NO_CONNECTION
            }
            Self::Lost(_) | Self::Odd(_) => program::CUT_SHORT,
        }
    }
}

/// The variable of [`Options::token`].
const TOKEN: &str = "TAIKYOKU_TOKEN";

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
    /// Whom to trust where TLS is spoken.
    #[command(flatten)]
    pub tls: TlsOptions,
    /// Playouts of the Monte Carlo engines for each move, nodes of the others that search [default: as many as the time
    /// allows; without --move-ms the Monte Carlo engines of 3D four-in-a-row make 50,000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,
    /// Most milliseconds for each move; never more than the server leaves [default: 1000, and no limit with playouts or a
    /// level].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub move_ms: Option<u64>,
    /// Threads of the search, of engines that search with more than one.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
    /// Name at the table [default: that of the engine].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Token of the seat of an earlier run, to which the program comes back. It is secret: the variable or --token-file
    /// keeps it out of the list of processes, which every user of the machine may read.
    #[arg(
        long,
        value_name = "TOKEN",
        env = TOKEN,
        hide_env_values = true
    )]
    pub token: Option<String>,
    /// File that keeps the token during the match, and that only its owner may read: a program that was killed and is
    /// started again comes back to its seat.
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    pub token_file: Option<PathBuf>,
}

impl<E: EngineNames> Options<E> {
    /// The name at the table.
    pub fn name(&self) -> String {
        let name = self.name.clone();
        name.unwrap_or_else(|| self.common.engine.name())
    }

    /// Whether the token is on the command line. The variable may have been set for another match.
    pub(crate) fn has_token_on_line(&self) -> bool {
        self.token.is_some() && self.token != std::env::var(TOKEN).ok()
    }

    /// Most time for a move.
    pub fn move_time(&self) -> Option<Duration> {
        self.move_ms.map(Duration::from_millis)
    }
}
