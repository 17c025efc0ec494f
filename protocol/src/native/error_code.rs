//! What an error is about.

use serde::{Deserialize, Serialize};

/// Code of an error, for programs; the sentence beside it is for people.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ErrorCode {
    /// The line is no message: no JSON object, no type, a field that is missing or wrong.
    Malformed,
    /// The line is longer than the limit.
    TooLong,
    /// The line nests deeper than the limit.
    TooDeep,
    /// The message has a type that the other side does not know. It is ignored.
    UnknownType,
    /// More was sent than the rate allows.
    Rate,
    /// No version of the protocol is spoken by both sides.
    Version,
    /// The first message must be `hello`, and only the first.
    Hello,
    /// The table has another game than the one asked for.
    Game,
    /// Every seat is taken.
    Full,
    /// The token belongs to no seat here.
    Token,
    /// Another connection with the same token has taken the seat.
    Replaced,
    /// No game is being played.
    NoGame,
    /// It is not this seat's turn.
    NotYourTurn,
    /// The move answers a request of the past.
    Stale,
    /// The rules forbid the move.
    Illegal,
    /// The server has been stopped.
    Stopped,
    /// A code of a later version.
    Other,
}

impl ErrorCode {
    /// All codes of this version.
    pub const ALL: [ErrorCode; 16] = [
        ErrorCode::Malformed,
        ErrorCode::TooLong,
        ErrorCode::TooDeep,
        ErrorCode::UnknownType,
        ErrorCode::Rate,
        ErrorCode::Version,
        ErrorCode::Hello,
        ErrorCode::Game,
        ErrorCode::Full,
        ErrorCode::Token,
        ErrorCode::Replaced,
        ErrorCode::NoGame,
        ErrorCode::NotYourTurn,
        ErrorCode::Stale,
        ErrorCode::Illegal,
        ErrorCode::Stopped,
    ];

    /// The code as it is sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorCode::Malformed => "malformed",
            ErrorCode::TooLong => "too-long",
            ErrorCode::TooDeep => "too-deep",
            ErrorCode::UnknownType => "unknown-type",
            ErrorCode::Rate => "rate",
            ErrorCode::Version => "version",
            ErrorCode::Hello => "hello",
            ErrorCode::Game => "game",
            ErrorCode::Full => "full",
            ErrorCode::Token => "token",
            ErrorCode::Replaced => "replaced",
            ErrorCode::NoGame => "no-game",
            ErrorCode::NotYourTurn => "not-your-turn",
            ErrorCode::Stale => "stale",
            ErrorCode::Illegal => "illegal",
            ErrorCode::Stopped => "stopped",
            ErrorCode::Other => "other",
        }
    }

    /// Whether a client has done nothing worse than come late: its line costs it nothing.
    pub const fn is_harmless(self) -> bool {
        matches!(
            self,
            ErrorCode::UnknownType
                | ErrorCode::NoGame
                | ErrorCode::NotYourTurn
                | ErrorCode::Stale
                | ErrorCode::Hello
        )
    }
}

impl From<String> for ErrorCode {
    fn from(text: String) -> ErrorCode {
        let known = ErrorCode::ALL.into_iter().find(|c| c.as_str() == text);
        known.unwrap_or(ErrorCode::Other)
    }
}

impl From<ErrorCode> for String {
    fn from(code: ErrorCode) -> String {
        code.as_str().to_owned()
    }
}
