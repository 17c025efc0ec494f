//! Networks of one hidden layer over inputs that are on or off, for policies that judge each move by what it changes.
//!
//! The sums of the hidden layer are those of the situation, and each move adds and removes some rows. The last unit has no
//! `ReLU`: its sum is part of the output, so a network contains a linear policy.

use rand::{Rng, RngExt as _};

/// Units of a network; the last one is its linear part.
pub const UNITS: usize = 64;

#[derive(Clone, Copy, Debug)]
struct MoveRows {
    /// The rows of the situation are not part of it.
    whole: bool,
    removed: u32,
    end: u32,
}

/// The active inputs of a decision and of each of its moves: first the rows of the situation, then for each move those that it
/// adds and those that it removes.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    rows: Vec<u16>,
    situation: usize,
    choices: Vec<MoveRows>,
}

pub(crate) struct Change<'a> {
    /// The rows of the situation are not part of it.
    pub(crate) whole: bool,
    pub(crate) added: &'a [u16],
    pub(crate) removed: &'a [u16],
}

impl Inputs {
    pub fn clear(&mut self) {
        self.rows.clear();
        self.choices.clear();
    }

    /// Adds a row to what is being written.
    #[inline]
    pub fn push(&mut self, row: usize) {
        self.rows.push(row as u16);
    }

    /// Ends the rows of the situation; those of the moves follow.
    pub fn end_situation(&mut self) {
        self.situation = self.rows.len();
    }

    /// Ends a move, of which `removed` rows were written last; a `whole` one has the rows of the situation, too.
    pub fn end_move(&mut self, removed: usize, whole: bool) {
        let end = self.rows.len() as u32;
        self.choices.push(MoveRows {
            whole,
            removed: end - removed as u32,
            end,
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn situation(&self) -> &[u16] {
        &self.rows[..self.situation]
    }

    pub(crate) fn changes(&self) -> impl Iterator<Item = Change<'_>> {
        let mut begin = self.situation;
        self.choices.iter().map(move |choice| {
            let (removed, end) = (choice.removed as usize, choice.end as usize);
            let change = Change {
                whole: choice.whole,
                added: &self.rows[begin..removed],
                removed: &self.rows[removed..end],
            };
            begin = end;
            change
        })
    }
}

pub type HiddenSums = [f32; UNITS];

/// One step of a number in a file.
const STEP: f32 = 1.0 / 4096.0;

/// The network of the policy, and that of the value of a decision for its mover, over a game's number of inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Networks<const INPUTS: usize> {
    /// Its output for a move is the logit.
    pub policy: Network<INPUTS>,
    /// Its output for the situation is the value in 0..=1.
    pub value: Network<INPUTS>,
}

impl<const INPUTS: usize> Networks<INPUTS> {
    pub const INPUTS: usize = INPUTS;

    pub fn zero() -> Self {
        Networks {
            policy: Network::zero(),
            value: Network::zero(),
        }
    }

    /// Networks with small random numbers, which can begin to learn.
    pub fn random(rng: &mut impl Rng) -> Self {
        Networks {
            policy: Network::random(rng),
            value: Network::random(rng),
        }
    }

    /// Reads little-endian 16-bit numbers of steps of 1/4096: the rows of the policy, then those of the value.
    ///
    /// # Errors
    /// If their number is not that of two networks.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut networks = Networks::zero();
        let wanted = 2 * 2 * networks.policy.numbers().len();
        if bytes.len() != wanted {
            return Err(wrong_length(bytes.len(), wanted));
        }
        let (policy, value) = bytes.split_at(wanted / 2);
        numbers_of(policy, networks.policy.numbers_mut())?;
        numbers_of(value, networks.value.numbers_mut())?;
        Ok(networks)
    }

    /// The numbers as [`Self::from_bytes`] reads them; those beyond 8 are cut to it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = bytes_of(self.policy.numbers());
        bytes.extend(bytes_of(self.value.numbers()));
        bytes
    }
}

fn wrong_length(found: usize, wanted: usize) -> String {
    format!("{found} bytes where {wanted} are wanted")
}

/// Fills in numbers from little-endian 16-bit ones of steps of 1/4096.
///
/// # Errors
/// If there are more or fewer.
pub(crate) fn numbers_of(bytes: &[u8], numbers: &mut [f32]) -> Result<(), String> {
    let wanted = 2 * numbers.len();
    if bytes.len() != wanted {
        return Err(wrong_length(bytes.len(), wanted));
    }
    for (number, b) in numbers.iter_mut().zip(bytes.chunks_exact(2)) {
        *number = f32::from(i16::from_le_bytes([b[0], b[1]])) * STEP;
    }
    Ok(())
}

/// The bytes of numbers in a file; those beyond 8 are cut to it.
pub fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    let steps = numbers.iter().map(|number| (number / STEP).round() as i16);
    steps.flat_map(i16::to_le_bytes).collect()
}

/// A network with one hidden layer and a linear part: a row for each input, the bias, and the weights of the hidden units.
#[derive(Clone, Debug, PartialEq)]
pub struct Network<const INPUTS: usize>(Vec<[f32; UNITS]>);

impl<const INPUTS: usize> Network<INPUTS> {
    const BIAS: usize = INPUTS;
    const OUT: usize = INPUTS + 1;

    pub fn zero() -> Self {
        Network(vec![[0.0; UNITS]; INPUTS + 2])
    }

    /// All numbers: the rows of the inputs, the bias, the weights of the hidden units.
    pub fn numbers(&self) -> &[f32] {
        self.0.as_flattened()
    }

    pub fn numbers_mut(&mut self) -> &mut [f32] {
        self.0.as_flattened_mut()
    }

    fn random(rng: &mut impl Rng) -> Self {
        let mut network = Network::zero();
        for row in &mut network.0[..INPUTS] {
            row[..UNITS - 1].fill_with(|| rng.random_range(-0.1..0.1));
        }
        network.0[Self::BIAS][..UNITS - 1].fill(0.1);
        network.0[Self::OUT][..UNITS - 1].fill_with(|| rng.random_range(-0.05..0.05));
        network
    }

    pub fn scale(&mut self, factor: f32) {
        for row in &mut self.0 {
            row[UNITS - 1] *= factor;
        }
        for weight in &mut self.0[Self::OUT][..UNITS - 1] {
            *weight *= factor;
        }
    }

    fn add(&self, sums: &mut HiddenSums, rows: &[u16]) {
        for &row in rows {
            let row = &self.0[usize::from(row)];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
    }

    pub fn situation(&self, inputs: &Inputs) -> HiddenSums {
        let mut sums = self.0[Self::BIAS];
        self.add(&mut sums, inputs.situation());
        sums
    }

    pub(crate) fn after(&self, situation: &HiddenSums, change: &Change<'_>) -> HiddenSums {
        let mut sums = if change.whole {
            self.0[Self::BIAS]
        } else {
            *situation
        };
        self.add(&mut sums, change.added);
        for &row in change.removed {
            let row = &self.0[usize::from(row)];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum -= weight;
            }
        }
        sums
    }

    pub fn output(&self, sums: &HiddenSums) -> f32 {
        let out = &self.0[Self::OUT];
        let mut parts = [0.0; 8];
        for (sums, out) in sums.chunks_exact(8).zip(out.chunks_exact(8)) {
            for k in 0..8 {
                parts[k] += sums[k].max(0.0) * out[k];
            }
        }
        // The weight of the last unit is 0: it has no `ReLU`.
        parts.iter().sum::<f32>() + sums[UNITS - 1]
    }

    pub fn logits(&self, inputs: &Inputs, out: &mut Vec<f32>) {
        let situation = self.situation(inputs);
        out.clear();
        out.extend(
            inputs
                .changes()
                .map(|change| self.output(&self.after(&situation, &change))),
        );
    }

    /// Adds the gradient of one decision: `slopes` are those of the logits.
    pub fn add_gradient(&mut self, network: &Self, inputs: &Inputs, slopes: &[f32]) {
        let situation = network.situation(inputs);
        let mut shared = [0.0; UNITS];
        for (change, &slope) in inputs.changes().zip(slopes) {
            if slope.abs() < 1e-6 {
                continue;
            }
            let sums = network.after(&situation, &change);
            let back = self.back(network, &sums, slope);
            if !change.whole {
                for (sum, b) in shared.iter_mut().zip(&back) {
                    *sum += b;
                }
            }
            self.spread(change.added, &back);
            self.spread(change.removed, &back.map(|b| -b));
            if change.whole {
                self.spread(&[Self::BIAS as u16], &back);
            }
        }
        self.spread(inputs.situation(), &shared);
        self.spread(&[Self::BIAS as u16], &shared);
    }

    /// Adds the gradient of the output for the situation alone.
    pub fn add_gradient_of_value(&mut self, network: &Self, inputs: &Inputs, slope: f32) {
        let sums = network.situation(inputs);
        let back = self.back(network, &sums, slope);
        self.spread(inputs.situation(), &back);
        self.spread(&[Self::BIAS as u16], &back);
    }

    fn back(&mut self, network: &Self, sums: &HiddenSums, slope: f32) -> HiddenSums {
        let out = &network.0[Self::OUT];
        let mut back = [0.0; UNITS];
        for k in 0..UNITS - 1 {
            let is_on = f32::from(u8::from(sums[k] > 0.0));
            back[k] = slope * out[k] * is_on;
            self.0[Self::OUT][k] += slope * sums[k] * is_on;
        }
        back[UNITS - 1] = slope;
        back
    }

    fn spread(&mut self, rows: &[u16], back: &HiddenSums) {
        for &row in rows {
            for (weight, b) in self.0[usize::from(row)].iter_mut().zip(back) {
                *weight += b;
            }
        }
    }
}

pub fn likeliest(logits: &[f32]) -> usize {
    let mut best = 0;
    for (i, &logit) in logits.iter().enumerate() {
        if logit > logits[best] {
            best = i;
        }
    }
    best
}

/// Turns logits into the logarithms of the chances of their softmax.
pub fn to_log_chances(logits: &mut [f32]) {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|l| (l - top).exp()).sum();
    let log_sum = top + sum.ln();
    for logit in logits {
        *logit -= log_sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn gradients_are_differences() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut network = Network::<9>::random(&mut rng);
        let mut inputs = Inputs::default();
        for row in [0, 1, 2] {
            inputs.push(row);
        }
        inputs.end_situation();
        // A move that changes some rows, one that changes none, and one with rows of its own.
        for row in [3, 4, 1] {
            inputs.push(row);
        }
        inputs.end_move(1, false);
        inputs.end_move(0, false);
        for row in [5, 6] {
            inputs.push(row);
        }
        inputs.end_move(0, true);
        let slopes = [1.0, 0.7, -0.4];
        let weighed = |network: &Network<9>| {
            let mut logits = Vec::new();
            network.logits(&inputs, &mut logits);
            let products = logits.iter().zip(&slopes).map(|(l, s)| f64::from(l * s));
            products.sum::<f64>()
        };
        let mut gradient = Network::zero();
        gradient.add_gradient(&network, &inputs, &slopes);
        for row in 0..11 {
            for unit in [0, 7, UNITS - 1] {
                if row == Network::<9>::OUT && unit == UNITS - 1 {
                    continue;
                }
                let before = network.0[row][unit];
                let mut at = |x: f32| {
                    network.0[row][unit] = before + x;
                    weighed(&network)
                };
                let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
                at(0.0);
                let due = f64::from(gradient.0[row][unit]);
                assert!(
                    (slope - due).abs() < 0.03 + 0.03 * due.abs(),
                    "{row} {unit}: {slope} {due}"
                );
            }
        }
    }

    #[test]
    fn a_scaled_network_has_scaled_outputs() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut network = Network::<9>::random(&mut rng);
        network.0[3][UNITS - 1] = 0.5;
        let mut inputs = Inputs::default();
        inputs.push(3);
        inputs.push(7);
        inputs.end_situation();
        let before = network.output(&network.situation(&inputs));
        network.scale(0.25);
        let after = network.output(&network.situation(&inputs));
        assert!((after - 0.25 * before).abs() < 1e-6, "{before} {after}");
    }

    #[test]
    fn networks_are_read_as_they_were_written() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let bytes = Networks::<9>::random(&mut rng).to_bytes();
        let networks = Networks::<9>::from_bytes(&bytes).unwrap();
        assert_eq!(networks.to_bytes(), bytes);
        let short = Networks::<9>::from_bytes(&bytes[2..]);
        assert!(short.is_err_and(|e| e.contains("bytes where")));
    }
}
