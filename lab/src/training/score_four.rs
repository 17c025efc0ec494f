//! The evaluation of 3D four-in-a-row, learned from positions with values: cross-entropy of the logit of seat 0's win.

use bots::score_four::best::network::{
    INPUTS, NUMBERS, ONE, PHASES, STAGES, UNITS, ValueNetwork, WEIGHT_ONE, inputs, phase, stage,
};
use games::score_four::Symmetry;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Model, Passes, Trainer};
use crate::score_four::Sample;

/// Numbers of a row of the first layer.
const WIDTH: usize = UNITS + PHASES;
/// The second layer learns faster by this factor.
const SECOND: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
pub struct ValueFit {
    /// Mean cross-entropy, in nats.
    pub loss: f64,
    /// Share of the decided positions whose winner is expected to win.
    pub right: f64,
}

impl ValueFit {
    /// Of a network as [`Evaluation::to_bytes`] gives it; `None` if the bytes are no network.
    pub fn of(network: &[u8], samples: &[Sample]) -> Option<Self> {
        let network = ValueNetwork::of(network)?;
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

const SECOND_AT: usize = (INPUTS + 1) * WIDTH;
const CONSTANTS_AT: usize = SECOND_AT + STAGES * UNITS;

/// An evaluation in training, in numbers of the order of a file: rows, bias, second layer, constants.
#[derive(Clone, Debug)]
pub struct Evaluation(Vec<f32>);

impl Evaluation {
    pub fn new(seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut numbers = vec![0.0; NUMBERS];
        for row in numbers[..INPUTS * WIDTH].chunks_exact_mut(WIDTH) {
            row[..UNITS].fill_with(|| rng.random_range(-0.05..0.05));
        }
        numbers[INPUTS * WIDTH..][..UNITS].fill(0.3);
        numbers[SECOND_AT..CONSTANTS_AT].fill_with(|| rng.random_range(-0.35..0.35));
        Evaluation(numbers)
    }

    /// The network as numbers of 16 bits, the low byte first, as the engine reads them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let scale = |at| match at {
            ..SECOND_AT => ONE,
            SECOND_AT..CONSTANTS_AT => SECOND * WEIGHT_ONE,
            _ => 1000.0,
        };
        let numbers = self.0.iter().enumerate();
        let rounded = numbers.map(|(at, number)| (number * scale(at)).round() as i16);
        rounded.flat_map(i16::to_le_bytes).collect()
    }
}

impl Model for Evaluation {
    type Lesson = Sample;

    fn zero(&self) -> Self {
        Evaluation(vec![0.0; NUMBERS])
    }

    fn parts(&mut self) -> Vec<&mut [f32]> {
        vec![&mut self.0]
    }

    fn add_slopes(&self, sample: &Sample, slopes: &mut Self) -> f64 {
        let balls = u32::from(sample.position.ply());
        let (phase, stage) = (phase(balls), stage(balls));
        let rows = || {
            let rows = inputs(&sample.position).chain([INPUTS]);
            rows.map(|row| row * WIDTH..(row + 1) * WIDTH)
        };
        let mut sums = [0.0; WIDTH];
        for row in rows() {
            let numbers = sums.iter_mut().zip(&self.0[row]);
            numbers.for_each(|(sum, number)| *sum += number);
        }
        let second = SECOND_AT + stage * UNITS;
        let weights = &self.0[second..second + UNITS];
        let units = sums.iter().zip(weights);
        let output: f32 = units.map(|(sum, w)| sum.clamp(0.0, 1.0) * w).sum();
        let logit = SECOND * output + sums[UNITS + phase] + self.0[CONSTANTS_AT + stage];
        let target = target(sample);
        let error = target - 1.0 / (1.0 + (-logit).exp());
        let mut back = [0.0; WIDTH];
        back[UNITS + phase] = error;
        for unit in 0..UNITS {
            slopes.0[second + unit] += SECOND * error * sums[unit].clamp(0.0, 1.0);
            if sums[unit] > 0.0 && sums[unit] < 1.0 {
                back[unit] = SECOND * error * weights[unit];
            }
        }
        slopes.0[CONSTANTS_AT + stage] += error;
        for row in rows() {
            let slopes = slopes.0[row].iter_mut().zip(&back);
            slopes.for_each(|(slope, back)| *slope += back);
        }
        f64::from(loss(logit, target))
    }
}

impl Trainer<Evaluation> {
    /// Learns from samples, in each pass under random symmetries of the board.
    pub fn train_samples(
        &mut self,
        samples: &mut [Sample],
        plan: &Passes,
        progress: impl FnMut(u64, u64, f64),
    ) {
        let turn = |samples: &mut [Sample], rng: &mut Xoshiro256PlusPlus| {
            for sample in samples {
                let symmetry = Symmetry::ALL[rng.random_range(0..Symmetry::ALL.len())];
                *sample = sample.transformed(symmetry);
            }
        };
        self.train(samples, plan, turn, progress);
    }
}

/// The chance of seat 0: 1 if it wins, 0.5 in a draw.
fn target(sample: &Sample) -> f32 {
    f32::midpoint(f32::from(sample.value), 1.0)
}

fn loss(logit: f32, target: f32) -> f32 {
    // ln(1 + e^x) without overflow.
    logit.max(0.0) + (-logit.abs()).exp().ln_1p() - target * logit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score_four::SampleGames;

    #[test]
    fn learning_lowers_the_loss_and_repeats_itself() {
        let mut play = SampleGames::new(200, 3);
        let mut samples: Vec<Sample> = (0..150).flat_map(|_| play.game()).collect();
        assert!(samples.len() > 800, "{}", samples.len());
        let values = [-1, 1].map(|value| samples.iter().filter(|s| s.value == value).count());
        assert!(values.iter().all(|&n| n > 100), "{values:?}");
        for &sample in &samples {
            assert_eq!(Sample::from_bytes(&sample.to_bytes()), Some(sample));
        }
        let plan = Passes {
            passes: 4,
            batch: 64,
            rate: 0.002,
            seed: 3,
        };
        let learned = |samples: &mut Vec<Sample>| {
            let mut trainer = Trainer::new(Evaluation::new(5));
            let loss = |bytes: &[u8]| ValueFit::of(bytes, samples).expect("a network").loss;
            let before = loss(&trainer.model.to_bytes());
            trainer.train_samples(&mut samples.clone(), &plan, |_, _, _| ());
            let bytes = trainer.model.to_bytes();
            assert!(loss(&bytes) < 0.9 * before);
            bytes
        };
        let again = learned(&mut samples.clone());
        assert!(learned(&mut samples) == again);
    }
}
