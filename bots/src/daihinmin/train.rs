//! Fitting the playout policy to the choices of a search: maximum likelihood of a softmax.

use std::sync::{Arc, Mutex};

use games::daihinmin::{Cards, Meld, View};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Engine;
use super::features::{Active, FEATURES, NONE, Situation, features};
use super::policy::{Weights, policy_moves};

/// One decision: the active features of each move, and the move that was chosen.
#[derive(Clone, Debug)]
pub struct Sample {
    moves: Vec<Active>,
    chosen: usize,
}

/// An engine whose decisions are kept as samples.
pub struct Recorder {
    engine: Box<dyn Engine>,
    samples: Arc<Mutex<Vec<Sample>>>,
}

impl Recorder {
    /// Wraps an engine; its decisions among several moves go to `samples`.
    pub fn new(engine: Box<dyn Engine>, samples: Arc<Mutex<Vec<Sample>>>) -> Recorder {
        Recorder { engine, samples }
    }
}

impl Engine for Recorder {
    fn choose(&mut self, view: &View) -> Meld {
        let meld = self.engine.choose(view);
        let mut moves = Vec::new();
        policy_moves(&view.table, view.hand, &mut moves);
        let goes_out = moves.iter().any(|m| u32::from(m.len()) == view.hand.len());
        if let Some(chosen) = moves.iter().position(|&m| m == meld)
            && moves.len() > 1
            && !goes_out
        {
            let s = Situation::new(&view.table, view.hand, view.unseen(), view.counts);
            let moves = moves.iter().map(|&m| features(&s, m)).collect();
            if let Ok(mut samples) = self.samples.lock() {
                samples.push(Sample { moves, chosen });
            }
        }
        meld
    }

    fn gift(&mut self, view: &View, n: u32) -> Cards {
        self.engine.gift(view, n)
    }

    fn game_begins(&mut self, view: &View) {
        self.engine.game_begins(view);
    }

    fn observe(&mut self, before: &View, meld: Meld) {
        self.engine.observe(before, meld);
    }
}

/// Mean negative log likelihood (nats) and the share of decisions whose likeliest move is the
/// chosen one.
pub fn evaluate(weights: &Weights, samples: &[Sample]) -> (f64, f64) {
    let mut loss = 0.0;
    let mut hits = 0;
    for sample in samples {
        let logits: Vec<f32> = sample.moves.iter().map(|m| weights.logit(m)).collect();
        let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = logits.iter().map(|l| (l - top).exp()).sum();
        loss += f64::from(top + sum.ln() - logits[sample.chosen]);
        let likeliest = logits.iter().position(|&l| l >= top);
        hits += usize::from(likeliest == Some(sample.chosen));
    }
    (
        loss / samples.len() as f64,
        hits as f64 / samples.len() as f64,
    )
}

/// Fits weights by stochastic gradient ascent on the log likelihood, with the step sizes of `AdaGrad`
/// (Duchi, Hazan, Singer 2011) and a small pull to zero.
pub fn fit(weights: &mut Weights, samples: &[Sample], epochs: u32, seed: u64) {
    const RATE: f32 = 0.08;
    const DECAY: f32 = 2e-6;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut squares = vec![1.0_f32; FEATURES];
    let mut order: Vec<usize> = (0..samples.len()).collect();
    for _ in 0..epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, (rng.next_u64() % (i as u64 + 1)) as usize);
        }
        for &i in &order {
            let sample = &samples[i];
            let logits: Vec<f32> = sample.moves.iter().map(|m| weights.logit(m)).collect();
            let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f32 = logits.iter().map(|l| (l - top).exp()).sum();
            let w = weights.values_mut();
            for (k, active) in sample.moves.iter().enumerate() {
                let chance = (logits[k] - top).exp() / sum;
                let slope = f32::from(u8::from(k == sample.chosen)) - chance;
                for &f in active.iter().filter(|&&f| f != NONE) {
                    let f = usize::from(f);
                    let g = slope - DECAY * w[f];
                    squares[f] += g * g;
                    w[f] += RATE * g / squares[f].sqrt();
                }
            }
        }
    }
}
