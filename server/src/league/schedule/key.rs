//! Names of games.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A game of the schedule: `MATCHUP.DEAL.ROTATION`, all from 0. In formats with rounds the matchup counts
/// on through the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Key {
    /// Number of the matchup.
    pub matchup: u32,
    /// Number of its deal.
    pub deal: u32,
    /// Number of the rotation.
    pub rotation: u8,
}

/// A text that is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the key of a game, such as `0.17.2`")]
pub struct KeyError(String);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.matchup, self.deal, self.rotation)
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Key, KeyError> {
        let read = || {
            let mut parts = text.split('.');
            let key = Key {
                matchup: parts.next()?.parse().ok()?,
                deal: parts.next()?.parse().ok()?,
                rotation: parts.next()?.parse().ok()?,
            };
            (parts.next().is_none() && key.to_string() == text).then_some(key)
        };
        read().ok_or_else(|| KeyError(text.chars().take(40).collect()))
    }
}

impl From<Key> for String {
    fn from(key: Key) -> String {
        key.to_string()
    }
}

impl TryFrom<String> for Key {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Key, KeyError> {
        text.parse()
    }
}
