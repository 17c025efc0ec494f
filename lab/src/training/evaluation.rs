//! The evaluation of Blokus, learned from finished games: cross-entropy between the shares by score at the end of a game and
//! those that the network expects of its positions.

use bots::blokus::best::evaluation::{BIAS, Evaluation, EvaluationRow, FIRST_OUT, UNITS};
use bots::blokus::best::survey::{INPUTS, KINDS, SeatInputs, ZONES, stage};
use bots::learning::bytes_of;
use games::blokus::{Board, Placement, SEATS};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Model;
use crate::self_play::Record;

/// Positions before this ply say nothing: each seat has yet to make its first move.
const FIRST_PLY: usize = 3;
/// Points of difference by which the share of a score changes by a factor of e.
const SCORE_SCALE: f64 = 6.0;

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
        let target = shares(record.scores);
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

fn shares(scores: [i16; SEATS]) -> [f32; SEATS] {
    let best = scores.into_iter().max().unwrap_or_default();
    let weights = scores.map(|score| (f64::from(score - best) / SCORE_SCALE).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| (weight / sum) as f32)
}

/// How well shares are predicted. Except for `loss`, errors are mean sums of the squared differences from the shares at the end,
/// 0 to 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShareFit {
    pub positions: u64,
    /// Mean cross-entropy of the network, in nats.
    pub loss: f64,
    pub network: f64,
    pub quarters: f64,
}

impl ShareFit {
    /// The fit of a network, as [`SharedRows::to_bytes`] gives it, by stretches of 12 plies.
    ///
    /// # Errors
    /// If the bytes are no network.
    pub fn of(network: &[u8], lessons: &[Lesson]) -> Result<Vec<ShareFit>, String> {
        let evaluation = Evaluation::from_bytes(network)?;
        let mut inputs = Default::default();
        let mut fits: Vec<ShareFit> = Vec::new();
        for Lesson { board, target } in lessons {
            let stretch = usize::from(board.ply() / 12);
            if fits.len() <= stretch {
                fits.resize(stretch + 1, ShareFit::default());
            }
            let logs = evaluation.log_shares(board, &mut inputs);
            let square = |shares: [f32; SEATS]| -> f64 {
                let pairs = shares.iter().zip(target);
                pairs.map(|(a, b)| f64::from((a - b).powi(2))).sum()
            };
            let fit = &mut fits[stretch];
            fit.positions += 1;
            fit.loss -= f64::from(logs.iter().zip(target).map(|(log, t)| t * log).sum::<f32>());
            fit.network += square(logs.map(f32::exp));
            fit.quarters += square([0.25; SEATS]);
        }
        for fit in &mut fits {
            let n = fit.positions.max(1) as f64;
            for sum in [&mut fit.loss, &mut fit.network, &mut fit.quarters] {
                *sum /= n;
            }
        }
        Ok(fits)
    }
}

/// An evaluation in training. In addition to the rows of an [`Evaluation`] it has a row for each kind of squares, which is added to
/// the rows of all zones of that kind: so it learns at once what is true of a kind everywhere.
#[derive(Debug)]
pub struct SharedRows {
    /// The rows of the network without the shared rows, then the shared rows.
    rows: Vec<EvaluationRow>,
    network: Evaluation,
}

impl SharedRows {
    pub fn new(seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut network = Evaluation::zero();
        for row in &mut network.rows {
            row[..UNITS - 1].fill_with(|| rng.random_range(-0.05..0.05));
        }
        network.rows[BIAS][..UNITS - 1].fill(0.1);
        let mut rows = network.rows.clone();
        rows.resize(rows.len() + KINDS, [0.0; UNITS]);
        SharedRows { rows, network }
    }

    /// The network, as [`Evaluation::from_bytes`] reads it; numbers beyond 8 are cut to it.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes_of(self.network.rows.as_flattened())
    }

    /// Adds the slopes of the logit of a seat, times `slope`.
    fn add_logit(
        &self,
        inputs: &SeatInputs,
        stage: usize,
        slope: f32,
        slopes: &mut [EvaluationRow],
    ) {
        let sums = self.network.sums(inputs);
        let out = &self.network.rows[FIRST_OUT + stage];
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
            let input = usize::from(input);
            let shared = (input < KINDS * ZONES).then(|| self.network.rows.len() + input / ZONES);
            for row in [Some(input), shared].into_iter().flatten() {
                let row = slopes[row].iter_mut().zip(&back);
                row.for_each(|(x, b)| *x += value * b);
            }
        }
    }
}

impl Model for SharedRows {
    type Lesson = Lesson;

    fn zero(&self) -> Self {
        SharedRows {
            rows: vec![[0.0; UNITS]; self.rows.len()],
            network: Evaluation::zero(),
        }
    }

    fn parts(&mut self) -> Vec<&mut [f32]> {
        vec![self.rows.as_flattened_mut()]
    }

    fn add_slopes(&self, Lesson { board, target }: &Lesson, slopes: &mut Self) -> f64 {
        let mut inputs: [SeatInputs; SEATS] = Default::default();
        let logs = self.network.log_shares(board, &mut inputs);
        let mut loss = 0.0;
        for ((inputs, log), target) in inputs.iter().zip(logs).zip(target) {
            loss -= f64::from(target * log);
            let slope = target - log.exp();
            self.add_logit(inputs, stage(board), slope, &mut slopes.rows);
        }
        loss
    }

    fn refresh(&mut self) {
        let (own, shared) = self.rows.split_at(self.network.rows.len());
        self.network.rows.copy_from_slice(own);
        for (zones, shared) in self.network.rows.chunks_exact_mut(ZONES).zip(shared) {
            for row in zones {
                row.iter_mut().zip(shared).for_each(|(x, more)| *x += more);
            }
        }
    }
}

const _: () = assert!(KINDS * ZONES <= INPUTS, "the squares come first");

#[cfg(test)]
mod tests {
    use bots::engine::OpenPosition as _;

    use super::*;
    use crate::training::{Passes, Trainer};

    #[test]
    fn slopes_are_differences() {
        let model = SharedRows::new(1);
        let board = Board::random_opening(30, 5);
        let mut inputs: [SeatInputs; SEATS] = Default::default();
        model.network.log_shares(&board, &mut inputs);
        let (inputs, stage) = (&inputs[2], stage(&board));
        let mut slopes = model.zero();
        model.add_logit(inputs, stage, 1.0, &mut slopes.rows);
        let rows = [usize::from(inputs[3].0), BIAS, FIRST_OUT + stage];
        for (row, unit) in rows
            .into_iter()
            .flat_map(|row| [(row, 0), (row, 5), (row, 30)])
        {
            let at = |change: f32| {
                let mut network = model.network.clone();
                network.rows[row][unit] += change;
                network.output(&network.sums(inputs), stage)
            };
            let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
            let due = slopes.rows[row][unit];
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
            board: Board::random_opening(20, seed),
            target: std::array::from_fn(|seat| if seed % 4 == seat as u64 { 0.7 } else { 0.1 }),
        };
        let mut lessons: Vec<Lesson> = (0..16).map(lesson).collect();
        let plan = Passes {
            passes: 400,
            batch: 8,
            rate: 0.001,
            seed: 1,
        };
        let mut trainer = Trainer::new(SharedRows::new(1));
        let mut losses = Vec::new();
        let keep = |_, _, loss| losses.push(loss);
        trainer.train(&mut lessons, &plan, |_, _| (), keep);
        assert_eq!(losses.len(), 800);
        let fits = ShareFit::of(&trainer.model.to_bytes(), &lessons).expect("a network");
        let fit = fits[1];
        assert_eq!(fit.positions, 16);
        assert!(fit.network < 0.01 && fit.quarters > 0.2, "{fit:?}");
        // The entropy of the targets is 0.94 nats.
        assert!(losses[0] > 1.2 && fit.loss < 1.0, "{} {fit:?}", losses[0]);
    }
}
