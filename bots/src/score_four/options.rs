//! Engines by name and options, as the command lines and match specifications give them.

use std::str::FromStr;
use std::time::Duration;

use super::best::BestEngine;
use super::monte_carlo::{MonteCarlo, Search};
use super::playout::{ErdosSelfridge, Uniform};
use super::{Engine, RandomEngine};
use crate::search::Budget;
use crate::search::uct::Plan;

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum EngineName {
    /// Uniformly random legal moves.
    Random,
    /// Flat Monte Carlo.
    Flat,
    /// Monte Carlo with UCB1 at the root.
    Ucb1,
    /// UCT with uniformly random playouts.
    Uct,
    /// UCT with playouts that prefer important squares (Erdős and Selfridge).
    UctEs,
    /// The strongest engine of the project.
    Best,
}

impl EngineName {
    /// Its name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Flat => "flat",
            Self::Ucb1 => "ucb1",
            Self::Uct => "uct",
            Self::UctEs => "uct-es",
            Self::Best => "best",
        }
    }
}

/// An engine and its options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineOptions {
    /// Which engine.
    pub engine: EngineName,
    /// Playouts a move of the Monte Carlo engines, nodes a move of `best`; without it and `time`, 50,000
    /// playouts or one second.
    pub playouts: Option<u64>,
    /// Most time a move.
    pub time: Option<Duration>,
    /// The tree of `uct` and `uct-es`.
    pub plan: Plan,
    /// Threads of the Monte Carlo engines.
    pub threads: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            engine: EngineName::Best,
            playouts: None,
            time: None,
            plan: Plan::default(),
            threads: 1,
        }
    }
}

impl EngineOptions {
    /// An engine with the defaults.
    pub fn named(engine: EngineName) -> Self {
        Self {
            engine,
            ..Self::default()
        }
    }

    /// What `best` may use: a second without any other limit.
    fn best_budget(&self) -> Budget {
        let unlimited = self.playouts.is_none() && self.time.is_none();
        Budget {
            playouts: self.playouts.unwrap_or(u64::MAX),
            time: self.time.or(unlimited.then_some(Duration::from_secs(1))),
        }
    }

    /// Makes the engine.
    pub fn build(&self, seed: u64) -> Box<dyn Engine> {
        let unlimited = if self.time.is_some() {
            u64::MAX
        } else {
            50_000
        };
        let budget = Budget {
            playouts: self.playouts.unwrap_or(unlimited),
            time: self.time,
        };
        let name = self.engine.name();
        let uniform = |search| -> Box<dyn Engine> {
            Box::new(MonteCarlo::<Uniform>::new(
                name,
                search,
                budget,
                self.threads,
                seed,
            ))
        };
        match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Flat => uniform(Search::Flat),
            EngineName::Ucb1 => uniform(Search::Ucb1),
            EngineName::Uct => uniform(Search::Uct(self.plan)),
            EngineName::Best => Box::new(BestEngine::new(self.best_budget())),
            EngineName::UctEs => Box::new(MonteCarlo::<ErdosSelfridge>::new(
                name,
                Search::Uct(self.plan),
                budget,
                self.threads,
                seed,
            )),
        }
    }
}

/// Why a specification cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("engine specification '{text}': {reason}")]
pub struct SpecificationError {
    /// The specification.
    text: String,
    /// What is wrong.
    reason: String,
}

/// Reads `NAME[:option=value]...`, for example `uct:playouts=50000` or `best:ms=1000`.
impl FromStr for EngineOptions {
    type Err = SpecificationError;

    fn from_str(text: &str) -> Result<Self, SpecificationError> {
        let wrong = |reason: String| SpecificationError {
            text: text.to_owned(),
            reason,
        };
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let engine = clap::ValueEnum::from_str(name, true).map_err(|_| {
            wrong(format!(
                "no engine '{name}'; random, flat, ucb1, uct, uct-es or best"
            ))
        })?;
        let mut options = Self::named(engine);
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| wrong(format!("'{part}' is not option=value")))?;
            let number: f64 = value
                .parse()
                .ok()
                .filter(|n: &f64| (0.0..1e15).contains(n))
                .ok_or_else(|| wrong(format!("{key}={value} is not a number of 0 or more")))?;
            match key {
                "playouts" | "nodes" => options.playouts = Some(number as u64),
                "ms" => options.time = Some(Duration::from_secs_f64(number.min(1e9) / 1000.0)),
                "threshold" => options.plan.threshold = (number as u32).max(1),
                "exploration" => options.plan.exploration = number,
                "threads" => options.threads = (number as usize).clamp(1, 256),
                _ => {
                    return Err(wrong(format!(
                        "no option '{key}'; playouts (nodes), ms, threshold, exploration or threads"
                    )));
                }
            }
        }
        Ok(options)
    }
}
