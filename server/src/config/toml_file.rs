//! The project's own settings file, `taikyoku.toml`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{ConfigError, Gat, Uecda};

/// A whole `taikyoku.toml`: a section for each kind of server.
///
/// ```
/// let text = "[uecda]\ngames = 300\n\n[uecda.rules]\nseat-change = 1\n";
/// let file = taikyoku::config::read_toml(text, "taikyoku.toml").unwrap();
/// assert_eq!(file.uecda.games, 300);
/// assert_eq!(file.uecda.rules.seat_change, 1);
///
/// let error = taikyoku::config::read_toml("[uecda]\ngamse = 300\n", "taikyoku.toml").unwrap_err();
/// assert!(error.to_string().starts_with("taikyoku.toml:2: unknown field `gamse`"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TaikyokuToml {
    /// Settings of `taikyoku serve uecda`.
    pub uecda: Uecda,
    /// Settings of `taikyoku serve geister`.
    pub geister: Gat,
}

/// Reads a `taikyoku.toml`; `name` is the file's name in errors.
///
/// # Errors
/// The line of the first mistake: no TOML, an unknown key, a value of the wrong kind.
pub fn read_toml(text: &str, name: &str) -> Result<TaikyokuToml, ConfigError> {
    parse(text, name)
}

/// Reads any file in TOML.
///
/// # Errors
/// The line of the first mistake.
pub(crate) fn parse<T: DeserializeOwned>(text: &str, name: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|e| {
        let at = e.span().map_or(0, |span| span.start).min(text.len());
        let before = text.as_bytes().get(..at).unwrap_or_default();
        ConfigError {
            file: name.to_owned(),
            line: before.split(|&b| b == b'\n').count(),
            reason: e.message().replace('\n', " "),
        }
    })
}
