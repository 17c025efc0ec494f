//! Opening a network: the checks, and the choice of the engine.

use std::path::{Path, PathBuf};

use super::engine::Engine;
use super::file::File;
use super::{Network, NetworkError, NnEngine, Precision};
use crate::Layout;

impl Network {
    /// Opens an `.onnx` file of a layout.
    ///
    /// [`NnEngine::Auto`] is ONNX Runtime where its library is found: the file that the variable `ORT_DYLIB_PATH`
    /// names (if that cannot be loaded, it is an error), beside the executable, in `.ort` in a folder above it, or
    /// where the system looks for libraries. Where it is not found, it is rten, and the log gets one warning.
    ///
    /// # Errors
    /// When the file cannot be read, is no ONNX model, is not for this version of this layout, or no engine takes it.
    pub fn open(path: &Path, layout: &Layout, engine: NnEngine) -> Result<Self, NetworkError> {
        let file = File::read(path)?;
        file.check_layout(layout)?;
        file.open(*layout, engine)
    }

    /// Opens a network as [`Network::open`] does, in the precision that is fastest.
    ///
    /// Where ONNX Runtime runs it and `NAME.int8.onnx` lies beside `NAME.onnx`, it is the former, if it was made from
    /// the same state of training (the same layout, recipe and steps). It is the file itself in rten, which gains
    /// nothing from 8 bits, and on x86 processors without VNNI, whose sums of 8-bit products may be cut off; name the
    /// 8-bit file to have it anyway.
    ///
    /// # Errors
    /// As [`Network::open`].
    pub fn open_best(path: &Path, layout: &Layout, engine: NnEngine) -> Result<Self, NetworkError> {
        let file = File::read(path)?;
        file.check_layout(layout)?;
        let quantised = quantised(path).filter(|quantised| quantised.is_file());
        let Some(quantised) = quantised else {
            return file.open(*layout, engine);
        };
        if engines::choose(engine)? == NnEngine::Rten {
            return file.open(*layout, NnEngine::Rten);
        }
        let reason = if sums_eight_bits_exactly() {
            let quantised = File::read(&quantised)?;
            if quantised.is_of_same_training(&file) {
                quantised.check_layout(layout)?;
                return quantised.open(*layout, NnEngine::Ort);
            }
            "was not made from it"
        } else {
            "may lose sums on this processor"
        };
        log::warn!(
            "{} is used, because {} {reason}",
            path.display(),
            quantised.display()
        );
        file.open(*layout, NnEngine::Ort)
    }

    /// Opens a network in a precision: [`Precision::Fp32`] is the file itself, whatever lies beside it;
    /// [`Precision::Int8`] is the file itself if it is in 8 bits, else `NAME.int8.onnx` beside it; `None` is
    /// [`Network::open_best`].
    ///
    /// # Errors
    /// As [`Network::open`].
    pub fn open_in(
        path: &Path,
        layout: &Layout,
        engine: NnEngine,
        precision: Option<Precision>,
    ) -> Result<Self, NetworkError> {
        match precision {
            None => Self::open_best(path, layout, engine),
            Some(Precision::Fp32) => Self::open(path, layout, engine),
            Some(Precision::Int8) => {
                let file = File::read(path)?;
                if file.metadata.precision == Precision::Int8 {
                    file.check_layout(layout)?;
                    return file.open(*layout, engine);
                }
                Self::open(&path.with_extension("int8.onnx"), layout, engine)
            }
        }
    }

    /// Opens any network that has the inputs and outputs of a [`Layout`], whatever it is for; the shape of what it
    /// takes is that of the file, with all planes taken for planes of bits.
    ///
    /// # Errors
    /// As [`Network::open`], except for those about the layout.
    pub fn open_any(path: &Path, engine: NnEngine) -> Result<Self, NetworkError> {
        let file = File::read(path)?;
        let layout = file.layout()?;
        file.check_shapes(&layout)?;
        file.open(layout, engine)
    }
}

/// `NAME.int8.onnx` of `NAME.onnx`.
fn quantised(path: &Path) -> Option<PathBuf> {
    let stem = Path::new(path.file_stem()?);
    let plain = path.extension()? == "onnx" && stem.extension().is_none_or(|it| it != "int8");
    plain.then(|| path.with_extension("int8.onnx"))
}

/// Whether products of 8 bits are summed without loss: x86 processors without VNNI cut their sums off at 16 bits.
fn sums_eight_bits_exactly() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512vnni") || is_x86_feature_detected!("avxvnni");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

impl File {
    fn open(mut self, layout: Layout, engine: NnEngine) -> Result<Network, NetworkError> {
        let used = engines::choose(engine)?;
        let engine = engines::start(&mut self, used)?;
        log::info!(
            "{}: {}, layout {}, {} steps, runs in {used}",
            self.path.display(),
            self.metadata.precision,
            layout.name,
            self.metadata.steps
        );
        Ok(Network {
            engine,
            used,
            path: self.path,
            layout,
            scores: self.header.output("score").is_some(),
            metadata: self.metadata,
            x: Vec::new(),
            g: Vec::new(),
            shares: Vec::new(),
        })
    }
}

pub(super) fn engine_error(path: &Path, engine: NnEngine, reason: String) -> NetworkError {
    NetworkError::Engine {
        path: path.to_owned(),
        engine,
        reason,
    }
}

#[cfg(feature = "networks")]
mod engines {
    use std::sync::{Arc, Once};

    use super::super::library;
    use super::super::with_ort::OnnxRuntime;
    use super::super::with_rten::Rten;
    use super::{Engine, File, NetworkError, NnEngine, Precision, engine_error};

    /// Chooses the engine, ort or rten.
    pub(super) fn choose(engine: NnEngine) -> Result<NnEngine, NetworkError> {
        static WARNED: Once = Once::new();
        if engine == NnEngine::Rten {
            return Ok(NnEngine::Rten);
        }
        match library::environment() {
            Ok(_) => Ok(NnEngine::Ort),
            Err(library::Absent::NotFound(_)) if engine == NnEngine::Auto => {
                WARNED.call_once(|| {
                    log::warn!(
                        "ONNX Runtime was not found: networks run in rten, 2 to 6 times slower; \
                         `models/fetch-onnxruntime` makes them faster"
                    );
                });
                Ok(NnEngine::Rten)
            }
            Err(absent) => Err(absent.into()),
        }
    }

    /// Starts an engine with the bytes of a file.
    pub(super) fn start(file: &mut File, used: NnEngine) -> Result<Box<dyn Engine>, NetworkError> {
        let bytes = std::mem::take(&mut file.bytes);
        let engine: Result<Box<dyn Engine>, String> = if used == NnEngine::Ort {
            let environment = library::environment()?;
            OnnxRuntime::open(environment, Arc::from(bytes)).map(|it| Box::new(it) as _)
        } else {
            if let Some(operator) = file.header.dynamic_quantisation() {
                return Err(NetworkError::DynamicallyQuantised {
                    path: file.path.clone(),
                    operator: operator.to_owned(),
                });
            }
            if file.metadata.precision == Precision::Int8 {
                log::warn!(
                    "{}: rten gains nothing from 8 bits; prefer the fp32 file",
                    file.path.display()
                );
            }
            Rten::open(bytes).map(|it| Box::new(it) as _)
        };
        engine.map_err(|reason| engine_error(&file.path, used, reason))
    }
}

#[cfg(not(feature = "networks"))]
mod engines {
    use super::{Engine, File, NetworkError, NnEngine};

    pub(super) fn choose(_: NnEngine) -> Result<NnEngine, NetworkError> {
        Err(NetworkError::NotBuilt)
    }

    pub(super) fn start(_: &mut File, _: NnEngine) -> Result<Box<dyn Engine>, NetworkError> {
        Err(NetworkError::NotBuilt)
    }
}
