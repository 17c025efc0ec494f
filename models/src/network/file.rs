//! Files of networks, read and checked, and what they say about themselves.

use std::path::{Path, PathBuf};
use std::{fmt, fs};

use super::engine::{INPUTS, OUTPUTS};
use super::error::NetworkError;
use super::header::{Header, ValueInfo};
use crate::Layout;

pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) header: Header,
    pub(super) metadata: Metadata,
}

impl File {
    /// Reads a file, of which an engine need not be able to make anything.
    pub(super) fn read(path: &Path) -> Result<Self, NetworkError> {
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

    /// Checks that it is for a layout: what it says, and what its inputs and outputs are.
    pub(super) fn check_layout(&self, layout: &Layout) -> Result<(), NetworkError> {
        let Metadata {
            layout: name,
            version,
            ..
        } = &self.metadata;
        if (name.as_str(), *version) == (layout.name, layout.version) {
            return self.check_shapes(layout);
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

    /// Whether both were made from one state of training.
    pub(super) fn is_of_same_training(&self, other: &Self) -> bool {
        let training = |metadata: &Metadata| Metadata {
            precision: Precision::Fp32,
            ..metadata.clone()
        };
        training(&self.metadata) == training(&other.metadata)
    }

    pub(super) fn check_shapes(&self, layout: &Layout) -> Result<(), NetworkError> {
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
        let known = |tensor: &&ValueInfo| !INPUTS.contains(&tensor.name.as_str());
        match header.inputs.iter().find(known) {
            Some(other) => self.check(&other.name, Some(other), None),
            None => Ok(()),
        }
    }

    /// Checks one tensor, whose sizes after the batch dimension are given if it should be there.
    fn check(
        &self,
        name: &str,
        found: Option<&ValueInfo>,
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
    pub(super) fn layout(&self) -> Result<Layout, NetworkError> {
        let sizes = |tensor: Option<&ValueInfo>, name: &str, wanted: usize| {
            let shape = tensor
                .map(|tensor| tensor.shape.as_slice())
                .unwrap_or_default();
            let sizes: Vec<usize> = shape.iter().skip(1).filter_map(|&size| size).collect();
            if sizes.len() == wanted && shape.len() == wanted + 1 && !sizes.contains(&0) {
                return Ok(sizes);
            }
            Err(NetworkError::Shape {
                path: self.path.clone(),
                tensor: name.to_owned(),
                found: tensor.map_or_else(|| "missing".to_owned(), describe),
                expected: format!("a free batch dimension and {wanted} sizes above 0"),
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
}

fn describe(tensor: &ValueInfo) -> String {
    let element = if tensor.is_float() { "" } else { ", not float" };
    format!("{}{element}", shape(&tensor.shape))
}

fn shape(sizes: &[Option<usize>]) -> String {
    let sizes = sizes
        .iter()
        .map(|size| size.map_or_else(|| "N".to_owned(), |size| size.to_string()));
    format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueKind {
    /// Win shares: 0 to 1 for each seat, 1 in all.
    #[default]
    Share,
    /// -1 (lost) to 1 (won) for each seat.
    Tanh,
}

/// How the weights of a network are stored and multiplied, and which of `NAME.onnx` and `NAME.int8.onnx` is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Precision {
    /// The 8-bit file if it was made from the network and is faster here, else the network
    #[default]
    Auto,
    /// The file that is named, whatever lies beside it
    Fp32,
    /// NAME.int8.onnx beside it, or the file itself if it is in 8 bits
    Int8,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Fp32 => "fp32",
            Self::Int8 => "int8",
        })
    }
}

/// What a network's file says about it (its `metadata_props`, keys `taikyoku.layout` and so on).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The name of its layout; empty if not said.
    pub layout: String,
    /// The version of its layout; 0 if not said.
    pub version: u32,
    /// What its value head gives; callers of [`Network::evaluate`](super::Network::evaluate) always get shares.
    pub value: ValueKind,
    /// Steps of training; 0 if not said.
    pub steps: u64,
    /// How it was trained; empty if not said.
    pub recipe: String,
    /// How it is stored, 32-bit floating point or quantised to 8 bits; if not said, what its operators show.
    pub precision: Precision,
}

impl Metadata {
    pub(super) fn of(header: &Header) -> Self {
        let text = |key: &str| header.property(key).unwrap_or_default();
        // Also `DynamicQuantizeLinear`.
        let quantised = || {
            header
                .operators
                .iter()
                .any(|it| it.ends_with("QuantizeLinear"))
        };
        Self {
            layout: text("taikyoku.layout").to_owned(),
            version: text("taikyoku.layout_version").parse().unwrap_or(0),
            value: match text("taikyoku.value") {
                "tanh" => ValueKind::Tanh,
                _ => ValueKind::Share,
            },
            steps: text("taikyoku.steps").parse().unwrap_or(0),
            recipe: text("taikyoku.recipe").to_owned(),
            precision: match text("taikyoku.precision") {
                "int8" => Precision::Int8,
                "fp32" => Precision::Fp32,
                _ if quantised() => Precision::Int8,
                _ => Precision::Fp32,
            },
        }
    }
}
