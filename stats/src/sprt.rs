//! A sequential test of two hypotheses about the mean score of a block.

use serde::{Deserialize, Serialize};

/// What is tested: that the mean score of a block is `s0`, or `s1`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hypotheses {
    /// Mean score under the first hypothesis, in (0, 1).
    pub s0: f64,
    /// Mean score under the second, above `s0`.
    pub s1: f64,
    /// Chance of accepting the second when the first is true.
    #[serde(default = "five_percent")]
    pub alpha: f64,
    /// Chance of accepting the first when the second is true.
    #[serde(default = "five_percent")]
    pub beta: f64,
}

const fn five_percent() -> f64 {
    0.05
}

impl Hypotheses {
    /// The mean scores of two seats that belong to these rating differences.
    pub fn of_ratings(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Hypotheses {
        let score = |elo: f64| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
        Hypotheses {
            s0: score(elo0),
            s1: score(elo1),
            alpha,
            beta,
        }
    }

    /// Wald's bounds of the logarithm of the likelihood ratio: below the first `s0`, above the second `s1` is
    /// accepted.
    pub fn bounds(&self) -> [f64; 2] {
        [
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        ]
    }
}

/// What a test has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It goes on.
    Open,
    /// The mean is `s0`.
    Lower,
    /// The mean is `s1`.
    Higher,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    /// Any distribution over the few scores that there are.
    Multinomial,
    Normal,
}

/// A test in progress. Feed it blocks in the order of the schedule: a verdict holds once it has fallen, whatever
/// comes later.
#[derive(Clone, Debug)]
pub struct Sprt {
    hypotheses: Hypotheses,
    model: Model,
    /// Different scores of blocks and how often they came up; for the normal ratio nothing.
    scores: Vec<(f64, f64)>,
    blocks: u64,
    /// Mean of the scores, and the sum of the squares of what they differ from it.
    mean: f64,
    squares: f64,
    ratio: f64,
    verdict: Verdict,
}

impl Sprt {
    /// Blocks before which no verdict falls: variances of fewer are worth nothing.
    pub const LEAST_BLOCKS: u64 = 16;

    /// A test of pairs of games for two, whose scores are five: 0, 1/4, 1/2, 3/4 and 1.
    pub const fn pentanomial(hypotheses: Hypotheses) -> Sprt {
        Sprt::of(hypotheses, Model::Multinomial)
    }

    /// A test of blocks with many different scores, whose means are about normal.
    pub const fn normal(hypotheses: Hypotheses) -> Sprt {
        Sprt::of(hypotheses, Model::Normal)
    }

    const fn of(hypotheses: Hypotheses, model: Model) -> Sprt {
        Sprt {
            hypotheses,
            model,
            scores: Vec::new(),
            blocks: 0,
            mean: 0.0,
            squares: 0.0,
            ratio: 0.0,
            verdict: Verdict::Open,
        }
    }

    /// Takes the mean score of the next block, 0 to 1, and decides.
    pub fn add(&mut self, score: f64) -> Verdict {
        self.take(score);
        self.decide()
    }

    /// Takes the mean score of the next block, 0 to 1. No verdict falls by that.
    pub fn take(&mut self, score: f64) {
        if self.verdict != Verdict::Open {
            return;
        }
        self.blocks += 1;
        match self.model {
            Model::Multinomial => self.count(score),
            Model::Normal => self.average(score),
        }
        if self.blocks >= Self::LEAST_BLOCKS {
            self.ratio = match self.model {
                Model::Multinomial => self.multinomial_ratio(),
                Model::Normal => self.normal_ratio(),
            };
        }
    }

    /// Decides by what has been taken, if that is enough.
    pub fn decide(&mut self) -> Verdict {
        if self.verdict != Verdict::Open || self.blocks < Self::LEAST_BLOCKS {
            return self.verdict;
        }
        let [low, high] = self.hypotheses.bounds();
        if self.ratio <= low {
            self.verdict = Verdict::Lower;
        } else if self.ratio >= high {
            self.verdict = Verdict::Higher;
        }
        self.verdict
    }

    /// What it has come to.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Blocks until the verdict, or until now.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The logarithm of the likelihood ratio of `s1` to `s0`; `None` before [`Sprt::LEAST_BLOCKS`].
    pub fn ratio(&self) -> Option<f64> {
        (self.blocks >= Self::LEAST_BLOCKS).then_some(self.ratio)
    }

    fn count(&mut self, score: f64) {
        let alike = |(known, _): &&mut (f64, f64)| (*known - score).abs() < 1e-9;
        match self.scores.iter_mut().find(alike) {
            Some((_, count)) => *count += 1.0,
            None => self.scores.push((score, 1.0)),
        }
    }

    /// B. P. Welford, Technometrics 4 (1962) 419-420.
    fn average(&mut self, score: f64) {
        let delta = score - self.mean;
        self.mean += delta / self.blocks as f64;
        self.squares += delta * (score - self.mean);
    }

    fn multinomial_ratio(&self) -> f64 {
        let Hypotheses { s0, s1, .. } = self.hypotheses;
        // A little of each end keeps every mean possible: both hypotheses lie within what has been seen.
        let total = self.blocks as f64 + 2.0 * EPSILON;
        let ends = [(0.0, EPSILON), (1.0, EPSILON)];
        let all = self.scores.iter().copied().chain(ends);
        let shares: Vec<(f64, f64)> = all.map(|(score, n)| (score, n / total)).collect();
        total * (log_likelihood(&shares, s1) - log_likelihood(&shares, s0))
    }

    fn normal_ratio(&self) -> f64 {
        let Hypotheses { s0, s1, .. } = self.hypotheses;
        let n = self.blocks as f64;
        let variance = (self.squares / n).max(LEAST_VARIANCE);
        // Generalised for an unknown variance: that of each hypothesis is its own maximum.
        let about = |s: f64| variance + (self.mean - s).powi(2);
        n / 2.0 * (about(s0) / about(s1)).ln()
    }
}

/// Scores that are all alike have a variance too, or one of them would prove a hypothesis.
const LEAST_VARIANCE: f64 = 1e-6;

/// Blocks at each end that are added in thought.
const EPSILON: f64 = 1e-3;

/// The largest mean log likelihood of one block, up to a constant, among the multinomials with mean `s`: their chances
/// are p / (1 + x (score - s)), where `x` makes the mean right.
fn log_likelihood(shares: &[(f64, f64)], s: f64) -> f64 {
    let excess = |x: f64| -> f64 {
        shares
            .iter()
            .map(|&(score, p)| p * (score - s) / (1.0 + x * (score - s)))
            .sum()
    };
    // All chances are positive between these; the excess falls from +infinity to -infinity.
    let (mut low, mut high) = (-1.0 / (1.0 - s), 1.0 / s);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    shares
        .iter()
        .map(|&(score, p)| -p * (1.0 + x * (score - s)).ln())
        .sum()
}
