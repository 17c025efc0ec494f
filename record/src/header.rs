//! The first line of a record.

use games::GameName;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the record format that this crate writes, and the only one that it reads.
pub const VERSION: u32 = 1;

/// A player as it named itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// The name, as the player gave it.
    pub name: String,
    /// What the player's program said of itself, such as its protocol version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// Limits of time in milliseconds; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Clocks {
    /// For one decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// For all decisions of one player in one game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_ms: Option<u64>,
    /// What is added to that after each decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
}

/// What holds for the whole match. It has no secret in it: see [the module](super).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    #[serde(rename = "taikyoku-record")]
    pub version: u32,
    /// The game.
    pub game: GameName,
    /// Name of the match, one of its kind on its server.
    #[serde(rename = "match")]
    pub id: String,
    /// The protocol that the players speak.
    pub tongue: String,
    /// The players, by number.
    pub players: Vec<Player>,
    /// Games that the match is to have.
    pub games: u32,
    /// Rules of the game. For Daihinmin a [`games::daihinmin::SessionRules`].
    pub rules: Value,
    /// Options of the server that change what is played or sent (never the seed or key).
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub options: Value,
    /// [Commitment](games::DealKey::commitment) to the key of the deals, which the last line tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
    /// Limits of time.
    #[serde(default)]
    pub clocks: Clocks,
    /// Time limits of each player if they differ; otherwise empty.
    #[serde(
        default,
        rename = "player-clocks",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub player_clocks: Vec<Clocks>,
    /// Time of the start, RFC 3339.
    pub started: String,
    /// Program and version that wrote the record.
    pub server: String,
}

impl Header {
    /// The time limits of a player.
    pub fn clocks_of(&self, player: usize) -> Clocks {
        let own = self.player_clocks.get(player);
        own.copied().unwrap_or(self.clocks)
    }

    /// A header of this version for a match that starts now, without limits of time or options.
    pub fn new(game: GameName, id: &str, tongue: &str, players: Vec<Player>, games: u32) -> Header {
        Header {
            version: VERSION,
            game,
            id: id.to_owned(),
            tongue: tongue.to_owned(),
            players,
            games,
            rules: Value::Null,
            options: Value::Null,
            commitment: None,
            clocks: Clocks::default(),
            player_clocks: Vec::new(),
            started: jiff::Zoned::now()
                .strftime("%Y-%m-%dT%H:%M:%S%:z")
                .to_string(),
            server: format!("taikyoku {}", program::version()),
        }
    }

    /// When the match began, by the clock of its machine; `None` where that cannot be read.
    pub fn began(&self) -> Option<jiff::Zoned> {
        jiff::Zoned::strptime("%Y-%m-%dT%H:%M:%S%:z", &self.started).ok()
    }

    /// Sets the rules from any type that serde can write.
    #[must_use]
    pub fn with_rules(mut self, rules: &impl Serialize) -> Header {
        self.rules = serde_json::to_value(rules).unwrap_or(Value::Null);
        self
    }

    /// Sets an option of the server.
    #[must_use]
    pub fn with_option(mut self, name: &str, value: impl Into<Value>) -> Header {
        if !self.options.is_object() {
            self.options = Value::Object(serde_json::Map::new());
        }
        self.options[name] = value.into();
        self
    }
}
