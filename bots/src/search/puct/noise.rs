//! Noise at the root, for self-play: without it a search that is sure of itself would never see anything else.

use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Dirichlet noise: the prior becomes `(1 - share) prior + share noise`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The parameter of the symmetric distribution.
    pub alpha: f64,
    /// Its share.
    pub share: f64,
}

impl Noise {
    /// As in the `BlokusZero` paper.
    pub const BLOKUS: Noise = Noise {
        alpha: 0.02,
        share: 0.25,
    };

    /// Fills `out` with a draw from the distribution; its sum is 1.
    pub fn draw(&self, out: &mut [f64], rng: &mut Xoshiro256PlusPlus) {
        // Gamma variables over their sum. For a small alpha most of them are too small for a float: their logarithms
        // are compared.
        for x in &mut *out {
            *x = log_gamma_variable(self.alpha, rng);
        }
        let highest = out.iter().copied().fold(f64::MIN, f64::max);
        let mut sum = 0.0;
        for x in &mut *out {
            *x = (*x - highest).exp();
            sum += *x;
        }
        for x in out {
            *x /= sum;
        }
    }
}

/// The logarithm of a gamma variable of shape `alpha` and scale 1: G. Marsaglia and W. W. Tsang, "A simple method for
/// generating gamma variables", ACM Transactions on Mathematical Software 26 (2000) 363-372, for `alpha + 1`, times
/// the power `1 / alpha` of a uniform one.
fn log_gamma_variable(alpha: f64, rng: &mut Xoshiro256PlusPlus) -> f64 {
    let d = alpha + 1.0 - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && uniform(rng).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return (d * v).ln() + uniform(rng).ln() / alpha;
        }
    }
}

/// G. E. P. Box and M. E. Muller, Annals of Mathematical Statistics 29 (1958) 610-611.
fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
    let radius = (-2.0 * uniform(rng).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// In (0, 1).
pub(super) fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    1.0 - rng.random::<f64>()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn the_draws_have_the_moments_of_the_distribution() {
        const N: usize = 10;
        const DRAWS: usize = 20_000;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for alpha in [0.02, 0.3, 3.0] {
            let noise = Noise { alpha, share: 0.25 };
            let (mut mean, mut square) = (0.0, 0.0);
            let mut draw = [0.0; N];
            for _ in 0..DRAWS {
                noise.draw(&mut draw, &mut rng);
                assert!((draw.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                mean += draw[0] / DRAWS as f64;
                square += draw[0] * draw[0] / DRAWS as f64;
            }
            let n = N as f64;
            let variance = (n - 1.0) / (n * n * (n * alpha + 1.0));
            let error = 5.0 * (variance / DRAWS as f64).sqrt();
            assert!((mean - 1.0 / n).abs() < error, "{alpha}: {mean}");
            let found = square - mean * mean;
            assert!(
                (found / variance - 1.0).abs() < 0.1,
                "{alpha}: {found} for {variance}"
            );
        }
    }
}
