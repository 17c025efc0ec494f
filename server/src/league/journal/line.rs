//! The lines of a journal.

use serde::{Deserialize, Serialize};

use super::Changed;
use crate::league::schedule::Key;
use crate::league::settings::Settings;
use record::EndKind;

/// Version of the journal's format.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// [`VERSION`].
    #[serde(rename = "taikyoku-league")]
    pub version: u32,
    /// Time of the start, RFC 3339.
    pub started: String,
    /// Program and version that began the journal.
    pub server: String,
    /// The league.
    pub settings: Settings,
}

/// Any other line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Entry {
    /// A fixture that was played.
    Played(Played),
    /// A fixture that was begun in vain, by our fault or the machine's: it does not count, and is played again.
    Void {
        /// Its key.
        key: Key,
        /// Why.
        void: String,
    },
    /// The league was begun or taken up again.
    Begun {
        /// When, RFC 3339.
        begun: String,
        /// What its file says otherwise than before, where that may change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changed: Option<Changed>,
    },
}

/// A fixture that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// Its key.
    pub key: Key,
    /// The entrant in each seat of the schedule. In Daihinmin the dealer seats them again for each game.
    pub seats: Vec<usize>,
    /// Milliseconds from its first message to its last.
    pub ms: u64,
    /// Its games: one, or those of a session.
    pub games: Vec<Game>,
}

/// A game. All lists go by the seats of [`Played::seats`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Game {
    /// Places, 0 is the best; equal places share.
    pub places: Vec<u8>,
    /// Points, as the league counts them.
    pub points: Vec<f64>,
    /// What each has by the game's own count, in games that have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<i32>,
    /// The fault of each; empty if there was none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<EndKind>,
    /// The rule that ended the game, in games that end by several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The seat at the table of each, where the dealer drew them; empty where it is that of the schedule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<u8>,
    /// Moves of all.
    pub plies: u32,
    /// Moves of each.
    pub moves: Vec<u32>,
    /// Milliseconds that each has used for all its moves.
    pub used: Vec<u64>,
    /// Milliseconds that each has used for its slowest move.
    pub slowest: Vec<u64>,
}

impl Game {
    /// The fault of a seat, [`EndKind::Normal`] without one.
    pub fn kind(&self, seat: usize) -> EndKind {
        self.kinds.get(seat).copied().unwrap_or_default()
    }
}
