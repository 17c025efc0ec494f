//! Engines by name and options, as the command lines and match specifications give them.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::belief::Trust;
use super::best::BestEngine;
use super::choice::Choice;
use super::placement::Placements;
use super::search::Plan;
use super::simple::{PaperEngine, RandomEngine};
use super::{Engine, Weights, WeightsError};

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum EngineName {
    /// Uniformly random legal moves.
    Random,
    /// The policy of the paper alone.
    Paper,
    /// The strongest engine of the project.
    Best,
}

/// An engine and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// Which engine.
    pub engine: EngineName,
    /// Weights of the policy in place of those built in.
    pub weights: Option<PathBuf>,
    /// Temperature of `paper`: 0 plays the move with the highest preference.
    pub temperature: f64,
    /// The search of `best`.
    pub plan: Plan,
    /// How `best` infers the enemy's colours.
    pub trust: Trust,
    /// Temperature on the scores of the placements of `best`; 0 draws them uniformly.
    pub spread: f64,
    /// Threads of the search.
    pub threads: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            engine: EngineName::Best,
            weights: None,
            temperature: 0.0,
            plan: Plan::default(),
            trust: Trust::default(),
            spread: 0.0,
            threads: 1,
        }
    }
}

impl EngineOptions {
    /// Makes the engine.
    ///
    /// # Errors
    /// When the file of weights cannot be used.
    pub fn build(&self, seed: u64) -> Result<Box<dyn Engine>, WeightsError> {
        if self.engine == EngineName::Random {
            return Ok(Box::new(RandomEngine::new(seed)));
        }
        let weights = Arc::new(match &self.weights {
            Some(path) => Weights::read(path)?,
            None if self.engine == EngineName::Paper => Weights::paper(),
            None => Weights::strongest(),
        });
        Ok(match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Paper => Box::new(PaperEngine::new(
                weights,
                Choice::with_temperature(self.temperature),
                seed,
            )),
            EngineName::Best => Box::new(BestEngine::new(
                weights,
                self.plan,
                self.trust,
                Placements::learned(self.spread),
                self.threads,
                seed,
            )),
        })
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

/// Reads `NAME[:option=value]...`, for example `paper:weights=theta.npy:temperature=1` or
/// `best:simulations=1000`.
impl FromStr for EngineOptions {
    type Err = SpecificationError;

    fn from_str(text: &str) -> Result<Self, SpecificationError> {
        let wrong = |reason: String| SpecificationError {
            text: text.to_owned(),
            reason,
        };
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let mut options = Self {
            engine: clap::ValueEnum::from_str(name, true)
                .map_err(|_| wrong(format!("no engine '{name}'; random, paper or best")))?,
            ..Self::default()
        };
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| wrong(format!("'{part}' is not option=value")))?;
            if key == "weights" {
                options.weights = Some(PathBuf::from(value));
                continue;
            }
            let number: f64 = value
                .parse()
                .ok()
                .filter(|n: &f64| n.is_finite() && *n >= 0.0)
                .ok_or_else(|| wrong(format!("{key}={value} is not a number of 0 or more")))?;
            let (plan, trust) = (&mut options.plan, &mut options.trust);
            match key {
                "temperature" => options.temperature = number,
                "simulations" => plan.simulations = number as u32,
                "ms" => {
                    // Longer than a day is for ever.
                    plan.time = Some(Duration::from_secs_f64(number.min(1e8) / 1000.0));
                    if plan.simulations == Plan::default().simulations {
                        plan.simulations = u32::MAX;
                    }
                }
                "threads" => options.threads = number as usize,
                "exploration" => plan.exploration = number,
                "prior" => plan.prior_temperature = number,
                "playout" => plan.playout_temperature = number,
                "enemy" => plan.enemy_temperature = number,
                "adversary" => plan.adversary = number,
                "decisive" => plan.decisive = number > 0.0,
                "first" => plan.first_play = number,
                "trust" => trust.temperature = number,
                "spread" => options.spread = number,
                "blunders" => trust.blunders = number.min(1.0),
                _ => {
                    return Err(wrong(format!(
                        "no option '{key}'; weights, temperature, simulations, ms, threads, exploration, \
                         prior, playout, enemy, adversary, decisive, first, trust, blunders or spread"
                    )));
                }
            }
        }
        Ok(options)
    }
}
