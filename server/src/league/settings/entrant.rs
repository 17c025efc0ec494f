//! Who plays, and how its program is started.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// An entrant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entrant {
    /// Its name, which no other entrant has.
    pub name: String,
    /// What is started.
    pub start: Start,
    /// Folder in which it runs; `None` is that of the league's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// Variables of its environment, beside those of this program. They may be secret: the journal has none of them.
    #[serde(skip)]
    pub environment: BTreeMap<String, String>,
    /// Processors that it may run on; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<usize>,
    /// Limit of its start in milliseconds, where it is not that of the league.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// KiB of its standard error that are kept of one process.
    pub stderr_kib: u32,
}

/// What is started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// One of the project's own bots.
    House {
        /// Name of its engine.
        engine: String,
        /// More options of the client program, such as `--playouts 2000`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
    },
    /// A program that connects as a client in the protocol of the game. `{host}`, `{port}`, `{name}`, `{games}`,
    /// `{seed}` and `{move-ms}` in its words are filled in.
    Command(Vec<String>),
    /// An engine that speaks GTP on its standard input and output (Blokus).
    Gtp(Vec<String>),
}

/// A word of a command with what stands in braces filled in, by name; other braces stay as they are.
pub fn fill_in(word: &str, values: &[(&str, String)]) -> String {
    let mut filled = word.to_owned();
    for (name, value) in values {
        filled = filled.replace(&format!("{{{name}}}"), value);
    }
    filled
}
