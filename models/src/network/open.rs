//! Opening a network: the checks, and the choice of the engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use super::engine::{Engine, OUTPUTS};
use super::header::{Header, Tensor};
use super::with_ort::OnnxRuntime;
use super::with_rten::Rten;
use super::{Metadata, Network, NetworkError, NnEngine, Precision, library};
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
        file.check_shapes(layout)?;
        file.open(*layout, engine)
    }

    /// Opens a network as [`Network::open`] does, in the precision that is fastest: where ONNX Runtime runs it and
    /// `NAME.int8.onnx` lies beside `NAME.onnx`, it is the former, if it was made from the same state of training
    /// (the same layout, recipe and steps). rten gains nothing from 8 bits and gets the file itself.
    ///
    /// # Errors
    /// As [`Network::open`].
    pub fn open_best(path: &Path, layout: &Layout, engine: NnEngine) -> Result<Self, NetworkError> {
        let file = File::read(path)?;
        file.check_layout(layout)?;
        file.check_shapes(layout)?;
        let quantised = quantised(path).filter(|quantised| quantised.is_file());
        if let Some(quantised) = quantised
            && choose(engine)? == NnEngine::Ort
        {
            let quantised = File::read(&quantised)?;
            if quantised.is_of_same_training(&file) {
                quantised.check_shapes(layout)?;
                return quantised.open(*layout, NnEngine::Ort);
            }
            log::warn!(
                "{} was not made from {}, which is used instead",
                quantised.path.display(),
                path.display()
            );
        }
        file.open(*layout, engine)
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

/// What engine it will be, ort or rten.
fn choose(engine: NnEngine) -> Result<NnEngine, NetworkError> {
    static WARNED: Once = Once::new();
    match (engine, library::environment) {
        (NnEngine::Rten, _) => Ok(NnEngine::Rten),
        (NnEngine::Ort, environment) => Ok(environment().map(|_| NnEngine::Ort)?),
        (NnEngine::Auto, environment) => match environment() {
            Ok(_) => Ok(NnEngine::Ort),
            Err(library::Absent::NotFound(_)) => {
                WARNED.call_once(|| {
                    log::warn!(
                        "ONNX Runtime was not found: networks run in rten, 2 to 6 times slower; \
                         `models/fetch-onnxruntime` makes them faster"
                    );
                });
                Ok(NnEngine::Rten)
            }
            Err(named) => Err(named.into()),
        },
    }
}

/// A file that was read, not yet in an engine.
struct File {
    path: PathBuf,
    bytes: Vec<u8>,
    header: Header,
    metadata: Metadata,
}

impl File {
    fn read(path: &Path) -> Result<Self, NetworkError> {
        let bytes = fs::read(path).map_err(|source| NetworkError::Read {
            path: path.to_owned(),
            source,
        })?;
        let header = Header::read(&bytes).map_err(|malformed| NetworkError::NotAModel {
            path: path.to_owned(),
            reason: malformed.0.to_owned(),
        })?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
            metadata: Metadata::of(&header),
            header,
        })
    }

    fn check_layout(&self, layout: &Layout) -> Result<(), NetworkError> {
        let Metadata {
            layout: name,
            version,
            ..
        } = &self.metadata;
        if (name.as_str(), *version) == (layout.name, layout.version) {
            return Ok(());
        }
        Err(NetworkError::Layout {
            path: self.path.clone(),
            found: if name.is_empty() {
                "no layout (its metadata has no taikyoku.layout)".to_owned()
            } else {
                format!("the layout {name} version {version}")
            },
            expected: format!("{} version {}", layout.name, layout.version),
        })
    }

    fn is_of_same_training(&self, other: &Self) -> bool {
        let training = |metadata: &Metadata| Metadata {
            precision: Precision::Fp32,
            ..metadata.clone()
        };
        training(&self.metadata) == training(&other.metadata)
    }

    fn check_shapes(&self, layout: &Layout) -> Result<(), NetworkError> {
        let header = &self.header;
        let planes = [layout.channels(), layout.height, layout.width];
        self.check("x", header.input("x"), Some(&planes))?;
        let globals = [layout.globals];
        let globals = (layout.globals > 0).then_some(&globals[..]);
        self.check("g", header.input("g"), globals)?;
        let sizes = [layout.policy, layout.seats, layout.seats];
        for (name, size) in OUTPUTS.into_iter().zip(sizes) {
            let output = header.output(name);
            if output.is_some() || name != "score" {
                self.check(name, output, Some(&[size]))?;
            }
        }
        let known = |tensor: &&Tensor| !super::engine::INPUTS.contains(&tensor.name.as_str());
        match header.inputs.iter().find(known) {
            Some(other) => self.check(&other.name, Some(other), None),
            None => Ok(()),
        }
    }

    /// Checks one tensor, whose sizes after the batch dimension are given if it should be there.
    fn check(
        &self,
        name: &str,
        found: Option<&Tensor>,
        sizes: Option<&[usize]>,
    ) -> Result<(), NetworkError> {
        let right = match (found, sizes) {
            (None, None) => true,
            (Some(found), Some(sizes)) => {
                found.is_float()
                    && found.shape.len() == sizes.len() + 1
                    && found.shape[0].is_none()
                    && found.shape[1..]
                        .iter()
                        .zip(sizes)
                        .all(|(found, &size)| *found == Some(size))
            }
            _ => false,
        };
        if right {
            return Ok(());
        }
        Err(NetworkError::Shape {
            path: self.path.clone(),
            tensor: name.to_owned(),
            found: found.map_or_else(|| "missing".to_owned(), describe),
            expected: sizes.map_or_else(
                || "absent".to_owned(),
                |sizes| {
                    let sizes = sizes.iter().map(|&size| Some(size));
                    shape(&[None].into_iter().chain(sizes).collect::<Vec<_>>())
                },
            ),
        })
    }

    /// The layout that the inputs and outputs show.
    fn layout(&self) -> Result<Layout, NetworkError> {
        let sizes = |tensor: Option<&Tensor>, name: &str, wanted: usize| {
            let shape = tensor
                .map(|tensor| tensor.shape.as_slice())
                .unwrap_or_default();
            let sizes: Vec<usize> = shape.iter().skip(1).filter_map(|&size| size).collect();
            if sizes.len() == wanted && shape.len() == wanted + 1 {
                return Ok(sizes);
            }
            Err(NetworkError::Shape {
                path: self.path.clone(),
                tensor: name.to_owned(),
                found: tensor.map_or_else(|| "missing".to_owned(), describe),
                expected: format!("a free batch dimension and {wanted} sizes"),
            })
        };
        let header = &self.header;
        let x = sizes(header.input("x"), "x", 3)?;
        let globals = match header.input("g") {
            None => 0,
            tensor => sizes(tensor, "g", 1)?[0],
        };
        Ok(Layout {
            name: "any",
            game: "any",
            version: self.metadata.version,
            planes: x[0],
            constants: &[],
            globals,
            height: x[1],
            width: x[2],
            policy: sizes(header.output("policy"), "policy", 1)?[0],
            seats: sizes(header.output("value"), "value", 1)?[0],
            outcomes: 0,
        })
    }

    fn open(self, layout: Layout, engine: NnEngine) -> Result<Network, NetworkError> {
        let used = choose(engine)?;
        let engine: Result<Box<dyn Engine>, String> = if used == NnEngine::Ort {
            let environment = library::environment()?;
            OnnxRuntime::open(environment, Arc::from(self.bytes)).map(|it| Box::new(it) as _)
        } else {
            if let Some(operator) = self.header.dynamic_quantisation() {
                return Err(NetworkError::DynamicallyQuantised {
                    path: self.path.clone(),
                    operator: operator.to_owned(),
                });
            }
            if self.metadata.precision == Precision::Int8 {
                log::warn!(
                    "{}: rten gains nothing from 8 bits; prefer the fp32 file",
                    self.path.display()
                );
            }
            Rten::open(self.bytes).map(|it| Box::new(it) as _)
        };
        log::info!(
            "{}: {}, layout {}, {} steps, runs in {used}",
            self.path.display(),
            self.metadata.precision,
            layout.name,
            self.metadata.steps
        );
        Ok(Network {
            engine: engine.map_err(|reason| engine_error(&self.path, used, reason))?,
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

fn describe(tensor: &Tensor) -> String {
    let element = if tensor.is_float() { "" } else { ", not float" };
    format!("{}{element}", shape(&tensor.shape))
}

fn shape(sizes: &[Option<usize>]) -> String {
    let sizes = sizes
        .iter()
        .map(|size| size.map_or_else(|| "N".to_owned(), |size| size.to_string()));
    format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
}
