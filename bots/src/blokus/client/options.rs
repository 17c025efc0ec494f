//! The command line of the client.

use clap::Args;

use crate::blokus::zero::{BlokusZeroOptions, Mixture};
use crate::blokus::{EngineName, EngineOptions};
use crate::options::{NativeOptions, NetworkOptions, OptionsError, Restricted};

/// Options of the client.
#[derive(Args, Clone, Debug)]
pub struct BlokusOptions {
    /// Those of all clients of the native protocol.
    #[command(flatten)]
    pub native: NativeOptions<EngineName>,
    /// Simulations of blokus-zero for each move; the same as --playouts [default: as many as the time allows].
    #[arg(long, value_name = "N", conflicts_with = "playouts", value_parser = clap::value_parser!(u64).range(1..))]
    pub simulations: Option<u64>,
    /// Those of the network of blokus-zero.
    #[command(flatten)]
    pub network: NetworkOptions,
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
    pub fn engine(&self) -> Result<Option<EngineOptions>, OptionsError> {
        let simulations =
            Restricted::new("--simulations", "simulations", self.simulations.is_some());
        let restricted = self.network.restricted([
            simulations.saying("; other engines have --playouts"),
            Restricted::new("--lazy", "lazy", self.lazy.is_some()),
            Restricted::new("--leaf-playouts", "leaf", self.leaf_playouts.is_some()),
        ]);
        let base: Option<EngineOptions> = self.native.common.checked(&restricted)?;
        let batch = self.network.batch;
        let zero = BlokusZeroOptions::default();
        Ok(base.map(|base| EngineOptions {
            playouts: (self.native.playouts.or(self.simulations)).or(base.playouts),
            time: self.native.move_time(),
            threads: usize::from(self.native.common.threads),
            zero: BlokusZeroOptions {
                network: self.network.network(),
                batch: batch.map_or(zero.batch, usize::from),
                lazy: self.lazy,
                is_eager: batch.is_some() || self.leaf_playouts.is_some(),
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
