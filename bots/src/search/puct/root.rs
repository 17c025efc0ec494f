//! The root of a search in place of the formula, or beside it: Gumbel's plan, and noise.

use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::tree::Edge;
use super::tree::mean;

/// A search that improves the policy with few simulations.
///
/// At the root, moves are drawn without replacement by Gumbel variables and the simulations shared out by sequential
/// halving (Z. Karnin, T. Koren and O. Somekh, ICML 2013); inside, moves are chosen so that visits follow the
/// improved policy. Rewards here lie between 0 and 1, and need no scaling.
///
/// Source: I. Danihelka, A. Guez, J. Schrittwieser and D. Silver, "Policy improvement by planning with Gumbel",
/// ICLR 2022.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gumbel {
    /// Moves that are looked at, at the root.
    pub considered: usize,
    /// `c_visit` of the paper: 50.
    pub visit: f64,
    /// `c_scale` of the paper: 1 for rewards of 0 to 1.
    pub scale: f64,
    /// Whether moves are drawn; without it the root is searched the same way each time, as in a match.
    pub draws: bool,
}

impl Default for Gumbel {
    fn default() -> Self {
        Self {
            considered: 16,
            visit: 50.0,
            scale: 1.0,
            draws: true,
        }
    }
}

impl Gumbel {
    /// sigma(q): how much a value counts beside a logit.
    fn sigma<M>(&self, edges: &[Edge<M>]) -> f64 {
        let most = edges
            .iter()
            .map(|edge| edge.visits)
            .max()
            .unwrap_or_default();
        (self.visit + f64::from(most)) * self.scale
    }

    /// What stands for the value of moves without visits: the network's value of the position mixed with those of
    /// the moves that have some.
    fn mixed<M>(edges: &[Edge<M>], value: f64) -> f64 {
        let (mut visits, mut priors, mut sum) = (0.0, 0.0, 0.0);
        for edge in edges.iter().filter(|edge| edge.visits > 0) {
            visits += f64::from(edge.visits);
            priors += f64::from(edge.prior);
            sum += f64::from(edge.prior) * edge.sum / f64::from(edge.visits);
        }
        if priors > 0.0 {
            (value + visits * sum / priors) / (1.0 + visits)
        } else {
            value
        }
    }

    /// Clears `out` and fills it with the improved policy: the softmax of the logits and the completed values.
    pub(super) fn improved<M>(&self, edges: &[Edge<M>], value: f64, out: &mut Vec<f64>) {
        let (sigma, mixed) = (self.sigma(edges), Self::mixed(edges, value));
        out.clear();
        let logit = |edge: &Edge<M>| {
            let q = match edge.visits {
                0 => mixed,
                n => edge.sum / f64::from(n),
            };
            f64::from(edge.prior.max(f32::MIN_POSITIVE)).ln() + sigma * q
        };
        out.extend(edges.iter().map(logit));
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

    /// The place of the move to follow inside the tree.
    pub(super) fn choose<M>(
        &self,
        edges: &[Edge<M>],
        value: f64,
        space: &mut Vec<f64>,
    ) -> Option<usize> {
        self.improved(edges, value, space);
        let tried = |edge: &Edge<M>| f64::from(edge.tried());
        let all: f64 = edges.iter().map(tried).sum();
        let score = |i: usize| space[i] - tried(&edges[i]) / (1.0 + all);
        highest(edges.len(), score)
    }
}

fn highest(count: usize, score: impl Fn(usize) -> f64) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for place in 0..count {
        let score = score(place);
        if best.is_none_or(|(_, highest)| score > highest) {
            best = Some((place, score));
        }
    }
    best.map(|(place, _)| place)
}

#[derive(Clone, Debug, Default)]
pub(super) struct Halving {
    simulations: u64,
    /// By place, a Gumbel variable and the logit.
    scores: Vec<f64>,
    left: Vec<usize>,
    /// Visits that the search may still make in this round, and by which round it is.
    round: u64,
    rounds: u64,
    /// Visits of each place when the search began.
    before: Vec<u32>,
}

impl Halving {
    pub(super) fn of(simulations: u64) -> Self {
        Self {
            simulations,
            ..Self::default()
        }
    }

    pub(super) fn settle<M>(
        &mut self,
        gumbel: Gumbel,
        edges: &[Edge<M>],
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let score = |edge: &Edge<M>| {
            let drawn = if gumbel.draws {
                -(-uniform(rng).ln()).ln()
            } else {
                0.0
            };
            f64::from(edge.prior.max(f32::MIN_POSITIVE)).ln() + drawn
        };
        self.scores = edges.iter().map(score).collect();
        self.left = (0..edges.len()).collect();
        let scores = &self.scores;
        self.left.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let most = gumbel.considered.min(self.simulations.max(1) as usize);
        self.left.truncate(most.max(1));
        self.before = edges.iter().map(|edge| edge.visits).collect();
        self.rounds = (self.left.len() as f64).log2().ceil().max(1.0) as u64;
        self.round = self.share();
    }

    fn share(&self) -> u64 {
        let left = self.left.len().max(1) as u64;
        (self.simulations / (self.rounds * left)).max(1) * left
    }

    /// The place of the next move: the one that was visited least among those that are left.
    pub(super) fn choose<M>(&mut self, gumbel: Gumbel, edges: &[Edge<M>]) -> Option<usize> {
        if self.round == 0 && self.left.len() > 1 {
            let sigma = gumbel.sigma(edges);
            let scores = &self.scores;
            let score = |place: usize| scores[place] + sigma * mean(&edges[place], 0.0);
            self.left.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
            self.left.truncate(self.left.len().div_ceil(2));
            self.round = self.share();
        }
        self.round = self.round.saturating_sub(1);
        let tried =
            |place: usize| edges[place].tried() - self.before[place].min(edges[place].visits);
        self.left.iter().copied().min_by_key(|&place| tried(place))
    }

    /// The place of the move to play: of those that are left the best.
    pub(super) fn decide<M>(&self, gumbel: Gumbel, edges: &[Edge<M>]) -> Option<usize> {
        let sigma = gumbel.sigma(edges);
        let most = self.left.iter().map(|&place| edges[place].visits).max()?;
        let tried = self
            .left
            .iter()
            .filter(|&&place| edges[place].visits == most);
        let tried: Vec<usize> = tried.copied().collect();
        let score = |i: usize| self.scores[tried[i]] + sigma * mean(&edges[tried[i]], 0.0);
        highest(tried.len(), score).map(|i| tried[i])
    }
}

/// Dirichlet noise: the prior becomes `(1 - share) prior + share noise`. It is for self-play: a search that is sure
/// of itself would never see anything else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The parameter of the symmetric distribution.
    pub alpha: f64,
    pub share: f64,
}

impl Noise {
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
fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    1.0 - rng.random::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    use rand::SeedableRng as _;

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
