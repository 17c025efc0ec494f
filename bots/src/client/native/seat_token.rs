//! The token of the seat, kept in a file so that the next run of the program can come back to it.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use log::warn;

use super::PlayError;

/// Longest token that is read, in bytes.
const MOST: usize = 1000;

/// The file, if there is to be one.
#[derive(Clone, Debug)]
pub(super) struct TokenFile(Option<PathBuf>);

impl TokenFile {
    pub(super) fn new(path: Option<&Path>) -> TokenFile {
        TokenFile(path.map(Path::to_owned))
    }

    /// Whether there is to be one.
    pub(super) fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// The token of an earlier run; `None` if there is no file or nothing in it.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub(super) fn read(&self) -> Result<Option<String>, PlayError> {
        let Some(path) = &self.0 else {
            return Ok(None);
        };
        match fs::read_to_string(path) {
            Ok(text) => {
                let token = text.trim();
                Ok((!token.is_empty() && token.len() <= MOST).then(|| token.to_owned()))
            }
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => {
                let path = path.display().to_string();
                Err(PlayError::TokenFile { path, source })
            }
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

/// Writes a file that only its owner may read, where the system knows of owners.
fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    // It may have been there with other permissions.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    file.write_all(text.as_bytes())
}
