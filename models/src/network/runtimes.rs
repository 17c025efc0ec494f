//! What runs networks: rten, or ONNX Runtime in builds that know it.

#[cfg(feature = "onnxruntime")]
use std::sync::Arc;

use super::engine::{Engine, NnEngine};
use super::error::NetworkError;
use super::file::{File, Precision};
#[cfg(feature = "onnxruntime")]
use super::onnxruntime::{self, Absent, OnnxRuntime};
use super::rten::Rten;

/// Chooses the engine, ort or rten.
#[cfg(feature = "onnxruntime")]
pub(super) fn choose(engine: NnEngine) -> Result<NnEngine, NetworkError> {
    static WARNED: std::sync::Once = std::sync::Once::new();
    if engine == NnEngine::Rten {
        return Ok(NnEngine::Rten);
    }
    match onnxruntime::environment() {
        Ok(_) => Ok(NnEngine::Ort),
        Err(Absent::NotFound(_)) if engine == NnEngine::Auto => {
            WARNED.call_once(|| {
                // With a target of its own, a program that starts several bots can turn the warning off in theirs.
                log::warn!(
                    target: "onnxruntime",
                    "ONNX Runtime was not found: networks run in rten, up to 4 times slower; put its library beside \
                     this program (the archive of a release has it, `models/fetch-onnxruntime` of the repository fetches it)"
                );
            });
            Ok(NnEngine::Rten)
        }
        Err(absent) => Err(absent.into()),
    }
}

/// Chooses the engine, which is rten.
#[cfg(not(feature = "onnxruntime"))]
pub(super) fn choose(engine: NnEngine) -> Result<NnEngine, NetworkError> {
    match engine {
        NnEngine::Ort => Err(NetworkError::NotBuilt),
        NnEngine::Auto | NnEngine::Rten => Ok(NnEngine::Rten),
    }
}

pub(super) fn start(file: &mut File, used: NnEngine) -> Result<Box<dyn Engine>, NetworkError> {
    let bytes = std::mem::take(&mut file.bytes);
    let engine: Result<Box<dyn Engine>, String> = if used == NnEngine::Ort {
        #[cfg(not(feature = "onnxruntime"))]
        return Err(NetworkError::NotBuilt);
        #[cfg(feature = "onnxruntime")]
        OnnxRuntime::open(onnxruntime::environment()?, Arc::from(bytes)).map(|it| Box::new(it) as _)
    } else if file.metadata.precision == Precision::Int8 {
        Err(
            "it computes in 32 bits alone; give the network in fp32, or use ONNX Runtime"
                .to_owned(),
        )
    } else {
        Rten::open(&bytes).map(|it| Box::new(it) as _)
    };
    engine.map_err(|reason| NetworkError::of_engine(&file.path, used, reason))
}
