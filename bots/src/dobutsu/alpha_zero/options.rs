//! What may be set of `alphazero` beside its budget.

use std::str::FromStr;

use crate::search::network::ModelOptions;
use crate::search::puct::{FirstPlay, PuctPlan};

/// C of PUCT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exploration {
    Constant(f64),
    /// ln((1 + N + 19652) / 19652) + 1.25 after N visits of a position, as in `AlphaZero`.
    Log,
}

impl Exploration {
    pub fn plan(self, plan: PuctPlan) -> PuctPlan {
        let (base, init) = match self {
            // The logarithm of 1 is 0.
            Self::Constant(c) => (f64::MAX, c),
            Self::Log => (19_652.0, 1.25),
        };
        PuctPlan { base, init, ..plan }
    }
}

impl std::fmt::Display for Exploration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Constant(c) => write!(f, "{c}"),
            Self::Log => f.write_str("log"),
        }
    }
}

/// Reads a number of 0 or more, or `log`.
impl FromStr for Exploration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "log" {
            return Ok(Self::Log);
        }
        let c = text.parse().ok().filter(|c: &f64| (0.0..=1e6).contains(c));
        c.map(Self::Constant)
            .ok_or_else(|| "expected a number of 0 or more, or `log`".to_owned())
    }
}

/// What may be set of `alphazero` beside its budget and threads.
#[derive(Clone, Debug, PartialEq)]
pub struct AlphaZeroOptions {
    pub network: ModelOptions,
    /// Positions that a thread has evaluated together, at least 1.
    pub batch: usize,
    pub exploration: Exploration,
    /// Before the search, wins of so many plies are looked for; 0 for none.
    pub mate: u32,
}

impl AlphaZeroOptions {
    /// Plies of the wins that are looked for, as in the paper.
    pub const MATE: u32 = 7;
    /// Most plies of them.
    pub const MOST_MATE: u32 = 15;
    const MEMORY: usize = 128 << 20;

    pub fn plan(&self) -> PuctPlan {
        self.exploration.plan(PuctPlan {
            first_play: FirstPlay::Value(0.5),
            memory: Self::MEMORY,
            ..PuctPlan::default()
        })
    }
}

impl Default for AlphaZeroOptions {
    fn default() -> Self {
        Self {
            network: ModelOptions::default(),
            batch: 1,
            exploration: Exploration::Constant(1.0),
            mate: Self::MATE,
        }
    }
}
