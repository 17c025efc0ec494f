//! Learning the evaluation from finished games.
//!
//! Cross-entropy between the shares by score at the end of a game and those that the network expects of its positions, minimised
//! by [`Adam`] with a rate that falls to a twentieth.

use games::blokus::{Board, Placement, SEATS};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::evaluation::{BIAS, Evaluation, EvaluationRow, FIRST_OUT, UNITS};
use super::search::Shaping;
use super::survey::{INPUTS, Inputs, KINDS, ZONES};
use super::{BestPlan, survey};
use crate::blokus::RowPlayout;
use crate::learning::{Adam, Course, Passes, bytes_of};
use crate::self_play::Record;

/// Positions before this ply say nothing: each seat has yet to make its first move.
const FIRST_PLY: usize = 3;

/// A position, and the shares by score at the end of its game.
#[derive(Clone, Debug)]
pub struct Lesson {
    board: Board,
    target: [f32; SEATS],
}

impl Lesson {
    /// Adds the positions of a game.
    ///
    /// # Errors
    /// If one of its moves is illegal.
    pub fn of(record: &Record, out: &mut Vec<Lesson>) -> Result<(), String> {
        let target = shaping().rewards(record.scores).map(|share| share as f32);
        let mut board = Board::new();
        for (number, ply) in record.plies.iter().enumerate() {
            let mv = Placement::new(ply.mv).filter(|&mv| board.play(mv).is_ok());
            let Some(_) = mv else {
                return Err(format!("ply {number} of game {} is no move", record.id));
            };
            if number >= FIRST_PLY && board.to_move().is_some() {
                out.push(Lesson { board, target });
            }
        }
        Ok(())
    }
}

fn shaping() -> Shaping {
    let plan = BestPlan::default();
    Shaping::new(1.0, plan.score_scale)
}

/// How well shares are predicted. Except for `loss`, errors are mean sums of the squared differences from the shares at the end,
/// 0 to 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fit {
    /// Positions.
    pub positions: u64,
    /// Mean cross-entropy of the network, in nats.
    pub loss: f64,
    /// Error of the network.
    pub network: f64,
    /// Error of the mean of some playouts.
    pub playouts: f64,
    /// Error of a quarter for each seat.
    pub quarters: f64,
}

impl Fit {
    /// The fit of a network, as [`Trainer::to_bytes`] gives it, beside that of so many playouts, by stretches of 12 plies.
    ///
    /// # Errors
    /// If the bytes are no network.
    pub fn of(
        network: &[u8],
        lessons: &[Lesson],
        playouts: u32,
        seed: u64,
    ) -> Result<Vec<Fit>, String> {
        let evaluation = Evaluation::from_bytes(network)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut playout = RowPlayout::new(BestPlan::default().epsilon);
        let (shaping, mut inputs) = (shaping(), Default::default());
        let mut fits: Vec<Fit> = Vec::new();
        for Lesson { board, target } in lessons {
            let stretch = usize::from(board.ply() / 12);
            if fits.len() <= stretch {
                fits.resize(stretch + 1, Fit::default());
            }
            let logs = evaluation.log_shares(board, &mut inputs);
            let mut means = [0.0; SEATS];
            for _ in 0..playouts {
                let rewards = shaping.rewards(playout.scores(board, &mut rng));
                for (mean, reward) in means.iter_mut().zip(rewards) {
                    *mean += reward as f32 / playouts as f32;
                }
            }
            let square = |shares: [f32; SEATS]| -> f64 {
                let pairs = shares.iter().zip(target);
                pairs.map(|(a, b)| f64::from((a - b).powi(2))).sum()
            };
            let fit = &mut fits[stretch];
            fit.positions += 1;
            fit.loss -= f64::from(logs.iter().zip(target).map(|(log, t)| t * log).sum::<f32>());
            fit.network += square(logs.map(f32::exp));
            fit.playouts += square(means);
            fit.quarters += square([0.25; SEATS]);
        }
        for fit in &mut fits {
            let n = fit.positions.max(1) as f64;
            for sum in [
                &mut fit.loss,
                &mut fit.network,
                &mut fit.playouts,
                &mut fit.quarters,
            ] {
                *sum /= n;
            }
        }
        Ok(fits)
    }
}

/// A learner. In addition to the rows of an [`Evaluation`] it has a row for each kind of squares, which is added to the rows of all
/// zones of that kind: so it learns at once what is true of a kind everywhere.
pub struct Trainer {
    /// The rows of the network without the shared rows, then the shared rows.
    rows: Vec<EvaluationRow>,
    steps: Adam,
    course: Course,
}

impl Trainer {
    /// With small random numbers.
    pub fn new(plan: Passes) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
        let mut network = Evaluation::zero();
        for row in &mut network.rows {
            row[..UNITS - 1].fill_with(|| rng.random_range(-0.05..0.05));
        }
        network.rows[BIAS][..UNITS - 1].fill(0.1);
        let mut rows = network.rows;
        let count = rows.len() + KINDS;
        rows.resize(count, [0.0; UNITS]);
        Self {
            steps: Adam::new(count * UNITS, [0.9, 0.999]),
            rows,
            course: Course { plan, rng },
        }
    }

    /// Learns. After each step `progress` gets the number of steps done, that of all steps, and the mean recent loss.
    pub fn train(&mut self, lessons: &mut [Lesson], progress: impl FnMut(u64, u64, f64)) {
        Course::run(
            self,
            |learner| &mut learner.course,
            Self::step,
            lessons,
            progress,
        );
    }

    /// Learns from some positions; returns their mean loss.
    fn step(&mut self, part: &[Lesson], rate: f32) -> f64 {
        let network = self.network();
        let mut slopes = vec![[0.0; UNITS]; self.rows.len()];
        let mut inputs: [Inputs; SEATS] = Default::default();
        let mut loss = 0.0;
        for Lesson { board, target } in part {
            let logs = network.log_shares(board, &mut inputs);
            for ((inputs, log), target) in inputs.iter().zip(logs).zip(target) {
                loss -= f64::from(target * log);
                let slope = target - log.exp();
                add_slopes(&mut slopes, &network, inputs, survey::stage(board), slope);
            }
        }
        let (own, shared) = slopes.split_at_mut(network.rows.len());
        for (zones, shared) in own.chunks_exact(ZONES).zip(shared) {
            for row in zones {
                shared.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
        }
        let scale = 1.0 / part.len() as f32;
        let numbers = self.rows.as_flattened_mut();
        self.steps.step(numbers, slopes.as_flattened(), scale, rate);
        loss / part.len() as f64
    }

    fn network(&self) -> Evaluation {
        let mut network = Evaluation::zero();
        let count = network.rows.len();
        let (own, shared) = self.rows.split_at(count);
        network.rows.copy_from_slice(own);
        for (zones, shared) in network.rows.chunks_exact_mut(ZONES).zip(shared) {
            for row in zones {
                row.iter_mut().zip(shared).for_each(|(x, more)| *x += more);
            }
        }
        network
    }

    /// The network, as [`Evaluation::from_bytes`] reads it; numbers beyond 8 are cut to it.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes_of(self.network().rows.as_flattened())
    }
}

/// Adds the slopes of the logit of a seat, times `slope`.
fn add_slopes(
    slopes: &mut [EvaluationRow],
    network: &Evaluation,
    inputs: &Inputs,
    stage: usize,
    slope: f32,
) {
    let sums = network.sums(inputs);
    let out = &network.rows[FIRST_OUT + stage];
    let outer = &mut slopes[FIRST_OUT + stage];
    let mut back = [0.0; UNITS];
    for unit in 0..UNITS - 1 {
        if sums[unit] > 0.0 {
            back[unit] = slope * out[unit];
            outer[unit] += slope * sums[unit];
        }
    }
    back[UNITS - 1] = slope;
    for &(input, value) in inputs.iter().chain([&(BIAS as u16, 1.0)]) {
        let row = &mut slopes[usize::from(input)];
        row.iter_mut().zip(&back).for_each(|(x, b)| *x += value * b);
    }
}

const _: () = assert!(KINDS * ZONES <= INPUTS, "the squares come first");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::arena::opening;

    fn trainer() -> Trainer {
        Trainer::new(Passes {
            passes: 1,
            batch: 8,
            rate: 0.001,
            seed: 1,
        })
    }

    #[test]
    fn slopes_are_differences() {
        let network = trainer().network();
        let board = opening(30, 5);
        let mut inputs: [Inputs; SEATS] = Default::default();
        network.log_shares(&board, &mut inputs);
        let (inputs, stage) = (&inputs[2], survey::stage(&board));
        let mut slopes = vec![[0.0; UNITS]; network.rows.len()];
        add_slopes(&mut slopes, &network, inputs, stage, 1.0);
        let rows = [usize::from(inputs[3].0), BIAS, FIRST_OUT + stage];
        for (row, unit) in rows
            .into_iter()
            .flat_map(|row| [(row, 0), (row, 5), (row, 30)])
        {
            let at = |change: f32| {
                let mut network = network.clone();
                network.rows[row][unit] += change;
                network.output(&network.sums(inputs), stage)
            };
            let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
            let due = slopes[row][unit];
            assert!(
                (slope - due).abs() < 0.02 + 0.02 * due.abs(),
                "{row} {unit}: {slope} {due}"
            );
        }
    }

    /// The network learns a few positions by heart, and the file has what it has learned.
    #[test]
    fn a_network_learns_what_it_is_told() {
        let lesson = |seed: u64| Lesson {
            board: opening(20, seed),
            target: std::array::from_fn(|seat| if seed % 4 == seat as u64 { 0.7 } else { 0.1 }),
        };
        let mut lessons: Vec<Lesson> = (0..16).map(lesson).collect();
        let mut trainer = trainer();
        trainer.course.plan.passes = 400;
        let mut losses = Vec::new();
        trainer.train(&mut lessons, |_, _, loss| losses.push(loss));
        assert_eq!(losses.len(), 800);
        let fits = Fit::of(&trainer.to_bytes(), &lessons, 1, 1).expect("a network");
        let fit = fits[1];
        assert_eq!(fit.positions, 16);
        assert!(fit.network < 0.01 && fit.quarters > 0.2, "{fit:?}");
        // The entropy of the targets is 0.94 nats.
        assert!(losses[0] > 1.2 && fit.loss < 1.0, "{} {fit:?}", losses[0]);
    }
}
