//! The client of the native protocol: any player, through one match of any open game.
//!
//! A game is a [`NativeGame`], the one trait that an open game needs for its client; connections, lost ones too,
//! requests, clocks, the log and the summary are here.

mod blokus;
mod blokus_counts;
mod client;
mod clock;
mod connection;
mod dobutsu;
mod game;
mod score_four;
mod seat_token;
mod sentences;
mod track;

use std::error::Error;
use std::io;

use games::Printable;
use protocol::native::ErrorCode;

use crate::NoConnection;
pub use blokus::picture;
pub use blokus_counts::BlokusCounts;
pub use client::{NativeSettings, run};
pub use clock::TimeLeft;
pub use connection::{Connection, Destination, connect};
pub use game::{GameEnd, NativeCounts, NativeGame, Outcome};

/// Why a match was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// The player cannot be made.
    #[error(transparent)]
    Player(Box<dyn Error + Send + Sync>),
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

impl NativeError {
    /// The error of a player that cannot be made.
    pub fn player(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Player(Box::new(error))
    }

    /// The exit status of a program that ends with this: 2 for the command line or a file that it names, 3 for no
    /// connection or no seat, 4 for a match that was not finished.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Player(_) | Self::TokenFile { .. } | Self::Trust(_) => program::USAGE,
            Self::Connect(_) | Self::Tls { .. } | Self::Refused { .. } | Self::NoWelcome { .. } => {
                program::NO_CONNECTION
            }
            Self::Lost(_) | Self::Odd(_) => program::CUT_SHORT,
        }
    }
}
