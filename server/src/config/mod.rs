//! Settings of the server, from `taikyoku.toml` or from the official `UECda` server's `tndhms.cfg`.
//!
//! Options of the command line are laid over them.

mod gat;
mod native;
mod tndhms;
mod toml_file;
mod uecda;

pub use gat::Gat;
pub use native::Native;
pub use tndhms::{Tndhms, read_tndhms};
pub(crate) use toml_file::parse;
pub use toml_file::{TaikyokuToml, read_toml};
pub use uecda::{Compat, Uecda};

use std::path::Path;

/// Why a settings file cannot be used, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", self.place())]
pub struct ConfigError {
    /// Name of the file.
    pub file: String,
    /// Number of the line, from 1; 0 when the file could not be read at all.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl ConfigError {
    fn place(&self) -> String {
        match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}", self.file),
        }
    }
}

/// Reads a settings file of `UECda` of either kind: `.toml` by its ending, anything else as
/// `tndhms.cfg`. Gives the settings and warnings for the user.
///
/// # Errors
/// The first line that cannot be used.
pub fn read(path: &Path) -> Result<(Uecda, Vec<String>), ConfigError> {
    let (text, name) = text_of(path)?;
    if path.extension().is_some_and(|e| e == "toml") {
        Ok((read_toml(&text, &name)?.uecda, Vec::new()))
    } else {
        let Tndhms { uecda, warnings } = read_tndhms(&text, &name)?;
        Ok((uecda, warnings))
    }
}

/// Reads a settings file of Geister, a `taikyoku.toml`.
///
/// # Errors
/// The first line that cannot be used.
pub fn read_gat(path: &Path) -> Result<Gat, ConfigError> {
    let (text, name) = text_of(path)?;
    Ok(read_toml(&text, &name)?.geister)
}

/// The text and the name of a file.
pub(crate) fn text_of(path: &Path) -> Result<(String, String), ConfigError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|e| ConfigError {
        file: name.clone(),
        line: 0,
        reason: e.to_string(),
    })?;
    // Official files may have comments in old Japanese encodings: only the ASCII part matters.
    Ok((String::from_utf8_lossy(&bytes).into_owned(), name))
}
