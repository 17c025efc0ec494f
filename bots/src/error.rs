//! Why an engine cannot be made.

use std::path::{Path, PathBuf};

use models::NetworkError;

use crate::dobutsu::TableError;
use crate::search::network::ModelError;

#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct FileError {
    pub path: PathBuf,
    /// What is wrong, and the remedy.
    pub reason: String,
}

impl FileError {
    /// The result of `act` for a file; its error becomes one that names the file.
    pub(crate) fn of<T>(
        path: &Path,
        act: impl FnOnce(&Path) -> Result<T, String>,
    ) -> Result<T, FileError> {
        act(path).map_err(|reason| FileError {
            path: path.to_owned(),
            reason,
        })
    }

    /// What `of` makes of the bytes of a file.
    pub fn read<T>(
        path: &Path,
        of: impl FnOnce(&[u8]) -> Result<T, String>,
    ) -> Result<T, FileError> {
        FileError::of(path, |path| {
            of(&std::fs::read(path).map_err(|e| e.to_string())?)
        })
    }
}

/// Why an engine cannot be made; says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "blokus-zero (--lazy): a network that is asked late has neither batches nor leaf playouts nor anything else that is \
         set of the search that evaluates every position at once; leave that out, or take lazy 0"
    )]
    LazyAndEager,
    #[error("blokus-zero: weight is for a network that is asked late; set lazy, too")]
    WeightAlone,
}

impl From<NetworkError> for BuildError {
    fn from(error: NetworkError) -> Self {
        ModelError::from(error).into()
    }
}
