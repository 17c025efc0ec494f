//! The project's own settings file, `taikyoku.toml`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{ConfigError, Gat, Uecda};

/// A whole `taikyoku.toml`: a section for each kind of server.
///
/// ```
/// let text = "[uecda]\ngames = 300\n\n[uecda.rules]\nseat-change = 1\n";
/// let file = taikyoku_server::config::read_toml(text, "taikyoku.toml").unwrap();
/// assert_eq!(file.uecda.games, 300);
/// assert_eq!(file.uecda.rules.seat_change, 1);
///
/// let error = taikyoku_server::config::read_toml("[uecda]\ngamse = 300\n", "taikyoku.toml").unwrap_err();
/// assert!(error.to_string().starts_with("taikyoku.toml:2: unknown field `gamse`"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TaikyokuToml {
    pub uecda: Uecda,
    pub geister: Gat,
}

/// Reads a `taikyoku.toml`; `name` is the file's name in errors.
///
/// # Errors
/// The line of the first mistake: no TOML, an unknown key, a value of the wrong kind.
pub fn read_toml(text: &str, name: &str) -> Result<TaikyokuToml, ConfigError> {
    parse(text, name)
}

pub fn parse<T: DeserializeOwned>(text: &str, name: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|e| {
        let at = e.span().map_or(0, |span| span.start).min(text.len());
        let before = text.as_bytes().get(..at).unwrap_or_default();
        ConfigError {
            file: name.to_owned(),
            line: before.split(|&b| b == b'\n').count(),
            reason: plain(e.message()),
        }
    })
}

/// What serde says of a file, without names of types, and with the name that was perhaps meant.
pub fn plain(message: &str) -> String {
    let message = message.replace('\n', " ");
    let kinds = [
        ("u8", "a whole number from 0 to 255"),
        ("u16", "a whole number from 0 to 65535"),
        ("u32", "a whole number from 0 to 4294967295"),
        ("u64", "a whole number of 0 or more"),
        ("usize", "a whole number of 0 or more"),
        ("f64", "a number"),
        ("a string", "a text in quotes"),
        ("a boolean", "true or false"),
        ("a sequence", "a list in brackets"),
    ];
    for (kind, words) in kinds {
        if let Some(before) = message.strip_suffix(&format!("expected {kind}")) {
            return format!("{before}expected {words}");
        }
    }
    // Unknown field `gmaes`, expected one of `bind`, `games`.
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next().filter(|_| message.starts_with("unknown "));
    let near = unknown.and_then(|unknown| {
        let by_likeness = quoted.map(|name| (strsim::jaro_winkler(unknown, name), name));
        by_likeness
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
    });
    match near {
        Some((_, name)) => {
            message.replacen(", expected", &format!(" (perhaps `{name}`), expected"), 1)
        }
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of a file, each with its error.
    const MISTAKES: &str = r#"games = -5 => invalid value: integer `-5`, expected a whole number from 0 to 4294967295
port = "42600" => invalid type: string "42600", expected a whole number from 0 to 65535
bind = 3 => invalid type: integer `3`, expected a text in quotes
once = 1 => invalid type: integer `1`, expected true or false
gmaes = 3 => unknown field `gmaes` (perhaps `games`), expected one of `bind`,
dealer = "modren" => unknown variant `modren` (perhaps `modern`), expected `official` or `modern`
dealer = "dice" => unknown variant `dice`, expected `official` or `modern`"#;

    #[test]
    fn mistakes_are_told_in_plain_words() {
        for case in MISTAKES.lines() {
            let (line, said) = case.split_once(" => ").unwrap();
            let error = read_toml(&format!("[uecda]\n{line}\n"), "t.toml").unwrap_err();
            assert!(error.reason.starts_with(said), "{line}: {}", error.reason);
            assert_eq!(error.line, 2);
        }
    }
}
