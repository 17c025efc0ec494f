//! What may be set of `blokus-zero` beside its budget.

use games::blokus::{Colour, SEATS, Scene};
use models::blokus::{Fast, Paper};

use crate::BuildError;
use crate::blokus::best::AdvicePlan;
use crate::search::network::{GameLayout, ModelOptions, Networked};
use crate::search::puct::{FirstPlay, PuctPlan};

#[derive(Clone, Debug, PartialEq)]
pub struct BlokusZeroOptions {
    pub network: ModelOptions,
    /// Positions that a thread has evaluated together, at least 1.
    pub batch: usize,
    pub exploration: f64,
    /// Playouts from each position that the network evaluates, 0 to [`Mixture::MOST`](super::Mixture::MOST), mixed half and half with its value. Against
    /// none, 4 had .637 +- .086 of the wins with a young network at 100 simulations.
    pub leaf_playouts: u32,
    /// Visits of a position after which the network is asked about it, with the judge and the playouts of `best` before; 0:
    /// every position is evaluated at once. Without it [`LAZY`](Self::LAZY) in a search on time alone, else 0.
    pub lazy: Option<u32>,
    /// Playouts that the network's value counts as then; without it [`WEIGHT`](Self::WEIGHT).
    pub weight: Option<u32>,
    /// Whether something was set that only the search has that evaluates every position at once: then it is that one.
    pub is_eager: bool,
}

impl Default for BlokusZeroOptions {
    fn default() -> Self {
        Self {
            network: ModelOptions::default(),
            batch: 1,
            exploration: 1.25,
            leaf_playouts: 4,
            lazy: None,
            weight: None,
            is_eager: false,
        }
    }
}

impl BlokusZeroOptions {
    /// How much of a position's value is the share by score, where the network tells it; the rest is the share in the win.
    pub const SCORE_SHARE: f64 = 0.5;
    /// Visits after which the network is asked, in a search on time alone.
    pub const LAZY: u32 = 6;
    pub const MOST_LAZY: u32 = 1_000_000;
    /// Playouts that its value counts as then.
    pub const WEIGHT: u32 = 8;
    pub const MOST_WEIGHT: u32 = 1000;

    /// When the network is asked in a search that may make so many simulations; nothing: at once.
    pub(in crate::blokus) fn advice(
        &self,
        simulations: Option<u64>,
    ) -> Result<Option<AdvicePlan>, BuildError> {
        let is_on_time = simulations.is_none() && !self.is_eager;
        let otherwise = if is_on_time { Self::LAZY } else { 0 };
        let visits = self.lazy.unwrap_or(otherwise);
        if visits > 0 && self.is_eager {
            return Err(BuildError::LazyAndEager);
        }
        if visits == 0 && self.weight.is_some() {
            return Err(BuildError::WeightAlone);
        }
        Ok((visits > 0).then_some(AdvicePlan {
            visits: visits.min(Self::MOST_LAZY),
            weight: self
                .weight
                .unwrap_or(Self::WEIGHT)
                .clamp(1, Self::MOST_WEIGHT),
        }))
    }

    pub(super) fn plan(&self) -> PuctPlan {
        PuctPlan {
            init: self.exploration,
            first_play: FirstPlay::Below(0.05),
            ..PuctPlan::default()
        }
    }
}

impl Networked for Scene {
    const ENGINE: &'static str = "blokus-zero";
    const MODEL: &'static str = "models/blokus/blokus-zero.onnx";
    const FORMS: &'static [GameLayout<Self>] =
        &[GameLayout::of::<Fast>(), GameLayout::of::<Paper>()];

    fn beginning() -> Self {
        Self::new()
    }

    fn barred(&self) -> [bool; SEATS] {
        Colour::ALL.map(|colour| self.board().is_withdrawn(colour))
    }
}
