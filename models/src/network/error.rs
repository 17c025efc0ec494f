//! Why a network cannot be opened or run.

use std::io;
use std::path::{Path, PathBuf};

use super::engine::NnEngine;

/// Why a network cannot be opened or run; says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("cannot read the network {}: {source}; the path of an .onnx file is needed", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is not an ONNX model: {reason}; a whole file that `python -m taikyoku_train export` wrote is needed", path.display())]
    NotAModel {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The network is for another layout or another version of it.
    #[error("the network {} is for {found}, but {expected} is wanted here; give a network of that layout, or export it anew", path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// What it is for.
        found: String,
        /// The layout and version that are wanted.
        expected: String,
    },
    /// An input or output is not as the layout says.
    #[error("the network {}: `{tensor}` is {found}, not {expected}; export it anew with `python -m taikyoku_train export`", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The input or output.
        tensor: String,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// The library that `ORT_DYLIB_PATH` names cannot be used.
    #[error("ORT_DYLIB_PATH names {}, which cannot be used: {reason}; correct it, or unset it and run `models/fetch-onnxruntime` of the repository", path.display())]
    LibraryPath {
        /// The library.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// ONNX Runtime is asked for and is nowhere.
    #[error(
        "ONNX Runtime was not found ({tried}); run `models/fetch-onnxruntime` of the repository, set ORT_DYLIB_PATH to the library, or use --nn-engine rten (in a specification: nn=rten)"
    )]
    NoLibrary {
        /// Where it was looked for, and what was wrong there.
        tried: String,
    },
    /// ONNX Runtime is asked for in a build that does not know it.
    #[error(
        "this build runs networks in rten alone; build the programs with `--features onnxruntime`, or use --nn-engine rten (in a specification: nn=rten)"
    )]
    NotBuilt,
    /// An engine refuses the file, or fails to run it.
    #[error("{engine} cannot run the network {}: {reason}; try the other --nn-engine, or export it anew", path.display())]
    Engine {
        /// The file.
        path: PathBuf,
        /// The engine.
        engine: NnEngine,
        /// Its words.
        reason: String,
    },
    /// What it answers is not finite.
    #[error("the network {} gives no numbers (NaN or infinite): its weights are spoilt; give one of an earlier step", path.display())]
    NotNumbers {
        /// The file.
        path: PathBuf,
    },
    /// The positions given are not as many bytes as they should be.
    #[error("{found} bytes were given to the network {} for {positions} positions of {expected} bytes in all", path.display())]
    Positions {
        /// The file.
        path: PathBuf,
        /// Positions that were announced.
        positions: usize,
        /// Bytes given.
        found: usize,
        /// Bytes of that many positions.
        expected: usize,
    },
}

impl NetworkError {
    /// Says which engine refuses which file, in its words.
    pub(super) fn of_engine(path: &Path, engine: NnEngine, reason: String) -> Self {
        Self::Engine {
            path: path.to_owned(),
            engine,
            reason,
        }
    }
}
