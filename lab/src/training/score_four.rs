//! Learning the network from positions with values.
//!
//! Cross-entropy of the logit of seat 0's win, minimised by [`Adam`] with a rate that falls along a cosine. Each pass sees each
//! position under a random symmetry of the board.

use games::score_four::Symmetry;
use rand::seq::SliceRandom as _;
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::network::{
    ACTIVE, INPUTS, NUMBERS, Network, ONE, PHASES, STAGES, UNITS, WEIGHT_ONE, inputs, phase, stage,
};
use super::samples::Sample;
use crate::learning::Adam;

/// Numbers of a row of the first layer.
const WIDTH: usize = UNITS + PHASES;
/// The second layer learns faster by this factor.
const SECOND: f32 = 4.0;
const WARM_UP: usize = 200;
/// Decay of the means of gradients and of their squares.
const MOMENTS: [f32; 2] = [0.9, 0.99];

/// How the network is learned.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Passes over the samples.
    pub epochs: u32,
    /// Samples of a step.
    pub batch: usize,
    /// The highest rate of learning.
    pub rate: f32,
    /// Seed.
    pub seed: u64,
}

/// How well a network predicts.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Mean cross-entropy, in nats.
    pub loss: f64,
    /// Share of the decided positions whose winner is expected to win.
    pub right: f64,
}

impl Fit {
    /// Of a network as [`Trainer::to_bytes`] gives it; `None` if the bytes are no network.
    pub fn of(network: &[u8], samples: &[Sample]) -> Option<Self> {
        let network = Network::of(network)?;
        let (mut sum, mut right, mut decided) = (0.0, 0_u64, 0_u64);
        for sample in samples {
            let balls = u32::from(sample.position.ply());
            let thousandths = network.value(&network.sums(&sample.position), balls);
            let logit = thousandths as f32 / 1000.0;
            sum += f64::from(loss(logit, target(sample)));
            if sample.value != 0 {
                decided += 1;
                right += u64::from((logit > 0.0) == (sample.value > 0));
            }
        }
        Some(Self {
            loss: sum / samples.len().max(1) as f64,
            right: right as f64 / decided.max(1) as f64,
        })
    }
}

/// A learner with its network, in numbers of the order of a file: rows, bias, second layer, constants.
pub struct Trainer {
    numbers: Vec<f32>,
    gradient: Vec<f32>,
    steps: Adam,
}

/// Where the second layer begins.
const SECOND_AT: usize = (INPUTS + 1) * WIDTH;
const CONSTANTS_AT: usize = SECOND_AT + STAGES * UNITS;

struct Seen {
    inputs: [u16; ACTIVE],
    count: usize,
    phase: usize,
    stage: usize,
    target: f32,
}

impl Seen {
    fn of(sample: &Sample) -> Self {
        let balls = u32::from(sample.position.ply());
        let mut seen = Self {
            inputs: [0; ACTIVE],
            count: 0,
            phase: phase(balls),
            stage: stage(balls),
            target: target(sample),
        };
        for input in inputs(&sample.position) {
            seen.inputs[seen.count] = input as u16;
            seen.count += 1;
        }
        seen
    }

    /// First numbers of the rows of the first layer that it sums, the bias among them.
    fn rows(&self) -> impl Iterator<Item = usize> {
        let inputs = self.inputs[..self.count].iter();
        let rows = inputs.map(|&input| usize::from(input));
        rows.chain([INPUTS]).map(|row| row * WIDTH)
    }

    fn second(&self) -> usize {
        SECOND_AT + self.stage * UNITS
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Trainer {
    /// Small random numbers.
    pub fn new(seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut numbers = vec![0.0; NUMBERS];
        for row in numbers[..INPUTS * WIDTH].chunks_exact_mut(WIDTH) {
            row[..UNITS].fill_with(|| rng.random_range(-0.05..0.05));
        }
        numbers[INPUTS * WIDTH..][..UNITS].fill(0.3);
        numbers[SECOND_AT..CONSTANTS_AT].fill_with(|| rng.random_range(-0.35..0.35));
        Self {
            numbers,
            gradient: vec![0.0; NUMBERS],
            steps: Adam::new(NUMBERS, MOMENTS),
        }
    }

    /// The sums of the first layer and the logit.
    fn forward(&self, seen: &Seen) -> ([f32; WIDTH], f32) {
        let mut sums = [0.0; WIDTH];
        for row in seen.rows() {
            let numbers = &self.numbers[row..row + WIDTH];
            sums.iter_mut().zip(numbers).for_each(|(sum, n)| *sum += n);
        }
        let weights = &self.numbers[seen.second()..][..UNITS];
        let units = sums.iter().zip(weights);
        let second: f32 = units.map(|(sum, w)| sum.clamp(0.0, 1.0) * w).sum();
        let constant = self.numbers[CONSTANTS_AT + seen.stage];
        (sums, SECOND * second + sums[UNITS + seen.phase] + constant)
    }

    /// Adds the gradient of a position; returns its loss.
    fn backward(&mut self, seen: &Seen) -> f32 {
        let (sums, logit) = self.forward(seen);
        let error = sigmoid(logit) - seen.target;
        let mut change = [0.0; WIDTH];
        change[UNITS + seen.phase] = error;
        let at = seen.second();
        for unit in 0..UNITS {
            self.gradient[at + unit] += SECOND * error * sums[unit].clamp(0.0, 1.0);
            if sums[unit] > 0.0 && sums[unit] < 1.0 {
                change[unit] = SECOND * error * self.numbers[at + unit];
            }
        }
        self.gradient[CONSTANTS_AT + seen.stage] += error;
        for row in seen.rows() {
            let gradient = &mut self.gradient[row..row + WIDTH];
            gradient.iter_mut().zip(&change).for_each(|(g, c)| *g += c);
        }
        loss(logit, seen.target)
    }

    /// Learns; `progress` is told of each step with the number of steps in all and the mean loss of late.
    pub fn train(
        &mut self,
        samples: &mut [Sample],
        schedule: &Schedule,
        mut progress: impl FnMut(u64, u64, f64),
    ) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(schedule.seed);
        let batch = schedule.batch.clamp(1, samples.len().max(1));
        let steps = schedule.epochs as usize * samples.len().div_ceil(batch);
        let (mut done, mut late) = (0_u32, 0.0);
        for _ in 0..schedule.epochs {
            samples.shuffle(&mut rng);
            for part in samples.chunks(batch) {
                let mut sum = 0.0;
                for sample in part {
                    let turned = sample.transformed(random_symmetry(&mut rng));
                    sum += self.backward(&Seen::of(&turned));
                }
                let share = done as f32 / steps as f32;
                let cosine = f32::midpoint((std::f32::consts::PI * share).cos(), 1.0);
                let rise = ((done + 1) as f32 / WARM_UP as f32).min(1.0);
                let rate = schedule.rate * (rise * cosine).max(0.005);
                // Downhill.
                let scale = -1.0 / part.len() as f32;
                self.steps
                    .step(&mut self.numbers, &self.gradient, scale, rate);
                self.gradient.fill(0.0);
                let mean = f64::from(sum) / part.len() as f64;
                done += 1;
                late += (mean - late) * f64::max(0.01, 1.0 / f64::from(done));
                progress(u64::from(done), steps as u64, late);
            }
        }
    }

    /// The network as numbers of 16 bits, the low byte first, as the engine reads them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let scale = |at| match at {
            ..SECOND_AT => ONE,
            SECOND_AT..CONSTANTS_AT => SECOND * WEIGHT_ONE,
            _ => 1000.0,
        };
        let numbers = self.numbers.iter().enumerate();
        let rounded = numbers.map(|(at, number)| (number * scale(at)).round() as i16);
        rounded.flat_map(i16::to_le_bytes).collect()
    }
}

/// The chance of seat 0: 1 if it wins, 0.5 in a draw.
fn target(sample: &Sample) -> f32 {
    f32::midpoint(f32::from(sample.value), 1.0)
}

/// The cross-entropy of a logit.
fn loss(logit: f32, target: f32) -> f32 {
    // ln(1 + e^x) without overflow.
    logit.max(0.0) + (-logit.abs()).exp().ln_1p() - target * logit
}

fn random_symmetry(rng: &mut impl Rng) -> Symmetry {
    Symmetry::ALL[rng.random_range(0..Symmetry::ALL.len())]
}
