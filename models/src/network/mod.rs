//! Networks: `.onnx` files, and what runs them.

mod engine;
mod error;
mod file;
mod graph;
mod header;
#[cfg(feature = "onnxruntime")]
mod onnxruntime;
mod operator;
mod product;
mod rten;
mod runtimes;
mod tensor;

use std::path::{Path, PathBuf};

use crate::Layout;
use engine::{Engine, Input, OUTPUTS};
use file::File;

pub use engine::NnEngine;
pub use error::NetworkError;
pub use file::{Metadata, Precision, ValueKind};

/// A network that is ready to evaluate positions, on one thread; a search has one for each of its threads.
pub struct Network {
    engine: Box<dyn Engine>,
    used: NnEngine,
    path: PathBuf,
    layout: Layout,
    metadata: Metadata,
    scores: bool,
    weights: u64,
    /// The inputs of the last batch.
    x: Vec<f32>,
    g: Vec<f32>,
    /// The values of the last batch, where the network gives something else than shares.
    shares: Vec<f32>,
}

/// What a network thinks of a batch of positions; good until the next call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outputs<'a> {
    /// The logits of all moves, legal or not: positions x [`Layout::policy`].
    pub policy: &'a [f32],
    /// The win share that each seat may expect, from 0 to 1: positions x [`Layout::seats`], the seat to move first.
    pub value: &'a [f32],
    /// Shares by final score, as [`Outputs::value`]: of a network that has such a head.
    pub score: Option<&'a [f32]>,
}

impl Network {
    /// Opens an `.onnx` file of a layout.
    ///
    /// [`NnEngine::Auto`] is ONNX Runtime where its library is found: the file that the variable `ORT_DYLIB_PATH`
    /// names (if that cannot be loaded, it is an error), beside the executable, or in `.ort` of the project in whose
    /// `target` the executable lies. One that is not named must be one that `models/fetch-onnxruntime` fetches, by its
    /// SHA-256. Where none is found, it is rten, and the log gets one warning.
    ///
    /// # Errors
    /// When the file cannot be read, is no ONNX model, is not for this version of this layout, or no engine takes it.
    pub fn open(path: &Path, layout: &Layout, engine: NnEngine) -> Result<Self, NetworkError> {
        let file = File::read(path)?;
        file.check_layout(layout)?;
        file.open(*layout, engine)
    }

    /// Opens a network as [`Network::open`] does, in a precision: [`Precision::Fp32`] is the file itself, whatever lies
    /// beside it; [`Precision::Int8`] is the file itself if it is in 8 bits, else `NAME.int8.onnx` beside it, which ONNX
    /// Runtime alone takes.
    ///
    /// [`Precision::Auto`] is `NAME.int8.onnx` where ONNX Runtime runs it and it was made from the same state of training
    /// (the same layout, recipe and steps). It is the file itself in rten, and on x86 processors without VNNI, whose sums
    /// of 8-bit products may be cut off; name the 8-bit file to have it anyway.
    ///
    /// # Errors
    /// As [`Network::open`].
    pub fn open_in(
        path: &Path,
        layout: &Layout,
        engine: NnEngine,
        precision: Precision,
    ) -> Result<Self, NetworkError> {
        if precision == Precision::Fp32 {
            return Self::open(path, layout, engine);
        }
        let file = File::read(path)?;
        if precision == Precision::Int8 && file.metadata.precision != Precision::Int8 {
            return Self::open(&path.with_extension("int8.onnx"), layout, engine);
        }
        file.check_layout(layout)?;
        let quantised = quantised(path).filter(|quantised| quantised.is_file());
        let Some(quantised) = quantised.filter(|_| precision == Precision::Auto) else {
            return file.open(*layout, engine);
        };
        if runtimes::choose(engine)? == NnEngine::Rten {
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

    /// Evaluates `n` packed positions, each of [`Layout::bytes`] bytes.
    ///
    /// Values are always win shares. From a network that gives v = -1..1 for each seat ([`ValueKind::Tanh`]), the
    /// share of a seat is (v + 1) / 2 over the sum of that of all seats; the same for all where the sum is 0.
    ///
    /// The same bytes give the same numbers every time; other sizes of the batch, other engines or processors may
    /// change the last digits.
    ///
    /// # Errors
    /// When `packed` has another length, or the engine fails.
    pub fn evaluate(&mut self, packed: &[u8], n: usize) -> Result<Outputs<'_>, NetworkError> {
        let layout = &self.layout;
        let expected = n.saturating_mul(layout.bytes());
        if packed.len() != expected {
            return Err(NetworkError::Positions {
                path: self.path.clone(),
                positions: n,
                found: packed.len(),
                expected,
            });
        }
        if n == 0 {
            return Ok(Outputs {
                policy: &[],
                value: &[],
                score: self.scores.then_some(&[]),
            });
        }
        let (each_x, each_g) = (layout.channels() * layout.squares(), layout.globals);
        self.x.resize(n * each_x, 0.0);
        self.g.resize(n * each_g, 0.0);
        for (i, packed) in packed.chunks_exact(layout.bytes()).enumerate() {
            let x = &mut self.x[i * each_x..][..each_x];
            layout.expand(packed, x, &mut self.g[i * each_g..][..each_g]);
        }
        self.run(n)
            .map_err(|reason| NetworkError::of_engine(&self.path, self.used, reason))?;
        Ok(Outputs {
            policy: self.engine.output(0),
            value: match self.metadata.value {
                ValueKind::Share => self.engine.output(1),
                ValueKind::Tanh => &self.shares,
            },
            score: self.scores.then(|| self.engine.output(2)),
        })
    }

    fn run(&mut self, n: usize) -> Result<(), String> {
        let layout = &self.layout;
        let planes = [layout.channels(), layout.height, layout.width];
        let inputs = [
            Input {
                numbers: &self.x,
                shape: &planes,
            },
            Input {
                numbers: &self.g,
                shape: &[layout.globals],
            },
        ];
        let given = if layout.globals > 0 { 2 } else { 1 };
        self.engine.run(n, &inputs[..given])?;
        let sizes = [layout.policy, layout.seats, layout.seats];
        let wanted = if self.scores { 3 } else { 2 };
        for (index, size) in sizes.into_iter().enumerate().take(wanted) {
            let found = self.engine.output(index).len();
            if found != n * size {
                let name = OUTPUTS[index];
                return Err(format!("`{name}` has {found} numbers, not {n} x {size}"));
            }
        }
        if self.metadata.value == ValueKind::Tanh {
            to_shares(self.engine.output(1), layout.seats, &mut self.shares);
        }
        Ok(())
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What runs it: [`NnEngine::Ort`] or [`NnEngine::Rten`].
    pub fn engine(&self) -> NnEngine {
        self.used
    }

    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    pub fn has_scores(&self) -> bool {
        self.scores
    }

    /// Numbers of its weights, with the scales of one in 8 bits; normalisation is a part of the convolutions before it.
    pub fn parameters(&self) -> u64 {
        self.weights
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same network again, for another thread; shares the file's bytes or the weights, and reads nothing.
    ///
    /// # Errors
    /// When the engine refuses.
    pub fn try_clone(&self) -> Result<Self, NetworkError> {
        let again = self.engine.again();
        Ok(Self {
            engine: again
                .map_err(|reason| NetworkError::of_engine(&self.path, self.used, reason))?,
            used: self.used,
            path: self.path.clone(),
            layout: self.layout,
            metadata: self.metadata.clone(),
            scores: self.scores,
            weights: self.weights,
            x: Vec::new(),
            g: Vec::new(),
            shares: Vec::new(),
        })
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network")
            .field("path", &self.path)
            .field("engine", &self.used)
            .field("layout", &self.layout.name)
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}

fn to_shares(values: &[f32], seats: usize, shares: &mut Vec<f32>) {
    shares.clear();
    for values in values.chunks_exact(seats) {
        let halves = values
            .iter()
            .map(|v| f32::midpoint(v.clamp(-1.0, 1.0), 1.0));
        let sum: f32 = halves.clone().sum();
        shares.extend(halves.map(|half| {
            if sum > 0.0 {
                half / sum
            } else {
                1.0 / seats as f32
            }
        }));
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
        let used = runtimes::choose(engine)?;
        let engine = runtimes::start(&mut self, used)?;
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
            weights: self.header.weights,
            metadata: self.metadata,
            x: Vec::new(),
            g: Vec::new(),
            shares: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_from_minus_one_to_one_become_shares() {
        let mut shares = Vec::new();
        to_shares(&[1.0, -1.0, 0.0, 0.0, -1.0, -1.0], 2, &mut shares);
        assert_eq!(shares, [1.0, 0.0, 0.5, 0.5, 0.5, 0.5]);
        to_shares(&[0.5, -0.5, -0.5, -0.5], 4, &mut shares);
        assert_eq!(shares, [0.5, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0]);
    }
}
