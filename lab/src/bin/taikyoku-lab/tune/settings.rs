//! The settings of a tuning: a file of TOML.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Failure, Refused};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) game: String,
    /// The engine, without the options that are tuned.
    pub(super) engine: String,
    /// The engine that both settings of a step play against; without one they play each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) opponent: Option<String>,
    /// More words for `taikyoku-lab match`.
    #[serde(default)]
    pub(super) options: Vec<String>,
    /// Seed of the steps and of the first game.
    #[serde(default = "one")]
    pub(super) seed: u32,
    pub(super) steps: u32,
    /// Games of a match of a step; `taikyoku-lab match` rounds them up to whole blocks.
    #[serde(default = "twenty")]
    pub(super) games: u32,
    /// Games at the end, of what was found against the start; 0 for none.
    #[serde(default = "two_hundred")]
    pub(super) verify: u32,
    #[serde(default = "two")]
    pub(super) rate: f64,
    pub(super) parameters: BTreeMap<String, Range>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Range {
    pub(super) start: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    /// Distance of the two settings of the first step from the present value; a factor above 1 on the scale `log`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<f64>,
    #[serde(default)]
    pub(super) whole: bool,
    #[serde(default)]
    pub(super) scale: Scale,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Scale {
    #[default]
    Linear,
    Log,
}

fn one() -> u32 {
    1
}

fn two() -> f64 {
    2.0
}

fn twenty() -> u32 {
    20
}

fn two_hundred() -> u32 {
    200
}

impl Range {
    fn on_scale(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.ln(),
        }
    }

    /// The distance of the first step on the scale: a tenth of the range, if none is given.
    fn unit(&self) -> f64 {
        let tenth = (self.on_scale(self.max) - self.on_scale(self.min)) / 10.0;
        self.step.map_or(tenth, |step| self.on_scale(step))
    }

    /// A value in first steps, on the scale.
    pub(super) fn steps(&self, value: f64) -> f64 {
        self.on_scale(value) / self.unit()
    }

    /// The value of so many first steps, within the range. `fraction`, 0 to 1, says which way whole numbers are rounded.
    pub(super) fn value(&self, steps: f64, fraction: f64) -> f64 {
        let scaled = steps * self.unit();
        let value = match self.scale {
            Scale::Linear => scaled,
            Scale::Log => scaled.exp(),
        };
        let value = value.clamp(self.min, self.max);
        if self.whole {
            return (value + fraction).floor().clamp(self.min, self.max);
        }
        // Enough digits for any engine, and few enough to read.
        format!("{value:.5e}").parse().unwrap_or(value)
    }

    /// Values that stand for all that a tuning may set: the ends, and where values are not whole, a fraction.
    fn samples(&self) -> Vec<f64> {
        let mut samples = vec![self.min, self.max];
        if !self.whole {
            let between = self.min + (self.max - self.min) / std::f64::consts::PI;
            samples.push(format!("{between:.5e}").parse().unwrap_or(between));
        }
        samples
    }

    fn fault(&self) -> Option<&'static str> {
        let numbers = [self.start, self.min, self.max, self.step.unwrap_or(1.0)];
        let is_whole = |value: f64| value.fract() == 0.0;
        if numbers.iter().any(|number| !number.is_finite()) {
            Some("has a number that is not finite")
        } else if self.min >= self.max || !(self.min..=self.max).contains(&self.start) {
            Some("needs min < max, and start between them")
        } else if self.scale == Scale::Log && self.min <= 0.0 {
            Some("needs min above 0 for the scale \"log\"")
        } else if self.step.is_some_and(|step| self.on_scale(step) <= 0.0) {
            Some("needs a step above 0, and above 1 on the scale \"log\"")
        } else if self.whole && ![self.start, self.min, self.max].into_iter().all(is_whole) {
            Some("is whole, but start, min or max is not")
        } else {
            None
        }
    }
}

pub(super) type Values = BTreeMap<String, f64>;

impl Settings {
    pub(super) fn read(path: &Path) -> Result<Settings, Failure> {
        let refused = |fault: &str| Refused::because(format!("{}: {fault}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| refused(&e.to_string()))?;
        let settings: Settings = toml::from_str(&text).map_err(|e| refused(&e.to_string()))?;
        if settings.parameters.is_empty() {
            return Err(refused("nothing to tune: add [parameters.NAME]"));
        }
        if settings.steps == 0 || settings.games == 0 {
            return Err(refused("steps and games are at least 1"));
        }
        if !(settings.rate.is_finite() && settings.rate > 0.0) {
            return Err(refused("rate is a number above 0"));
        }
        for (name, range) in &settings.parameters {
            if let Some(fault) = range.fault() {
                return Err(refused(&format!("parameters.{name} {fault}")));
            }
        }
        Ok(settings)
    }

    pub(super) fn start(&self) -> Values {
        let parameters = self.parameters.iter();
        parameters
            .map(|(name, range)| (name.clone(), range.start))
            .collect()
    }

    /// The engine with the values of the start, but for one option, for each option and each kind of value that it may get; with
    /// the name of the option.
    pub(super) fn samples(&self) -> impl Iterator<Item = (&str, String)> {
        self.parameters.iter().flat_map(move |(name, range)| {
            range.samples().into_iter().map(move |value| {
                let mut values = self.start();
                values.insert(name.clone(), value);
                (&name[..], self.engine(&values))
            })
        })
    }

    pub(super) fn engine(&self, values: &Values) -> String {
        let options = values
            .iter()
            .map(|(name, value)| format!(":{name}={value}"));
        self.engine.clone() + &options.collect::<String>()
    }

    /// The words after `taikyoku-lab match` for some games of two engines.
    pub(super) fn words(&self, engines: [String; 2], seed: u64, games: u32) -> Vec<String> {
        let [a, b] = engines;
        let mut words = vec![self.game.clone(), a, b];
        words.extend(self.options.iter().cloned());
        words.extend(["--seed".to_owned(), seed.to_string()]);
        words.extend(["--games".to_owned(), games.to_string()]);
        words
    }
}
