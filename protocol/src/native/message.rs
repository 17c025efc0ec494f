//! What clients and servers say.

use games::{OfferStep, is_printable};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::json::{self, Malformed};

/// Longest name of a player or of its program, in characters.
pub const NAME_LIMIT: usize = 64;

/// Introduction of a client: its first message.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Hello {
    /// Versions of the protocol that it speaks, in any order.
    pub versions: Vec<u32>,
    /// Name of the player. The server shortens it to [`NAME_LIMIT`] characters.
    pub name: String,
    /// Program and version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The game that it can play; `None` is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The token of a seat that it had before: it comes back to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Number of the last event that it has of the match that it comes back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
    /// Whether it only watches.
    #[serde(default, deserialize_with = "flag", skip_serializing_if = "is_false")]
    pub watch: bool,
    /// Of a watcher, the only match whose events it wants; 0 is none.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u64>,
}

// serde's skip_serializing_if hands over a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A flag that may be `null`.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A message of a client. A server answers each of them, so its match is exhaustive on purpose.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ClientMessage {
    /// The first message.
    Hello(Hello),
    /// A move, on request.
    Move {
        /// Number of the game, as in the request. With it a late move harms nobody.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// Ply, as in the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ply: Option<u32>,
        /// The move in the notation of the game.
        #[serde(rename = "move")]
        mv: String,
    },
    /// Asks for the legal moves.
    Legal,
    /// Asks for the view.
    View,
    /// Gives up the game in play.
    Resign,
    /// Says something about a draw, where [`ServerMessage::Match`] says that players may agree on one.
    Draw {
        /// Number of the game. With it the server refuses a late answer as `stale`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// What it says.
        act: OfferStep,
    },
    /// The program behind the player has failed, such as an engine that has ended: this game is lost by it, if it is still
    /// in play.
    Crash {
        /// Number of the game.
        game: u32,
    },
    /// The player is ready for this game. One that has ever said so is waited for before each later game.
    Ready {
        /// Number of the game.
        game: u32,
    },
    /// Gives up the seat: the game in play is lost, and no other game begins.
    Leave,
    /// Of an organiser at the port of watchers of a league: does something to the league.
    Act(OrganiserRequest),
}

/// What an organiser does to a league. A league says which acts it knows.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OrganiserRequest {
    /// What is done: `pause`, `resume`, `replay`, `disqualify` or `reinstate`.
    pub act: String,
    /// The game that is replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The entrant that is disqualified or reinstated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entrant: Option<String>,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

impl ClientMessage {
    const TYPES: [&str; 10] = [
        "hello", "move", "legal", "view", "resign", "draw", "crash", "ready", "leave", "act",
    ];

    /// Reads a line without its end.
    ///
    /// # Errors
    /// When it is no message of a client.
    pub fn parse(line: &[u8]) -> Result<ClientMessage, Malformed> {
        json::read_line(line, &Self::TYPES)
    }

    /// The message as a line with its LF.
    pub fn to_line(&self) -> String {
        line_of(self)
    }
}

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
#[non_exhaustive]
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
        /// Whether the players may agree on a draw.
        #[serde(default, deserialize_with = "flag", skip_serializing_if = "is_false")]
        draws: bool,
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
        /// The seat that moved.
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
    /// Event: a seat says something about a draw. An acceptance ends the game.
    Draw {
        /// Number of the event.
        event: u64,
        /// Number of the game.
        game: u32,
        /// Which seat.
        seat: u8,
        /// What it says.
        act: OfferStep,
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
        /// `crash`, `protocol-error`), or `resign`, or `agreed` for a draw by agreement, or `void`.
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
    const TYPES: [&str; 13] = [
        "welcome", "match", "game", "view", "request", "moved", "out", "draw", "presence", "legal",
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
            | ServerMessage::Draw { event, .. }
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
        json::read_line(line, &Self::TYPES)
    }

    /// The message as a line with its LF.
    pub fn to_line(&self) -> String {
        line_of(self)
    }
}

/// Code of an error, for programs; the sentence beside it is for people.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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
    /// This cannot be said about a draw now.
    Draw,
    /// An organiser's act makes no sense now.
    Act,
    /// A code of a later version.
    #[serde(other)]
    Other,
}

impl ErrorCode {
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
            ErrorCode::Draw => "draw",
            ErrorCode::Act => "act",
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
                | ErrorCode::Draw
                | ErrorCode::Act
        )
    }
}

/// A name as it may be shown to others on one line: without letters that are not [printable](is_printable) and
/// blanks at its ends, at most [`NAME_LIMIT`] characters; `other` if nothing is left.
pub fn name_of(name: &str, other: &str) -> String {
    let name: String = name.chars().filter(|c| is_printable(*c)).collect();
    let name: String = name.trim_start().chars().take(NAME_LIMIT).collect();
    match name.trim_end() {
        "" => other.to_owned(),
        name => name.to_owned(),
    }
}

/// A message as a line of JSON with its LF.
///
/// # Panics
/// When the message has maps with keys that are not strings.
pub fn line_of(message: &impl Serialize) -> String {
    let mut line =
        serde_json::to_string(message).expect("strings, numbers and JSON values can be written");
    line.push('\n');
    line
}
