//! From preferences to a move: the best, or a draw from the softmax.

use rand::{Rng, RngExt as _};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// The highest preference; the first of equals in the order of the move list.
    Greedy,
    /// Softmax with this temperature, above 0: probabilities in proportion to `exp(h / temperature)`.
    Softmax(f64),
}

impl Choice {
    /// Greedy for a temperature of 0, else softmax.
    pub fn with_temperature(temperature: f64) -> Self {
        if temperature > 0.0 {
            Self::Softmax(temperature)
        } else {
            Self::Greedy
        }
    }

    /// Index of the chosen move. `preferences` must not be empty; softmax overwrites them.
    #[inline]
    pub fn choose(self, preferences: &mut [f64], rng: &mut impl Rng) -> usize {
        match self {
            Self::Greedy => best(preferences),
            Self::Softmax(temperature) => {
                softmax(preferences, temperature);
                draw(preferences, rng)
            }
        }
    }
}

/// Index of the highest value; the first of equals.
#[inline]
pub fn best(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, &value) in values.iter().enumerate().skip(1) {
        if value > values[best] {
            best = i;
        }
    }
    best
}

/// Replaces preferences by probabilities in proportion to `exp(h / temperature)`; for a temperature of 0 all
/// goes to the highest, the first of equals.
#[inline]
pub fn softmax(preferences: &mut [f64], temperature: f64) {
    if temperature <= 0.0 {
        let chosen = best(preferences);
        for (i, value) in preferences.iter_mut().enumerate() {
            *value = f64::from(u8::from(i == chosen));
        }
        return;
    }
    let highest = preferences
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for value in preferences.iter_mut() {
        *value = ((*value - highest) / temperature).exp();
        sum += *value;
    }
    for value in preferences.iter_mut() {
        *value /= sum;
    }
}

#[inline]
pub fn draw(probabilities: &[f64], rng: &mut impl Rng) -> usize {
    let mut at: f64 = rng.random();
    for (i, &p) in probabilities.iter().enumerate() {
        at -= p;
        if at < 0.0 {
            return i;
        }
    }
    probabilities.len() - 1
}
