//! Engines as a line of text, for matches and experiments.

use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;

use super::zero::{Playouts, ZeroOptions};
use super::{EngineName, EngineOptions};
use crate::search::puct::FirstPlay;

/// Why a specification cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("engine specification '{text}': {reason}")]
pub struct SpecificationError {
    /// The specification.
    text: String,
    /// What is wrong.
    reason: String,
}

/// Reads `NAME[:option=value]...`, for example `mcts-maxn:playouts=800`, `best:ms=1000` or
/// `blokus-zero:model=FILE:simulations=800`.
impl FromStr for EngineOptions {
    type Err = SpecificationError;

    fn from_str(text: &str) -> Result<Self, SpecificationError> {
        let wrong = |reason: String| SpecificationError {
            text: text.to_owned(),
            reason,
        };
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let engine = EngineName::from_str(name, true).map_err(|_| {
            let names = EngineName::ALL.map(EngineName::name).join(", ");
            wrong(format!("no engine '{name}'; one of {names}"))
        })?;
        let mut options = Self::named(engine);
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| wrong(format!("'{part}' is not option=value")))?;
            options.set(key, value).map_err(wrong)?;
        }
        Ok(options)
    }
}

fn number(key: &str, value: &str) -> Result<f64, String> {
    value
        .parse()
        .ok()
        .filter(|n: &f64| (0.0..1e15).contains(n))
        .ok_or_else(|| format!("{key}={value} is not a number of 0 or more"))
}

/// What only the search has that evaluates every position at once.
const EAGER: [&str; 9] = [
    "batch",
    "score",
    "exploration",
    "first",
    "below",
    "gumbel",
    "leaf",
    "mix",
    "packing",
];

impl EngineOptions {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if self.engine == EngineName::BlokusZero && self.set_zero(key, value)? {
            return Ok(());
        }
        let number = || number(key, value);
        match key {
            "playouts" | "nodes" => self.playouts = Some(number()? as u64),
            "ms" => self.time = Some(Duration::from_secs_f64(number()?.min(1e9) / 1000.0)),
            "threads" => self.threads = (number()? as usize).clamp(1, 256),
            "epsilon" => self.epsilon = Some(number()?.min(1.0)),
            "exact" => self.exact = number()? > 0.0,
            "exploration" => self.exploration = number()?,
            "history" => self.history = number()?,
            _ => {
                return Err(format!(
                    "no option '{key}'; playouts (nodes), ms, threads, epsilon, exact, exploration or history, and of \
                     blokus-zero model, simulations, ms, threads, nn, precision, batch, score, exploration, first, below, \
                     gumbel, leaf, mix, lazy, weight or packing"
                ));
            }
        }
        Ok(())
    }

    /// Sets what only `blokus-zero` has, or means otherwise; gives whether it was that.
    fn set_zero(&mut self, key: &str, value: &str) -> Result<bool, String> {
        let zero = &mut self.zero;
        let number = || number(key, value);
        match key {
            "model" => zero.model = Some(value.into()),
            "simulations" => self.playouts = Some(number()? as u64),
            "nn" => {
                zero.nn_engine = ValueEnum::from_str(value, true)
                    .map_err(|_| format!("nn={value} is not auto, ort or rten"))?;
            }
            "precision" => {
                zero.precision = ValueEnum::from_str(value, true)
                    .map_err(|_| format!("precision={value} is not auto, fp32 or int8"))?;
            }
            "batch" => zero.batch = (number()? as usize).clamp(1, 1024),
            "score" => zero.score_share = number()?.min(1.0),
            "exploration" => zero.exploration = number()?,
            "first" => zero.first_play = FirstPlay::Value(number()?),
            "below" => zero.first_play = FirstPlay::Below(number()?),
            "gumbel" => zero.considered = Some(number()? as usize).filter(|&n| n > 0),
            "leaf" => zero.playouts.count = number()?.min(f64::from(Playouts::MOST)) as u32,
            "mix" => zero.playouts.share = number()?.min(1.0),
            "lazy" => zero.lazy = Some(number()?.min(ZeroOptions::MOST_LAZY.into()) as u32),
            "weight" => zero.weight = Some(number()?.min(ZeroOptions::MOST_WEIGHT.into()) as u32),
            "packing" => zero.packing = number()? > 0.0,
            _ => return Ok(false),
        }
        zero.is_eager |= EAGER.contains(&key);
        Ok(true)
    }
}
