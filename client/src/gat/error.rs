//! Why games of GAT have no result.

use std::error::Error;
use std::io;
use std::time::Duration;

use protocol::gat::NotDue;

use super::{MOST_BROKEN, MOST_MOVES, MOST_REFUSALS};
use crate::NoConnection;
use crate::link::Lost;

/// Why a run of games could not go on.
#[derive(Debug, thiserror::Error)]
pub enum GatError {
    /// The player cannot be made.
    #[error(transparent)]
    Player(Box<dyn Error + Send + Sync>),
    /// No connection.
    #[error(transparent)]
    Connect(#[from] NoConnection),
    /// Connections were accepted, but dropped before the game.
    #[error(
        "{address} accepted {dropped} connections and dropped each before SET?: perhaps the seat is taken"
    )]
    Dropped {
        /// Host and port.
        address: String,
        /// How many.
        dropped: u32,
    },
    /// Something else than `SET?` was said before the connection ended.
    #[error("{address} said `{said}` and closed the connection: it is no GAT server")]
    Foreign {
        /// Host and port.
        address: String,
        /// What it said first.
        said: String,
    },
    /// Nothing was said before the game.
    #[error("{address} has not said SET? within {} s: perhaps the seat is taken, or it is no GAT server", limit.as_secs_f64())]
    Silent {
        /// Host and port.
        address: String,
        /// How long was waited.
        limit: Duration,
    },
    /// A later game could not begin.
    #[error("game {game} does not begin: {source}")]
    Gone {
        /// The game.
        game: u32,
        /// What went wrong.
        source: Box<GatError>,
    },
    /// Game after game had no result.
    #[error("game {game} and the {} before it have no result: {source}", MOST_BROKEN - 1)]
    Broken {
        /// The last game.
        game: u32,
        /// What went wrong in it.
        source: GameError,
    },
}

impl GatError {
    /// The error of a player that cannot be made.
    pub fn player(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Player(Box::new(error))
    }

    /// The exit status of a program that ends with this: 2 a file of the command line, 3 no connection or no seat, 4
    /// games without a result, or no connection after some games. (2 is also a wrong command line.)
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Player(_) => program::USAGE,
            Self::Connect(_)
            | Self::Dropped { .. }
            | Self::Foreign { .. }
            | Self::Silent { .. } => program::NO_CONNECTION,
            Self::Gone { .. } | Self::Broken { .. } => program::CUT_SHORT,
        }
    }
}

/// Why a game has no result.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// The connection ended first.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// The connection ended first, while something was sent.
    #[error("the connection broke: {0}")]
    Sending(#[from] io::Error),
    /// The server accepts no placement.
    #[error("the server has refused {MOST_REFUSALS} placements")]
    NoPlacement,
    /// The server accepts no move.
    #[error("the server has refused {MOST_MOVES} moves of one turn")]
    NoMove,
    /// The server and this client disagree on what is due.
    #[error(transparent)]
    NotDue(#[from] NotDue),
}
