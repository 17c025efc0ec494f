//! The token of the seat, kept in a file so that the next run of the program can come back to it.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use log::warn;

use crate::MatchError;

/// Longest token that is read, in bytes.
const MOST: usize = 1000;

/// The file, if there is to be one.
#[derive(Clone, Debug)]
pub(super) struct TokenFile(Option<PathBuf>);

impl TokenFile {
    pub(super) fn new(path: Option<&Path>) -> TokenFile {
        TokenFile(path.map(Path::to_owned))
    }

    pub(super) fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// The token of an earlier run; `None` if there is no file or nothing in it.
    ///
    /// # Errors
    /// When it is there and cannot be read, or has something else in it, which [`keep`](Self::keep) would overwrite.
    pub(super) fn read(&self) -> Result<Option<String>, MatchError> {
        let Some(path) = &self.0 else {
            return Ok(None);
        };
        let error = |source| {
            let path = path.display().to_string();
            MatchError::TokenFile { path, source }
        };
        match fs::read(path) {
            Ok(bytes) => token(&bytes).map_err(error),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(error(source)),
        }
    }

    /// Keeps a token. The match goes on without it.
    pub(super) fn keep(&self, token: &str) {
        if let Some(path) = &self.0
            && let Err(e) = write_secret(path, &format!("{token}\n"))
        {
            warn!("the token cannot be kept in {}: {e}", path.display());
        }
    }

    /// The match is over: nobody comes back to it.
    pub(super) fn forget(&self) {
        if let Some(path) = &self.0 {
            // It may be gone already.
            let _ = fs::remove_file(path);
        }
    }
}

/// The token in such bytes, a single word; `None` if there is nothing in them.
fn token(bytes: &[u8]) -> io::Result<Option<String>> {
    let is_odd = |c: char| c.is_whitespace() || c.is_control();
    let text = str::from_utf8(bytes).ok().map(str::trim);
    let word = text.filter(|text| text.len() <= MOST && !text.contains(is_odd));
    let text = word.ok_or_else(|| {
        let reason = "this file holds something other than a token, and a new token would overwrite it: name a file that \
                      is not there yet";
        io::Error::new(ErrorKind::InvalidData, reason)
    })?;
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// Writes a file that only its owner may read, where the system knows of owners.
fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    // It may have been there with other permissions.
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    file.write_all(text.as_bytes())
}
