//! What a server says.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error_code::ErrorCode;
use super::json::{self, Malformed};

/// Limits of time in milliseconds; `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Clocks {
    /// Time of each seat for all its moves of a game, used before that of the single move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<u64>,
    /// What is added to the budget of a seat after each of its moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Time for each move beyond the budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// How long a seat is kept for a player whose connection is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_ms: Option<u64>,
}

/// A message of a server.
///
/// Lists of a `match` and of its end go by player, all others by seat: a player keeps its number
/// through a match, its seat may change with every game. Messages with an `event` are events: every
/// player gets them, with the same numbers, from 1 in each match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ServerMessage {
    /// The answer to a hello: a seat is there.
    Welcome {
        /// The version that is spoken from now on.
        version: u32,
        /// Program and version.
        server: String,
        /// The game.
        game: String,
        /// Number of the match.
        #[serde(rename = "match")]
        number: u64,
        /// Number of this player in the match, from 0.
        player: u8,
        /// What brings this client back to its place.
        token: String,
        /// Whether it has come back.
        resumed: bool,
    },
    /// Everyone is there; sent to one that comes back, too.
    Match {
        /// Names by player.
        players: Vec<String>,
        /// Games that the match is to have.
        games: u32,
        /// Options of the rules, in the terms of the game.
        rules: Value,
        /// Limits of time.
        clocks: Clocks,
    },
    /// Event: a game begins.
    Game {
        /// Number of the event.
        event: u64,
        /// Number of the game, from 1.
        game: u32,
        /// The player in each seat; seat 0 is the first in turn.
        players: Vec<u8>,
        /// Plies that are played already, where games begin from drawn openings.
        ply: u32,
    },
    /// All that this seat may know. Sent after each `game`, on coming back, and on request.
    View {
        /// Number of the last event that is in it.
        event: u64,
        /// Number of the game.
        game: u32,
        /// This player's seat.
        seat: u8,
        /// Plies played.
        ply: u32,
        /// The seat to move; `None` when the game is over.
        to_move: Option<u8>,
        /// The view in the terms of the game.
        view: Value,
    },
    /// It is this seat's turn.
    Request {
        /// Number of the game.
        game: u32,
        /// The ply to be played, from 0.
        ply: u32,
        /// Time for this move in all, budget included; `None` is no limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left_ms: Option<u64>,
        /// What of it is budget.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_ms: Option<u64>,
    },
    /// Event: a move was played.
    Moved {
        /// Number of the event.
        event: u64,
        /// Number of the game.
        game: u32,
        /// The ply that it was, from 0.
        ply: u32,
        /// Who moved.
        seat: u8,
        /// The move as this player may know it, in the notation of the game.
        #[serde(rename = "move")]
        mv: String,
        /// Time that it took in milliseconds.
        used_ms: u64,
        /// Budget that the mover has left, the increment included.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget_ms: Option<u64>,
    },
    /// Event: a seat plays no more in this game, which goes on with the others or is over.
    Out {
        /// Number of the event.
        event: u64,
        /// Number of the game.
        game: u32,
        /// Which seat.
        seat: u8,
        /// Why: a rule of the game, or a fault, as in a result.
        end: String,
        /// More for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Event: a player's connection was lost, or it is back.
    Presence {
        /// Number of the event.
        event: u64,
        /// Which player.
        player: u8,
        /// Whether it is there.
        here: bool,
    },
    /// The legal moves of this seat, on request; none when it is not its turn.
    Legal {
        /// Number of the game.
        game: u32,
        /// Plies played.
        ply: u32,
        /// The moves in the notation of the game.
        moves: Vec<String>,
    },
    /// Event: the game is over.
    Result {
        /// Number of the event.
        event: u64,
        /// Number of the game.
        game: u32,
        /// Place of each seat, 1 is the best; equal places share them. Empty in a void game.
        places: Vec<u8>,
        /// Points of each seat for this game.
        scores: Vec<f64>,
        /// How it ended: a rule of the game, or a fault (`illegal`, `timeout`, `disconnect`,
        /// `protocol-error`), or `resign`, or `void`.
        end: String,
        /// The seat whose fault or resignation ended it, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<u8>,
        /// How it ended for each seat, in games for more than two: a rule or a fault.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ends: Vec<String>,
        /// What each seat has by the game's own count, in games that have one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        game_points: Vec<i32>,
        /// More for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Event: the match is over; the server closes.
    Over {
        /// Number of the event.
        event: u64,
        /// Games that counted.
        games: u32,
        /// Points over all games by player.
        scores: Vec<f64>,
        /// Why it is over before its last game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A line of the client could not be used.
    Error {
        /// For programs.
        code: ErrorCode,
        /// For people.
        message: String,
        /// Versions that the server speaks, where that is the trouble.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        versions: Option<Vec<u32>>,
    },
}

impl ServerMessage {
    const TYPES: [&str; 12] = [
        "welcome", "match", "game", "view", "request", "moved", "out", "presence", "legal",
        "result", "over", "error",
    ];

    /// An error without more.
    pub fn error(code: ErrorCode, message: impl Into<String>) -> ServerMessage {
        ServerMessage::Error {
            code,
            message: message.into(),
            versions: None,
        }
    }

    /// Number of the event that this is.
    pub const fn event(&self) -> Option<u64> {
        match self {
            ServerMessage::Game { event, .. }
            | ServerMessage::Moved { event, .. }
            | ServerMessage::Out { event, .. }
            | ServerMessage::Presence { event, .. }
            | ServerMessage::Result { event, .. }
            | ServerMessage::Over { event, .. } => Some(*event),
            _ => None,
        }
    }

    /// Reads a line without its end.
    ///
    /// # Errors
    /// When it is no message of a server of this version.
    pub fn parse(line: &[u8]) -> Result<ServerMessage, Malformed> {
        json::message(line, &Self::TYPES)
    }

    /// The message as a line with its LF.
    pub fn to_line(&self) -> String {
        line_of(self)
    }
}

/// A message as a line. All messages are of strings, numbers and JSON values, which can be written.
pub(super) fn line_of(message: &impl Serialize) -> String {
    let mut line = serde_json::to_string(message).unwrap_or_default();
    line.push('\n');
    line
}
