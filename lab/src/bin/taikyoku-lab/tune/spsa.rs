//! Simultaneous perturbation stochastic approximation: J. C. Spall, "Multivariate stochastic approximation using a
//! simultaneous perturbation gradient approximation", IEEE Transactions on Automatic Control 37 (1992).

use bots::search::rng_of;
use rand::RngExt as _;

use super::settings::{Settings, Values};

/// Powers of the step's number by which distances and lengths of steps shrink, as Spall recommends.
const DISTANCE: f64 = 0.101;
const LENGTH: f64 = 0.602;

/// The state of a tuning: what follows from the results of the steps so far, and from nothing else.
#[derive(Debug)]
pub(super) struct Spsa<'a> {
    settings: &'a Settings,
    /// The present values, in first steps.
    present: Vec<f64>,
    /// Sum of the values after steps of the second half.
    sum: Vec<f64>,
    done: u32,
}

#[derive(Debug)]
pub(super) struct Pair {
    pub(super) plus: Values,
    pub(super) minus: Values,
    /// By parameter 1 or -1: the direction from `minus` to `plus`.
    signs: Vec<f64>,
}

impl<'a> Spsa<'a> {
    pub(super) fn new(settings: &'a Settings) -> Spsa<'a> {
        let ranges = settings.parameters.values();
        let present: Vec<f64> = ranges.map(|range| range.steps(range.start)).collect();
        Spsa {
            settings,
            sum: vec![0.0; present.len()],
            present,
            done: 0,
        }
    }

    pub(super) fn done(&self) -> u32 {
        self.done
    }

    pub(super) fn pair(&self) -> Pair {
        let mut rng = rng_of(self.settings.seed.into(), self.done as usize + 1);
        let distance = f64::from(self.done + 1).powf(-DISTANCE);
        let mut pair = Pair {
            plus: Values::new(),
            minus: Values::new(),
            signs: Vec::new(),
        };
        for ((name, range), present) in self.settings.parameters.iter().zip(&self.present) {
            let sign = if rng.random::<bool>() { 1.0 } else { -1.0 };
            let fraction = rng.random::<f64>();
            let value = |side: f64| range.value(present + side * sign * distance, fraction);
            pair.plus.insert(name.clone(), value(1.0));
            pair.minus.insert(name.clone(), value(-1.0));
            pair.signs.push(sign);
        }
        pair
    }

    /// Takes by how much the score of `plus` was above that of `minus`, -1 to 1.
    pub(super) fn learn(&mut self, pair: &Pair, lead: f64) {
        let number = f64::from(self.done + 1);
        let stability = f64::from(self.settings.steps) / 10.0;
        let length = self.settings.rate * ((stability + 1.0) / (stability + number)).powf(LENGTH);
        let slope = lead / (2.0 * number.powf(-DISTANCE));
        self.done += 1;
        let is_late = self.done > self.settings.steps / 2;
        let ranges = self.settings.parameters.values();
        let values = self.present.iter_mut().zip(&mut self.sum);
        for ((range, sign), (present, sum)) in ranges.zip(&pair.signs).zip(values) {
            let moved = *present + length * slope * sign;
            *present = moved.clamp(range.steps(range.min), range.steps(range.max));
            if is_late {
                *sum += *present;
            }
        }
    }

    pub(super) fn values(&self) -> Values {
        self.read(&self.present)
    }

    /// What is found: the mean of the values after the steps of the second half, which is less noisy than the last ones.
    pub(super) fn found(&self) -> Values {
        let late = self.done.saturating_sub(self.settings.steps / 2);
        if late == 0 {
            return self.values();
        }
        let means: Vec<f64> = self.sum.iter().map(|sum| sum / f64::from(late)).collect();
        self.read(&means)
    }

    fn read(&self, steps: &[f64]) -> Values {
        let parameters = self.settings.parameters.iter().zip(steps);
        parameters
            .map(|((name, range), &steps)| (name.clone(), range.value(steps, 0.5)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optimum_of_a_noisy_function_is_found() {
        let settings: Settings = toml::from_str(
            "game = 'blokus'\nengine = 'best'\nsteps = 400\n\
             [parameters.a]\nstart = 1\nmin = -10\nmax = 10\n\
             [parameters.b]\nstart = 100\nmin = 1\nmax = 1000\nscale = 'log'\nwhole = true\n",
        )
        .expect("settings");
        // The score falls with the distance from a = 6 and b = 20.
        let loss = |values: &Values| {
            let (a, b) = (values["a"] - 6.0, (values["b"] / 20.0).ln());
            (a * a + b * b) / 25.0
        };
        let mut spsa = Spsa::new(&settings);
        let mut rng = rng_of(7, 0);
        for _ in 0..settings.steps {
            let pair = spsa.pair();
            let noise = rng.random_range(-0.2..0.2);
            let lead = (loss(&pair.minus) - loss(&pair.plus) + noise).clamp(-1.0, 1.0);
            spsa.learn(&pair, lead);
        }
        let found = spsa.found();
        assert!((found["a"] - 6.0).abs() < 0.7, "{found:?}");
        assert!((15.0..=27.0).contains(&found["b"]), "{found:?}");
        assert!(found["b"].fract() == 0.0, "{found:?}");
    }
}
