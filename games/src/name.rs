//! The games and their names.

use std::fmt;
use std::str::FromStr;

/// A game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum GameName {
    /// Daihinmin under the `UECda` rules.
    Daihinmin,
    /// Geister.
    Geister,
    /// Blokus for four players.
    Blokus,
    /// 3D four-in-a-row.
    ScoreFour,
}

/// Text that is not the name of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a game: there are daihinmin, geister, blokus and score-four")]
pub struct UnknownGame(pub String);

impl GameName {
    /// All games.
    pub const ALL: [GameName; 4] = [
        GameName::Daihinmin,
        GameName::Geister,
        GameName::Blokus,
        GameName::ScoreFour,
    ];

    /// The name as records and commands write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            GameName::Daihinmin => "daihinmin",
            GameName::Geister => "geister",
            GameName::Blokus => "blokus",
            GameName::ScoreFour => "score-four",
        }
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Reads what [`GameName::as_str`] gives.
impl FromStr for GameName {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<GameName, UnknownGame> {
        GameName::ALL
            .into_iter()
            .find(|game| game.as_str() == text)
            .ok_or_else(|| UnknownGame(text.chars().take(20).collect()))
    }
}
