//! What a client says.

use serde::{Deserialize, Serialize};

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
}

/// A message of a client.
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
    /// Gives up the seat: the game in play is lost, and no other game begins.
    Leave,
}

impl ClientMessage {
    const TYPES: [&str; 6] = ["hello", "move", "legal", "view", "resign", "leave"];

    /// Reads a line without its end.
    ///
    /// # Errors
    /// When it is no message of a client.
    pub fn parse(line: &[u8]) -> Result<ClientMessage, Malformed> {
        json::message(line, &Self::TYPES)
    }

    /// The message as a line with its LF.
    pub fn to_line(&self) -> String {
        super::server_message::line_of(self)
    }
}

/// A name as it may be shown to others: without control characters and blanks at its ends, at most
/// [`NAME_LIMIT`] characters; `other` if nothing is left.
pub fn name_of(name: &str, other: &str) -> String {
    let name: String = name
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(NAME_LIMIT)
        .collect();
    if name.is_empty() {
        other.to_owned()
    } else {
        name
    }
}
