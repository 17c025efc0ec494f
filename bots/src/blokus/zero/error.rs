//! Why an engine cannot be made.

use std::path::PathBuf;

use models::NetworkError;

use super::MODEL;

/// Why an engine cannot be made; says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No network is given, and that of the project is nowhere.
    #[error(
        "blokus-zero needs a network, and {MODEL} is in no folder above {} or {}; give one with --model FILE \
         (in a specification: model=FILE)",
        program.display(), here.display()
    )]
    NoModel {
        /// The folder of the program.
        program: PathBuf,
        /// The current folder.
        here: PathBuf,
    },
    /// The network is for something else.
    #[error(
        "the network {} is for {found}, but blokus-zero needs one for blokus-fast or blokus-paper; give another with \
         --model FILE", path.display()
    )]
    Layout {
        /// Its file.
        path: PathBuf,
        /// The layout it is for.
        found: String,
    },
    /// Two searches are asked for.
    #[error(
        "blokus-zero (--lazy): a network that is asked late has neither batches nor leaf playouts nor anything else that is \
         set of the search that evaluates every position at once; leave that out, or take lazy 0"
    )]
    LazyAndEager,
    /// A weight is given to answers that are not asked for.
    #[error("blokus-zero: weight is for a network that is asked late; set lazy, too")]
    WeightAlone,
    /// The network cannot be opened or run.
    #[error("blokus-zero (--model): {0}")]
    Network(#[from] NetworkError),
}
