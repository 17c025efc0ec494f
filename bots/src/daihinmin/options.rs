//! Engines by name and options, as the command lines and match specifications give them.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::best::Best;
use super::ingredients::Ingredients;
use super::monte_carlo::{Budget, MonteCarlo};
use super::simple::{DefaultEngine, RandomEngine};
use super::{Engine, Weights};

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum EngineName {
    /// Uniformly random legal moves.
    Random,
    /// The lowest legal meld; a plain rule bot.
    Default,
    /// Flat Monte Carlo with UCB1-tuned and uniformly random playouts.
    Mc,
    /// Flat Monte Carlo with the TD-weighted value (the bot Crow).
    Crow,
    /// The strongest engine of the project.
    Best,
}

/// An engine and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// Which engine.
    pub engine: EngineName,
    /// Playouts per decision.
    pub playouts: u32,
    /// Weight of the newest term in the TD-weighted value of `crow`, in (0, 1].
    pub alpha: f64,
    /// Time limit per decision in milliseconds.
    pub move_ms: Option<u64>,
    /// Threads of the search.
    pub threads: usize,
    /// Weights of `best` in place of those built in.
    pub weights: Option<PathBuf>,
    /// Ingredients of `best`.
    pub ingredients: Ingredients,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            engine: EngineName::Best,
            playouts: 2000,
            alpha: 0.9,
            move_ms: None,
            threads: 1,
            weights: None,
            ingredients: Ingredients::default(),
        }
    }
}

/// Why an engine could not be made.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// A specification could not be read.
    #[error("engine specification '{text}': {reason}")]
    Specification {
        /// The specification.
        text: String,
        /// What is wrong.
        reason: String,
    },
    /// The weights file could not be read.
    #[error("weights {}: {reason}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl EngineOptions {
    /// Makes the engine.
    ///
    /// # Errors
    /// When the weights file cannot be read.
    pub fn build(&self, seed: u64) -> Result<Box<dyn Engine>, OptionsError> {
        let budget = Budget {
            playouts: self.playouts.max(1),
            time: self.move_ms.map(Duration::from_millis),
        };
        Ok(match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Default => Box::new(DefaultEngine),
            EngineName::Mc => Box::new(MonteCarlo::new(budget, 1.0, self.threads, seed)),
            EngineName::Crow => Box::new(MonteCarlo::new(budget, self.alpha, self.threads, seed)),
            EngineName::Best => {
                let weights = match &self.weights {
                    Some(path) => Weights::read(path).map_err(|reason| OptionsError::Weights {
                        path: path.clone(),
                        reason,
                    })?,
                    None => Weights::built_in(),
                };
                Box::new(Best::new(
                    budget,
                    self.ingredients,
                    weights,
                    self.threads,
                    seed,
                ))
            }
        })
    }
}

impl FromStr for EngineOptions {
    type Err = OptionsError;

    /// Reads `name` or `name:option=value:...`; the options are `playouts`, `alpha`, `ms`,
    /// `threads`, `weights`, and, for `best`, the switches of [`Ingredients::set`].
    fn from_str(text: &str) -> Result<EngineOptions, OptionsError> {
        let wrong = |reason: String| OptionsError::Specification {
            text: text.to_owned(),
            reason,
        };
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let engine = <EngineName as clap::ValueEnum>::from_str(name, true)
            .map_err(|_| wrong(format!("'{name}' is not random, default, mc, crow or best")))?;
        let mut options = EngineOptions {
            engine,
            ..EngineOptions::default()
        };
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| wrong(format!("'{part}' is no option=value")))?;
            let bad = |_| wrong(format!("'{value}' does not fit {key}"));
            let bad_float = |_| wrong(format!("'{value}' does not fit {key}"));
            match key {
                "playouts" => options.playouts = value.parse().map_err(bad)?,
                "alpha" => options.alpha = value.parse().map_err(bad_float)?,
                "ms" => options.move_ms = Some(value.parse().map_err(bad)?),
                "threads" => options.threads = value.parse().map_err(bad)?,
                "weights" => options.weights = Some(PathBuf::from(value)),
                _ => options.ingredients.set(key, value).map_err(wrong)?,
            }
        }
        Ok(options)
    }
}
