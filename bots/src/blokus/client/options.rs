//! The command line of the client.

use std::path::PathBuf;

use clap::Args;
use models::{NnEngine, PrecisionChoice};

use crate::blokus::zero::{BlokusZeroOptions, Mixture};
use crate::blokus::{EngineName, EngineOptions};
use crate::options::{NativeOptions, OptionsError, Restricted};
use crate::search::network::ModelOptions;

/// Options of the client.
#[derive(Args, Clone, Debug)]
pub struct BlokusOptions {
    /// Those of all clients of the native protocol.
    #[command(flatten)]
    pub native: NativeOptions<EngineName>,
    /// Simulations of blokus-zero for each move; the same as --playouts [default: as many as the time allows].
    #[arg(long, value_name = "N", conflicts_with = "playouts", value_parser = clap::value_parser!(u64).range(1..))]
    pub simulations: Option<u64>,
    /// Network of blokus-zero, an .onnx file; where ONNX Runtime runs it, the faster NAME.int8.onnx beside NAME.onnx is
    /// taken [default: models/blokus/blokus-zero.onnx in a folder above this program or the current
    /// one, or among the installed data].
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// What runs the network of blokus-zero [default: auto].
    #[arg(long, value_name = "ENGINE")]
    pub nn_engine: Option<NnEngine>,
    /// Which of NAME.onnx and NAME.int8.onnx blokus-zero plays with [default: auto].
    #[arg(long, value_name = "PRECISION")]
    pub precision: Option<PrecisionChoice>,
    /// Positions that each thread of blokus-zero has evaluated together; more than 1 is seldom faster without a GPU
    /// [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub batch: Option<u16>,
    /// Visits of a position after which blokus-zero has the network evaluate it, with quick playouts before; 0: at once
    /// [default: 6 on time alone, 0 with --simulations, --batch or --leaf-playouts].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(BlokusZeroOptions::MOST_LAZY)))]
    pub lazy: Option<u32>,
    /// Playouts from each position that blokus-zero evaluates, mixed with the network's value half and half; 0 leaves
    /// it alone [default: 4].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(Mixture::MOST)))]
    pub leaf_playouts: Option<u32>,
}

impl BlokusOptions {
    /// The engine; `None` for a person.
    ///
    /// # Errors
    /// If an option is given that the player does not read.
    pub fn engine(&self) -> Result<Option<EngineOptions>, OptionsError> {
        let base: Option<EngineOptions> = self.native.common.checked(&[
            Restricted::new("--model", "model", self.model.is_some()),
            Restricted::new("--simulations", "simulations", self.simulations.is_some())
                .saying("; other engines have --playouts"),
            Restricted::new("--nn-engine", "nn", self.nn_engine.is_some()),
            Restricted::new("--precision", "precision", self.precision.is_some()),
            Restricted::new("--batch", "batch", self.batch.is_some()),
            Restricted::new("--lazy", "lazy", self.lazy.is_some()),
            Restricted::new("--leaf-playouts", "leaf", self.leaf_playouts.is_some()),
        ])?;
        let zero = BlokusZeroOptions::default();
        Ok(base.map(|base| EngineOptions {
            playouts: (self.native.playouts.or(self.simulations)).or(base.playouts),
            time: self.native.move_time(),
            threads: usize::from(self.native.common.threads),
            zero: BlokusZeroOptions {
                network: ModelOptions {
                    model: self.model.clone(),
                    nn_engine: self.nn_engine.unwrap_or_default(),
                    precision: self.precision.unwrap_or_default(),
                },
                batch: self.batch.map_or(zero.batch, usize::from),
                lazy: self.lazy,
                is_eager: self.batch.is_some() || self.leaf_playouts.is_some(),
                leaf_playouts: self.leaf_playouts.unwrap_or(zero.leaf_playouts),
                ..zero
            },
            ..base
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::check_default;

    #[test]
    fn the_help_names_the_defaults() {
        let zero = BlokusZeroOptions::default();
        check_default::<BlokusOptions>("batch", &zero.batch.to_string());
        check_default::<BlokusOptions>("leaf_playouts", &zero.leaf_playouts.to_string());
    }
}
