//! The client of the native protocol: any player, through one match of any open game.
//!
//! A game is a [`NativeGame`] with a count of its results; connections, lost ones too, requests, clocks, the log and
//! the summary are here.

mod client;
mod clock;
mod connection;
mod game;
mod narrator;
mod options;
mod seat_token;
mod track;

use std::io;

use protocol::native::ErrorCode;

pub use client::run;
pub(crate) use connection::{Connection, Destination};
pub use game::{Counts, GameEnd, NativeGame, Outcome};
pub use options::Options;
#[cfg(test)]
pub(crate) use track::Track;

/// Why a match was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// No connection.
    #[error("cannot connect to {address}: {source}. Is the server running, and is the port right?")]
    Connect {
        /// Host and port.
        address: String,
        /// What went wrong.
        source: io::Error,
    },
    /// The server does not want this client.
    #[error("the server refused: {message} ({})", code.as_str())]
    Refused {
        /// The code.
        code: ErrorCode,
        /// The server's sentence.
        message: String,
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
    /// The exit status of a program that ends with this: 2 a file of the command line, 3 no connection or no
    /// seat, 4 the match has no end. (2 is also a wrong command line.)
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::TokenFile { .. } => 2,
            Self::Connect { .. } | Self::Refused { .. } => 3,
            Self::Lost(_) | Self::Odd(_) => 4,
        }
    }
}
