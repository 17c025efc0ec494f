//! Why a network cannot be opened or run.

use std::io;
use std::path::{Path, PathBuf};

use super::engine::NnEngine;

/// Why a network cannot be opened or run; says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    #[error("cannot read the network {}: {source}; the path of an .onnx file is needed", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not an ONNX model: {reason}; a whole file that `python -m taikyoku_train export` wrote is needed", path.display())]
    NotAModel { path: PathBuf, reason: String },
    #[error("the network {} is for {found}, but {expected} is wanted here; give a network of that layout, or export it anew", path.display())]
    Layout {
        path: PathBuf,
        found: String,
        expected: String,
    },
    #[error("the network {}: `{tensor}` is {found}, not {expected}; export it anew with `python -m taikyoku_train export`", path.display())]
    Shape {
        path: PathBuf,
        tensor: String,
        found: String,
        expected: String,
    },
    #[error("ORT_DYLIB_PATH names {}, which cannot be used: {reason}; correct it, or unset it and run `models/fetch-onnxruntime` of the repository", path.display())]
    LibraryPath { path: PathBuf, reason: String },
    #[error(
        "ONNX Runtime was not found ({tried}); run `models/fetch-onnxruntime` of the repository, set ORT_DYLIB_PATH to the library, or use --nn-engine rten (in a specification: nn=rten)"
    )]
    NoLibrary { tried: String },
    #[error(
        "this build runs networks in rten alone; build the programs with `--features onnxruntime`, or use --nn-engine rten (in a specification: nn=rten)"
    )]
    NotBuilt,
    #[error("{engine} cannot run the network {}: {reason}; try the other --nn-engine, or export it anew", path.display())]
    Engine {
        path: PathBuf,
        engine: NnEngine,
        reason: String,
    },
    #[error("the network {} gives no numbers (NaN or infinite): its weights are spoilt; give one of an earlier step", path.display())]
    NotNumbers { path: PathBuf },
    #[error("{found} bytes were given to the network {} for {positions} positions of {expected} bytes in all", path.display())]
    Positions {
        path: PathBuf,
        positions: usize,
        found: usize,
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
