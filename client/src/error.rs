//! Why a match was not played to its end, in any protocol.

use std::error::Error;
use std::io;
use std::time::Duration;

use games::Printable;
use protocol::gat::OutOfTurn;
use protocol::native::ErrorCode;
use protocol::uecda::ClientError;

use crate::NoConnection;
use crate::link::Lost;

/// Games of GAT in a row that may break before the client gives up.
pub(crate) const MOST_BROKEN: u32 = 3;
pub(crate) const MOST_REFUSALS: u32 = 5;
/// Most legal moves of a turn of Geister.
pub(crate) const MOST_MOVES: usize = 32;

/// Why a match, or a run of games of GAT, was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The player cannot be made.
    #[error(transparent)]
    Player(Box<dyn Error + Send + Sync>),
    /// No connection.
    #[error(transparent)]
    Connect(#[from] NoConnection),
    // The native protocol and AnimalShogiServer.
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
    // GAT.
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
        source: Box<MatchError>,
    },
    /// Game after game had no result.
    #[error("game {game} and the {} before it have no result: {source}", MOST_BROKEN - 1)]
    Broken {
        /// The last game.
        game: u32,
        /// What went wrong in it.
        source: GameError,
    },
    // UECda.
    /// The connection broke.
    #[error("the connection broke {}: {source}", match game {
        0 => "before the first game".to_owned(),
        game => format!("in game {game}"),
    })]
    Io {
        /// Games begun.
        game: u32,
        /// What went wrong.
        source: io::Error,
    },
    /// The server closed the connection before the match was over.
    #[error("the server closed the connection {}", match game {
        0 => "before the first game: perhaps five players were there already, it wants a token as the name (-n), or it speaks another protocol".to_owned(),
        game => format!("in game {game}"),
    })]
    Closed {
        /// Games begun.
        game: u32,
    },
    /// The server does not keep to the protocol.
    #[error("{}: {source}", match (source, game) {
        (ClientError::Number(_), _) => "the server does not speak this protocol".to_owned(),
        (_, 0) => "before the first game the server broke the protocol".to_owned(),
        (_, game) => format!("in game {game} the server broke the protocol"),
    })]
    Protocol {
        /// Games begun.
        game: u32,
        /// What went wrong.
        source: ClientError,
    },
}

impl MatchError {
    /// The error of a player that cannot be made.
    pub fn player(error: impl Error + Send + Sync + 'static) -> MatchError {
        MatchError::Player(Box::new(error))
    }

    /// The exit status of a program that ends with this: 2 for the command line or a file that it names, 3 for no
    /// connection or no seat, 4 for a match that was not finished, or games without a result.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Player(_) | Self::TokenFile { .. } | Self::Trust(_) => program::USAGE,
            Self::Connect(_)
            | Self::Tls { .. }
            | Self::Refused { .. }
            | Self::NoWelcome { .. }
            | Self::Dropped { .. }
            | Self::Foreign { .. }
            | Self::Silent { .. }
            | Self::Closed { game: 0 }
            | Self::Io { game: 0, .. }
            | Self::Protocol { game: 0, .. } => program::NO_CONNECTION,
            Self::Lost(_)
            | Self::Odd(_)
            | Self::Gone { .. }
            | Self::Broken { .. }
            | Self::Io { .. }
            | Self::Closed { .. }
            | Self::Protocol { .. } => program::CUT_SHORT,
        }
    }
}

/// Why a game of GAT has no result.
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
    OutOfTurn(#[from] OutOfTurn),
}
