//! Why an engine cannot be made.

use std::path::PathBuf;

use models::NetworkError;

use crate::search::network::ModelError;

/// Why an engine cannot be made; says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no network, or it cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Two searches are asked for.
    #[error(
        "blokus-zero (--lazy): a network that is asked late has neither batches nor leaf playouts nor anything else that is \
         set of the search that evaluates every position at once; leave that out, or take lazy 0"
    )]
    LazyAndEager,
    /// A weight is given to answers that are not asked for.
    #[error("blokus-zero: weight is for a network that is asked late; set lazy, too")]
    WeightAlone,
    /// The evaluation of `best` cannot be read.
    #[error("{path}: {reason}; `taikyoku-lab train blokus-evaluation` writes such files")]
    Evaluation {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl From<NetworkError> for BuildError {
    fn from(error: NetworkError) -> Self {
        ModelError::from(error).into()
    }
}
