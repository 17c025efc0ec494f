//! What is wrong with a league.

use std::fmt::{self, Display};

use serde::Serialize;

use crate::schedule::Key;

/// The first thing that does not agree with the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
pub struct Disagreement {
    /// The file, by its name in the folder of the league.
    pub file: String,
    /// The line in it, from 1, if it is one.
    pub line: Option<u64>,
    /// The fixture, if it is about one.
    pub key: Option<Key>,
    /// What is wrong.
    pub reason: String,
}

impl Disagreement {
    pub(super) fn of(file: &str, reason: impl Display) -> Disagreement {
        Disagreement {
            file: file.to_owned(),
            line: None,
            key: None,
            reason: reason.to_string(),
        }
    }

    pub(super) const fn at_line(mut self, line: u64) -> Disagreement {
        self.line = Some(line);
        self
    }

    pub(super) const fn at_key(mut self, key: Option<Key>) -> Disagreement {
        self.key = key;
        self
    }
}

impl Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(key) = self.key {
            write!(f, ": game {key}")?;
        }
        write!(f, ": {}", self.reason)
    }
}
