//! The likelihood of choices, and its maximum.
//!
//! Ratings of all kinds are the same model: a game is a row of choices, each among alternatives with
//! weights exp(linear in the parameters). What the data say is then two things: how often each parameter
//! was chosen, and how often each set of alternatives was to choose from.

use std::collections::HashMap;

/// An alternative: a share times exp(sum of coefficient * parameter).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alternative {
    pub(super) share: f64,
    /// Parameters and their coefficients in halves, 1 or 2.
    pub(super) terms: Vec<(usize, u8)>,
}

impl Alternative {
    /// The weight of an entrant, times `share`.
    pub(super) fn of(entrant: usize, share: f64) -> Alternative {
        Alternative {
            share,
            terms: vec![(entrant, 2)],
        }
    }

    fn weight(&self, powers: &[[f64; 2]]) -> f64 {
        let terms = self.terms.iter();
        terms.fold(self.share, |weight, &(i, halves)| {
            weight * powers[i][usize::from(halves > 1)]
        })
    }
}

/// The exponentials of half of each parameter and of the whole.
fn powers(parameters: &[f64]) -> Vec<[f64; 2]> {
    let both = |p: &f64| [(p / 2.0).exp(), p.exp()];
    parameters.iter().map(both).collect()
}

/// Different sets of alternatives, each known by its key. What happened is a row of counts: column `i` for each
/// parameter `i`, how often it was chosen, and behind those one for each set, how often it was to choose from.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    parameters: usize,
    sets: Vec<Vec<Alternative>>,
    known: HashMap<Vec<(usize, u64)>, usize>,
}

impl Choices {
    /// None, of so many parameters.
    pub(super) fn new(parameters: usize) -> Choices {
        Choices {
            parameters,
            ..Choices::default()
        }
    }

    /// The column of the set that is known by `key`.
    pub(super) fn column(
        &mut self,
        key: Vec<(usize, u64)>,
        set: impl FnOnce() -> Vec<Alternative>,
    ) -> u32 {
        let next = self.sets.len();
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            self.sets.push(set());
        }
        (self.parameters + at) as u32
    }

    pub(super) fn columns(&self) -> usize {
        self.parameters + self.sets.len()
    }

    /// By parameter, whether it was to choose from.
    pub(super) fn seen(&self, counts: &[f64]) -> Vec<bool> {
        let mut seen = vec![false; self.parameters];
        for (set, &count) in self.sets.iter().zip(&counts[self.parameters..]) {
            for &(parameter, _) in set.iter().flat_map(|alternative| &alternative.terms) {
                seen[parameter] |= count > 0.0;
            }
        }
        seen
    }

    /// The parameters of the largest likelihood times a normal prior around 0 of precisions `prior`, by
    /// Newton's method from `start`.
    pub(super) fn fit(&self, counts: &[f64], prior: &[f64], start: &[f64]) -> Vec<f64> {
        let n = start.len();
        let mut parameters = start.to_vec();
        let mut value = self.log_likelihood(counts, prior, &parameters);
        for _ in 0..100 {
            let (gradient, mut information) = self.derivatives(counts, prior, &parameters);
            let mut step = gradient;
            solve(&mut information, &mut step);
            // Newton's step may go too far: it is halved until the likelihood rises.
            let mut scale = 1.0;
            let (next, next_value, rises) = loop {
                let next: Vec<f64> = (0..n).map(|i| parameters[i] + scale * step[i]).collect();
                let next_value = self.log_likelihood(counts, prior, &next);
                // Far too far, weights are 0 or infinite.
                let rises = next_value.is_finite() && next_value >= value;
                if rises || scale < 1e-6 {
                    break (next, next_value, rises);
                }
                scale /= 2.0;
            };
            let moved = (0..n).map(|i| (next[i] - parameters[i]).abs());
            let moved = moved.fold(0.0, f64::max);
            if rises {
                (parameters, value) = (next, next_value);
            }
            // The error is squared with each step: this one has left next to nothing.
            if moved < 1e-5 {
                break;
            }
        }
        parameters
    }

    fn log_likelihood(&self, counts: &[f64], prior: &[f64], parameters: &[f64]) -> f64 {
        let chosen: f64 = (0..parameters.len())
            .map(|i| counts[i] * parameters[i] - prior[i] / 2.0 * parameters[i].powi(2))
            .sum();
        let offered = self.sets.iter().zip(&counts[self.parameters..]);
        let offered = offered.filter(|(_, count)| **count > 0.0);
        let powers = powers(parameters);
        chosen
            - offered
                .map(|(set, count)| count * sum(set, &powers).ln())
                .sum::<f64>()
    }

    /// The gradient and the negative Hessian, row by row.
    fn derivatives(
        &self,
        counts: &[f64],
        prior: &[f64],
        parameters: &[f64],
    ) -> (Vec<f64>, Vec<f64>) {
        let n = parameters.len();
        let mut gradient: Vec<f64> = (0..n)
            .map(|i| counts[i] - prior[i] * parameters[i])
            .collect();
        let mut information = vec![0.0; n * n];
        for i in 0..n {
            information[i * n + i] = prior[i];
        }
        let powers = powers(parameters);
        let mut mean: Vec<(usize, f64)> = Vec::new();
        for (set, &count) in self.sets.iter().zip(&counts[self.parameters..]) {
            if count == 0.0 {
                continue;
            }
            mean.clear();
            let all = sum(set, &powers);
            for alternative in set {
                let chance = alternative.weight(&powers) / all;
                for &(i, a) in &alternative.terms {
                    let a = f64::from(a) / 2.0;
                    match mean.iter_mut().find(|(known, _)| *known == i) {
                        Some((_, sum)) => *sum += chance * a,
                        None => mean.push((i, chance * a)),
                    }
                    for &(j, b) in &alternative.terms {
                        information[i * n + j] += count * chance * a * f64::from(b) / 2.0;
                    }
                }
            }
            for &(i, a) in &mean {
                gradient[i] -= count * a;
                for &(j, b) in &mean {
                    information[i * n + j] -= count * a * b;
                }
            }
        }
        (gradient, information)
    }
}

fn sum(set: &[Alternative], powers: &[[f64; 2]]) -> f64 {
    set.iter()
        .map(|alternative| alternative.weight(powers))
        .sum()
}

/// Solves `matrix x = right` for a symmetric positive definite matrix by Cholesky's decomposition; `right`
/// becomes `x`.
fn solve(matrix: &mut [f64], right: &mut [f64]) {
    let n = right.len();
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| matrix[i * n + k] * matrix[j * n + k]).sum();
            let rest = matrix[i * n + j] - sum;
            matrix[i * n + j] = if i == j {
                rest.max(1e-12).sqrt()
            } else {
                rest / matrix[j * n + j]
            };
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| matrix[i * n + k] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| matrix[k * n + i] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i * n + i];
    }
}
