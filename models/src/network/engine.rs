//! What runs a network.

use std::fmt;

/// What runs networks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum NnEngine {
    /// ONNX Runtime where its library is found, else rten
    #[default]
    Auto,
    /// ONNX Runtime, up to 4 times faster; its library comes by `models/fetch-onnxruntime`
    Ort,
    /// rten, which needs nothing
    Rten,
}

impl fmt::Display for NnEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Ort => "ort",
            Self::Rten => "rten",
        })
    }
}

/// Names of the inputs, in the order in which engines take them.
pub(super) const INPUTS: [&str; 2] = ["x", "g"];
/// Names of the outputs, in the order in which engines give them.
pub(super) const OUTPUTS: [&str; 3] = ["policy", "value", "score"];

/// An input: its numbers, and its shape after the batch dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input<'a> {
    pub(super) numbers: &'a [f32],
    pub(super) shape: &'a [usize],
}

pub(super) trait Engine: Send {
    /// Runs a batch: takes the inputs in the order of [`INPUTS`], keeps the outputs for [`Engine::output`].
    fn run(&mut self, n: usize, inputs: &[Input<'_>]) -> Result<(), String>;

    /// The numbers of an output of the last run, by its place in [`OUTPUTS`]; none before a run.
    fn output(&self, index: usize) -> &[f32];

    /// The same network again, for another thread, sharing what can be shared.
    fn again(&self) -> Result<Box<dyn Engine>, String>;
}
