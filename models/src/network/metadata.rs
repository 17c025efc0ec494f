//! What a network says about itself.

use std::fmt;

use super::header::Header;

/// What the value head of a network gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueKind {
    /// Win shares: 0 to 1 for each seat, 1 in all.
    #[default]
    Share,
    /// -1 (lost) to 1 (won) for each seat.
    Tanh,
}

/// How the weights of a network are stored and multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floating point.
    Fp32,
    /// Quantised to 8 bits.
    Int8,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fp32 => "fp32",
            Self::Int8 => "int8",
        })
    }
}

/// Which of `NAME.onnx` and `NAME.int8.onnx` to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum PrecisionChoice {
    /// The 8-bit file if it was made from the network and is faster here, else the network
    #[default]
    Auto,
    /// The file that is named, whatever lies beside it
    Fp32,
    /// NAME.int8.onnx beside it, or the file itself if it is in 8 bits
    Int8,
}

impl PrecisionChoice {
    /// The precision that must be; `None` for whichever is faster.
    pub const fn precision(self) -> Option<Precision> {
        match self {
            Self::Auto => None,
            Self::Fp32 => Some(Precision::Fp32),
            Self::Int8 => Some(Precision::Int8),
        }
    }
}

impl fmt::Display for PrecisionChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.precision() {
            None => f.write_str("auto"),
            Some(precision) => precision.fmt(f),
        }
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
    /// How it is stored; if not said, what its operators show.
    pub precision: Precision,
}

impl Metadata {
    pub(super) fn of(header: &Header) -> Self {
        let text = |key: &str| header.property(key).unwrap_or_default();
        let quantised = || {
            header.operators.contains("QuantizeLinear") || header.dynamic_quantisation().is_some()
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
