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
        super::message::line_of(self)
    }
}

/// A name as it may be shown to others on one line: without control characters, separators of lines, marks
/// that turn the direction of the text, and blanks at its ends, at most [`NAME_LIMIT`] characters;
/// `other` if nothing is left.
pub fn name_of(name: &str, other: &str) -> String {
    let name: String = name.chars().filter(|c| is_shown(*c)).collect();
    let name: String = name.trim_start().chars().take(NAME_LIMIT).collect();
    match name.trim_end() {
        "" => other.to_owned(),
        name => name.to_owned(),
    }
}

/// Whether a character stays on its line and leaves the direction of the text as it is: no control
/// character, no separator of lines or paragraphs, none of the property `Bidi_Control` (Unicode Standard
/// Annex 9).
fn is_shown(c: char) -> bool {
    let breaks = matches!(c, '\u{2028}' | '\u{2029}');
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(c.is_control() || breaks || turns)
}
