//! The weights of pairs of features, and preferences from them.
//!
//! A preference is `h = theta . x` with `x` the 7,503 conjunctions `s_i s_j`, `i >= j`, of the 122
//! features: the sum of `theta_ij` over all pairs of active features, each with itself included.
//! The weights are kept as a full symmetric table, so that all pairs with one feature lie in a row.

use super::features::{FEATURES, Feature};

/// Number of pairs `i >= j`.
pub const PAIRS: usize = FEATURES * (FEATURES + 1) / 2;

/// Columns of a row, padded.
const ROW: usize = 128;

/// Weights of all pairs of features.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    rows: Box<[[f64; ROW]; ROW]>,
}

impl Default for Weights {
    fn default() -> Self {
        Self::zero()
    }
}

impl Weights {
    /// All weights zero, as before training.
    pub fn zero() -> Self {
        let rows = vec![[0.0; ROW]; ROW].into_boxed_slice();
        match rows.try_into() {
            Ok(rows) => Self { rows },
            Err(_) => unreachable!("the rows were counted"),
        }
    }

    /// The weights with these values for the pairs, element `i(i+1)/2 + j`.
    ///
    /// # Panics
    /// Unless there are [`PAIRS`] values.
    pub fn from_pairs(values: &[f64]) -> Self {
        assert_eq!(values.len(), PAIRS, "one weight for each pair");
        let mut weights = Self::zero();
        let mut next = values.iter();
        for i in 0..FEATURES {
            for (j, &value) in (0..=i).zip(&mut next) {
                weights.rows[i][j] = value;
                weights.rows[j][i] = value;
            }
        }
        weights
    }

    /// The weights of the pairs, element `i(i+1)/2 + j`.
    pub fn pairs(&self) -> Vec<f64> {
        (0..FEATURES)
            .flat_map(|i| self.rows[i][..=i].iter().copied())
            .collect()
    }

    /// Weights of all pairs with a feature.
    #[inline]
    pub fn row(&self, feature: Feature) -> &[f64; ROW] {
        &self.rows[usize::from(feature) & (ROW - 1)]
    }

    /// Weight of a pair.
    #[inline]
    pub fn pair(&self, a: Feature, b: Feature) -> f64 {
        self.row(a)[usize::from(b) & (ROW - 1)]
    }

    /// Adds to the weight of a pair of different features.
    #[inline]
    pub fn add_pair(&mut self, a: Feature, b: Feature, value: f64) {
        let (a, b) = (usize::from(a) & (ROW - 1), usize::from(b) & (ROW - 1));
        self.rows[a][b] += value;
        self.rows[b][a] += value;
    }

    /// Adds to the weight of a feature with itself.
    #[inline]
    pub fn add_single(&mut self, feature: Feature, value: f64) {
        let i = usize::from(feature) & (ROW - 1);
        self.rows[i][i] += value;
    }

    /// The preference of an after-state: the sum over all pairs of its features.
    pub fn preference(&self, active: &[Feature]) -> f64 {
        let mut sum = 0.0;
        for (n, &i) in active.iter().enumerate() {
            let row = self.row(i);
            for &j in &active[..=n] {
                sum += row[usize::from(j) & (ROW - 1)];
            }
        }
        sum
    }

    /// Adds `scale` times the difference of two other tables.
    pub fn add_difference(&mut self, plus: &Self, minus: &Self) {
        for (row, (p, m)) in self
            .rows
            .iter_mut()
            .zip(plus.rows.iter().zip(minus.rows.iter()))
        {
            for (value, (p, m)) in row.iter_mut().zip(p.iter().zip(m)) {
                *value += p - m;
            }
        }
    }

    /// Length of the weights as a vector in the layout of the paper's author, in which the weight of a
    /// feature with itself is the sum of two equal ones.
    pub fn author_norm(&self) -> f64 {
        let mut sum = 0.0;
        for i in 0..FEATURES {
            sum += self.rows[i][i] * self.rows[i][i] / 2.0;
            sum += self.rows[i][..i].iter().map(|v| v * v).sum::<f64>();
        }
        sum.sqrt()
    }

    /// Whether all weights are finite.
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|v| v.is_finite())
    }
}
