//! Learning to judge moves from what searches made of them.

use games::blokus::{Board, Placement};
use rand::Rng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::judge::{WEIGHTS, features, hand_made};

/// A position: the features of each move, and the share of the search's visits that the move had.
struct Sample {
    moves: Vec<(Vec<u16>, f32)>,
}

/// Softmax regression on the visits of searches, by stochastic gradient descent with the step of each
/// weight scaled by its past gradients (J. Duchi, E. Hazan and Y. Singer, "Adaptive subgradient methods",
/// JMLR 12 (2011) 2121-2159).
pub struct Imitation {
    weights: Vec<f32>,
    squares: Vec<f32>,
    samples: Vec<Sample>,
}

impl Imitation {
    /// From weights, or from those made by hand.
    pub fn new(weights: Option<Vec<f32>>) -> Self {
        let mut weights = weights.unwrap_or_else(hand_made);
        weights.resize(WEIGHTS, 0.0);
        Self {
            weights,
            squares: vec![1.0; WEIGHTS],
            samples: Vec::new(),
        }
    }

    /// Adds a position with the visits of its moves; a position without a choice is left out.
    pub fn add(&mut self, board: &Board, visits: &[(Placement, u64)]) {
        let total: u64 = visits.iter().map(|&(_, visits)| visits).sum();
        let mut all = Vec::new();
        features(board, &mut all);
        if total == 0 || all.len() < 2 {
            return;
        }
        let share = |mv: Placement| {
            let found = visits.iter().find(|&&(other, _)| other == mv);
            found.map_or(0.0, |&(_, visits)| visits as f32 / total as f32)
        };
        let moves = all.into_iter().map(|(mv, list)| (list, share(mv)));
        self.samples.push(Sample {
            moves: moves.collect(),
        });
    }

    /// Positions.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// One pass over all positions but the last tenth, in random order. Gives the mean cross-entropy on
    /// that tenth, in nats, and how often the likeliest move there is the most visited one.
    pub fn pass(&mut self, rate: f32, rng: &mut Xoshiro256PlusPlus) -> (f64, f64) {
        let learned = self.samples.len() - self.samples.len() / 10;
        let mut order: Vec<usize> = (0..learned).collect();
        for i in (1..learned).rev() {
            order.swap(i, rng.next_u64() as usize % (i + 1));
        }
        let mut gradient = vec![0.0_f32; WEIGHTS];
        for i in order {
            let sample = &self.samples[i];
            gradient.fill(0.0);
            for ((list, target), trust) in sample.moves.iter().zip(self.trust(sample)) {
                for &feature in list {
                    gradient[usize::from(feature)] += trust - target;
                }
            }
            let steps = self.weights.iter_mut().zip(&mut self.squares);
            for ((weight, square), slope) in steps.zip(&gradient) {
                if *slope != 0.0 {
                    *square += slope * slope;
                    *weight -= rate * slope / square.sqrt();
                }
            }
        }
        self.test(learned)
    }

    fn test(&self, first: usize) -> (f64, f64) {
        let (mut loss, mut hits) = (0.0, 0);
        let samples = &self.samples[first..];
        for sample in samples {
            let trust = self.trust(sample);
            let top = |values: &mut dyn Iterator<Item = f32>| {
                values
                    .enumerate()
                    .max_by(|a, b| a.1.total_cmp(&b.1))
                    .map(|best| best.0)
            };
            let targets = &mut sample.moves.iter().map(|(_, target)| *target);
            hits += u32::from(top(targets) == top(&mut trust.iter().copied()));
            for ((_, target), trust) in sample.moves.iter().zip(trust) {
                loss -= f64::from(*target) * f64::from(trust.max(1e-9).ln());
            }
        }
        let count = samples.len().max(1) as f64;
        (loss / count, f64::from(hits) / count)
    }

    /// What the weights make of the moves of a position: 1 in sum.
    fn trust(&self, sample: &Sample) -> Vec<f32> {
        let logit = |(list, _): &(Vec<u16>, f32)| {
            list.iter()
                .map(|&feature| self.weights[usize::from(feature)])
                .sum::<f32>()
        };
        let mut trust: Vec<f32> = sample.moves.iter().map(logit).collect();
        let top = trust.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for value in &mut trust {
            *value = (*value - top).exp();
        }
        let total: f32 = trust.iter().sum();
        for value in &mut trust {
            *value /= total;
        }
        trust
    }

    /// The weights as they are now.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}
