//! One league, one process.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The lock of a league's folder. The system gives it free when the process ends, however it does.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error(
        "{}: {} plays this league; wait for its end, or interrupt it (Ctrl-C) and start again",
        folder.display(),
        process.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"))
    )]
    Held {
        /// Folder of the league.
        folder: PathBuf,
        /// The process, if it is known.
        process: Option<u32>,
    },
    /// The file cannot be made.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

const FILE_NAME: &str = "lock";

/// Whoever only looks whether a lock is held, holds it for a moment.
const TRIES: u32 = 5;
const BETWEEN: Duration = Duration::from_millis(20);

impl Lock {
    /// Takes the lock of a folder, which must be there.
    ///
    /// # Errors
    /// When another process has it, or the file cannot be made.
    pub fn take(folder: &Path) -> Result<Lock, LockError> {
        let path = folder.join(FILE_NAME);
        let failed = |error| LockError::Io {
            path: path.clone(),
            error,
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(failed)?;
        let mut tries = TRIES;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) => {}
            }
            tries -= 1;
            if tries == 0 {
                return Err(LockError::Held {
                    folder: folder.to_owned(),
                    process: process(&path),
                });
            }
            std::thread::sleep(BETWEEN);
        }
        let mut lock = Lock { file };
        let own = writeln!(lock.write().map_err(failed)?, "{}", std::process::id());
        own.map_err(failed)?;
        Ok(lock)
    }

    /// The file, emptied.
    fn write(&mut self) -> io::Result<&mut File> {
        self.file.set_len(0)?;
        Ok(&mut self.file)
    }
}

impl Drop for Lock {
    /// The file stays: if it were removed, two could hold locks of two files of its name.
    fn drop(&mut self) {
        let _ = self.write();
    }
}

/// The process that plays the league of a folder now: `None` if none does, `Some(None)` if it is not known which.
pub fn holder(folder: &Path) -> Option<Option<u32>> {
    let path = folder.join(FILE_NAME);
    let file = File::open(&path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(process(&path)),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

fn process(path: &Path) -> Option<u32> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(holder(folder.path()), None);
        let lock = Lock::take(folder.path()).unwrap();
        let own = std::process::id();
        assert_eq!(holder(folder.path()), Some(Some(own)));
        let error = Lock::take(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("process {own} ")), "{error}");
        drop(lock);
        assert_eq!(holder(folder.path()), None);
        // A lock that was left by a process that is no more holds nobody up.
        fs::write(folder.path().join(FILE_NAME), "99999999\n").unwrap();
        assert_eq!(holder(folder.path()), None);
        let again = Lock::take(folder.path()).unwrap();
        assert_eq!(holder(folder.path()), Some(Some(own)));
        drop(again);
        let nowhere = folder.path().join("nowhere");
        let error = Lock::take(&nowhere).unwrap_err().to_string();
        assert!(error.contains("nowhere"), "{error}");
    }
}
