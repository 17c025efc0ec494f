//! What a position is worth to each seat, by a small network.
//!
//! The network looks at the board four times, from each seat in turn: its output is a logit for that seat, and the softmax over
//! the seats gives their shares by score. Its inputs are counts of squares (see `survey`), which tell nothing of a place on the
//! board but the distance from the edge: a network with an input for each square overfits its games.

use std::sync::{Arc, LazyLock};

use games::blokus::{Board, Colour, SEATS};

use super::survey::{INPUTS, STAGES, SeatInputs, Survey, stage};
use crate::learning::{numbers_of, to_log_chances};
use crate::search::Rewards;

/// Units of the hidden layer. The last one has no `ReLU`: its sum is part of the output.
pub const UNITS: usize = 32;
/// The row of the bias: the rows of a network are one for each input, the bias, and one with the weights of the hidden units for each
/// stage.
pub const BIAS: usize = INPUTS;
/// The row with the weights of the hidden units for the first stage.
pub const FIRST_OUT: usize = BIAS + 1;
const ROWS: usize = FIRST_OUT + STAGES;

/// One number for each unit.
pub type EvaluationRow = [f32; UNITS];

#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The rows of the inputs, the bias, and the weights of the hidden units by stage.
    pub rows: Vec<EvaluationRow>,
}

impl Evaluation {
    /// The network that the program is shipped with.
    pub fn built_in() -> Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Evaluation>> = LazyLock::new(|| {
            let bytes = include_bytes!("../../../../models/blokus/evaluation.i16");
            let evaluation = Evaluation::from_bytes(bytes);
            Arc::new(evaluation.unwrap_or_else(|e| panic!("the shipped network is whole: {e}")))
        });
        Arc::clone(&BUILT_IN)
    }

    pub fn zero() -> Self {
        Self {
            rows: vec![[0.0; UNITS]; ROWS],
        }
    }

    /// Reads little-endian 16-bit numbers of steps of 1/4096: the rows of the inputs, the bias, and the weights by stage.
    ///
    /// # Errors
    /// If their number is not that of a network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut evaluation = Self::zero();
        numbers_of(bytes, evaluation.rows.as_flattened_mut())?;
        Ok(evaluation)
    }

    pub fn sums(&self, inputs: &SeatInputs) -> EvaluationRow {
        let mut sums = self.rows[BIAS];
        for &(input, value) in inputs {
            let row = &self.rows[usize::from(input)];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += value * weight;
            }
        }
        sums
    }

    pub fn output(&self, sums: &EvaluationRow, stage: usize) -> f32 {
        let out = &self.rows[FIRST_OUT + stage];
        let mut parts = [0.0; 8];
        for (sums, out) in sums.chunks_exact(8).zip(out.chunks_exact(8)) {
            for k in 0..8 {
                parts[k] += sums[k].max(0.0) * out[k];
            }
        }
        // The weight of the last unit is 0: it has no `ReLU`.
        parts.iter().sum::<f32>() + sums[UNITS - 1]
    }

    /// The logarithms of the shares by seat; fills `inputs` with the inputs of each seat.
    pub fn log_shares(&self, board: &Board, inputs: &mut [SeatInputs; SEATS]) -> [f32; SEATS] {
        Survey::of(board).inputs(board, inputs);
        let stage = stage(board);
        let mut logits = [0.0; SEATS];
        for (logit, inputs) in logits.iter_mut().zip(&*inputs) {
            *logit = self.output(&self.sums(inputs), stage);
        }
        to_log_chances(&mut logits);
        logits
    }

    /// The expected shares by score, whose sum is 1; that of a seat that was withdrawn is 0. `inputs` is memory that is used
    /// again.
    pub(super) fn shares(&self, board: &Board, inputs: &mut [SeatInputs; SEATS]) -> Rewards {
        let mut shares = self
            .log_shares(board, inputs)
            .map(|log| f64::from(log.exp()));
        for colour in Colour::ALL {
            if board.is_withdrawn(colour) {
                shares[colour.index()] = 0.0;
            }
        }
        let sum = shares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        shares.map(|share| share / sum)
    }
}

#[cfg(test)]
mod tests {
    use games::blokus::{Cell, Placement};

    use super::*;
    use crate::engine::OpenPosition as _;

    /// A board, and the same one turned by a quarter together with its seats.
    fn turned(plies: u32, seed: u64) -> (Board, Board) {
        let (end, mut board) = (Board::random_opening(plies, seed), Board::new());
        let mut other = Board::new();
        other.give_turn(Colour::YELLOW);
        let mut moves = Vec::new();
        crate::search::Game::moves_since(&end, &board, &mut moves);
        for mv in moves {
            let mover = board.to_move().expect("it goes on");
            board.place(mover, mv).expect("a move of the game");
            let cells: Vec<Cell> = mv.cells().iter().map(|cell| cell.rotated(1)).collect();
            let mv = Placement::from_cells(&cells).expect("a placement");
            other.place(mover.next(), mv).expect("a move as well");
        }
        (board, other)
    }

    #[test]
    fn a_turned_board_has_turned_shares() {
        let evaluation = Evaluation::built_in();
        let mut inputs = Default::default();
        for seed in 0..40 {
            let (board, other) = turned(seed * 2, u64::from(seed));
            let shares = evaluation.shares(&board, &mut inputs);
            let others = evaluation.shares(&other, &mut inputs);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-6);
            for seat in 0..SEATS {
                let (a, b) = (shares[seat], others[(seat + 1) % SEATS]);
                assert!((a - b).abs() < 1e-5, "{shares:?} {others:?}");
            }
        }
    }

    #[test]
    fn a_seat_that_was_withdrawn_gets_nothing() {
        let mut board = Board::random_opening(20, 3);
        board.withdraw(Colour::RED);
        let shares = Evaluation::built_in().shares(&board, &mut Default::default());
        assert!(shares[Colour::RED.index()] < 1e-12);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn inputs_are_those_of_a_plain_count() {
        let mut inputs: [SeatInputs; SEATS] = Default::default();
        for seed in 0..60 {
            let board = Board::random_opening(seed, u64::from(seed) + 7);
            if board.to_move().is_none() {
                continue;
            }
            Survey::of(&board).inputs(&board, &mut inputs);
            for seat in Colour::ALL {
                let mut slow = crate::blokus::best::survey::slow::inputs(&board, seat);
                let mut quick = inputs[seat.index()].clone();
                slow.sort_unstable_by_key(|input| input.0);
                quick.sort_unstable_by_key(|input| input.0);
                assert_eq!(quick, slow, "{seat} on\n{board}");
            }
        }
    }
}
