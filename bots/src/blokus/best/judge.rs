//! The judge: a network that gives each legal move a logit before the search. The softmax of the logits is the prior.
//!
//! The features of a move are its piece and, for each mark of the map, the number of squares with that mark among the squares
//! that the move covers, those at its corners where the next piece may join on, and those beside it. The network has one hidden
//! layer and, in addition, a linear part. The linear part, the biases of the hidden units and their output weights depend on the
//! stage of the game.

use std::sync::{Arc, LazyLock};

use games::blokus::{Board, Colour, ORIENTATIONS, PIECES, Placement, SIDE};

use super::map::{
    self, BESIDE, CLOSED, CORNER, FULL, MAP, MARKS, OUTSIDE, ROLES, Rows, SHAPES, Shape, WIDTH,
    around, each_fixed_mark, each_mark, each_square, joins, spread,
};
use crate::learning::numbers_of;

/// Stages of a game, by pieces that the mover has placed.
pub(super) const STAGES: usize = 4;
/// Number of features of a move: first the marks by role, then the pieces.
pub(super) const FEATURES: usize = MARKS * ROLES + PIECES;
pub const FIRST_PIECE: usize = MARKS * ROLES;
/// The number of squares of the largest pieces.
const LARGEST: usize = 5;
/// Hidden units: with the sum they fill the lanes of a vector.
pub const UNITS: usize = LANES - 1;
/// The hidden units, and the sum that goes into the logit as it is: two registers of eight numbers, or four of four.
const LANES: usize = 16;

/// The stage of the colour to move: its first three pieces, three more, four more, or the rest. The shipped weights were learned for
/// these stages.
pub fn stage(board: &Board, mover: Colour) -> usize {
    match PIECES as u32 - board.pieces_left(mover).len() {
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    pub mv: Placement,
    pub logit: f32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    pub hidden: Vec<[f32; UNITS]>,
    /// Weights of the linear part, by stage and feature.
    pub sum: [Vec<f32>; STAGES],
    /// Biases of the hidden units, by stage.
    pub bias: [[f32; UNITS]; STAGES],
    /// Output weights of the hidden units, by stage.
    pub out: [[f32; UNITS]; STAGES],
}

impl Numbers {
    pub(super) const COUNT: usize = FEATURES * (UNITS + STAGES) + 2 * STAGES * UNITS;

    pub fn zero() -> Self {
        Self {
            hidden: vec![[0.0; UNITS]; FEATURES],
            sum: std::array::from_fn(|_| vec![0.0; FEATURES]),
            bias: [[0.0; UNITS]; STAGES],
            out: [[0.0; UNITS]; STAGES],
        }
    }

    /// All parameters, in the order of the file.
    pub fn parts(&self) -> Vec<&[f32]> {
        let mut parts = vec![self.hidden.as_flattened()];
        parts.extend(self.sum.iter().map(Vec::as_slice));
        parts.extend([self.bias.as_flattened(), self.out.as_flattened()]);
        parts
    }

    pub fn parts_mut(&mut self) -> Vec<&mut [f32]> {
        let mut parts = vec![self.hidden.as_flattened_mut()];
        parts.extend(self.sum.iter_mut().map(Vec::as_mut_slice));
        parts.extend([self.bias.as_flattened_mut(), self.out.as_flattened_mut()]);
        parts
    }

    /// The parameters of a list in the order of the file.
    pub fn of(list: &[f32]) -> Self {
        let mut numbers = Self::zero();
        let numbers_of_all = numbers.parts_mut().into_iter().flatten();
        for (number, &value) in numbers_of_all.zip(list) {
            *number = value;
        }
        numbers
    }

    /// The logit of a move. `features` has pairs of a feature and how often the move has it.
    pub fn logit(&self, stage: usize, features: &[(u16, f32)]) -> f32 {
        let mut sums = self.bias[stage];
        let mut logit = 0.0;
        for &(feature, count) in features {
            let feature = usize::from(feature);
            logit += count * self.sum[stage][feature];
            for (sum, weight) in sums.iter_mut().zip(&self.hidden[feature]) {
                *sum += count * weight;
            }
        }
        for (sum, out) in sums.iter().zip(&self.out[stage]) {
            logit += sum.max(0.0) * out;
        }
        logit
    }
}

type Lanes = [f32; LANES];

#[derive(Clone, Debug, PartialEq)]
struct Stage {
    marks: [[Lanes; ROLES]; MARKS],
    pieces: [Lanes; PIECES],
    out: Lanes,
}

impl Stage {
    fn of(numbers: &Numbers, stage: usize) -> Self {
        let lanes = |feature: usize| -> Lanes {
            let mut lanes = [0.0; LANES];
            lanes[..UNITS].copy_from_slice(&numbers.hidden[feature]);
            lanes[UNITS] = numbers.sum[stage][feature];
            lanes
        };
        let mut out = [0.0; LANES];
        out[..UNITS].copy_from_slice(&numbers.out[stage]);
        Self {
            marks: std::array::from_fn(|mark| {
                std::array::from_fn(|role| lanes(mark * ROLES + role))
            }),
            // Each move has exactly one piece, so the lanes of the pieces include the bias.
            pieces: std::array::from_fn(|piece| {
                let mut lanes = lanes(FIRST_PIECE + piece);
                for (lane, bias) in lanes.iter_mut().zip(&numbers.bias[stage]) {
                    *lane += bias;
                }
                lanes
            }),
            out,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Judge {
    stages: Vec<Stage>,
}

impl Judge {
    /// The network that is built into the program.
    pub fn built_in() -> Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Judge>> = LazyLock::new(|| {
            let judge = Judge::from_bytes(include_bytes!("../../../../models/blokus/judge.i16"));
            Arc::new(judge.unwrap_or_else(|e| panic!("the shipped judge is whole: {e}")))
        });
        Arc::clone(&BUILT_IN)
    }

    /// Reads little-endian 16-bit numbers in steps of 1/4096: the weights of the 15 hidden units by feature, the weights of the
    /// linear part by stage and feature, then the biases of the units by stage, and their output weights by stage.
    ///
    /// # Errors
    /// If their number is not that of a judge.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut list = vec![0.0; Numbers::COUNT];
        numbers_of(bytes, &mut list)?;
        Ok(Self::of(&Numbers::of(&list)))
    }

    pub(super) fn of(numbers: &Numbers) -> Self {
        Self {
            stages: (0..STAGES).map(|stage| Stage::of(numbers, stage)).collect(),
        }
    }

    /// Clears `out` and fills it with the legal moves of the colour to move and their logits, in ascending order of index.
    pub fn judge(&self, board: &Board, sheet: &mut Sheet, out: &mut Vec<Judged>) {
        out.clear();
        let Some(mover) = board.to_move() else {
            return;
        };
        let weights = &self.stages[stage(board, mover)];
        let covered = sheet.mark(board, mover);
        sheet.sum(&covered, weights);
        each_move(board, mover, |mv, piece, base, shape| {
            let mut sums = weights.pieces[piece];
            shape.each(base, |role, at| add(&mut sums, &sheet.sums[at][role]));
            let units = sums.iter().zip(&weights.out);
            let units = units.map(|(sum, out)| sum.max(0.0) * out).sum::<f32>();
            let logit = sums[UNITS] + units;
            out.push(Judged { mv, logit });
        });
    }
}

/// Marks and sums for each square of a map. The memory is reused from position to position; only the squares that a move can
/// cover, and those around them, are up to date.
#[derive(Clone, Debug)]
pub struct Sheet {
    marks: Vec<u64>,
    /// The sums of the weights of its marks, by role.
    sums: Vec<[Lanes; ROLES]>,
}

impl Default for Sheet {
    fn default() -> Self {
        Self::new()
    }
}

impl Sheet {
    pub fn new() -> Self {
        Self {
            marks: vec![0; MAP],
            sums: vec![[[0.0; LANES]; ROLES]; MAP],
        }
    }

    /// Notes the marks of the squares that `mover` can cover with its next piece, and of those around them. Returns the squares
    /// that it can cover.
    fn mark(&mut self, board: &Board, mover: Colour) -> Rows {
        static FIXED: LazyLock<Vec<u64>> = LazyLock::new(|| {
            let mut marks = vec![1 << OUTSIDE; MAP];
            each_square(&[FULL; SIDE], |at| marks[at] = 0);
            each_fixed_mark(|mark, rows| each_square(rows, |at| marks[at] |= 1 << mark));
            marks
        });
        self.marks.copy_from_slice(&FIXED);
        let free = board.free_rows(mover);
        // One square of a piece lies where the mover may join on, and the piece has at most four more.
        let covered = spread(&joins(board, mover, &free), &free, LARGEST - 1);
        let around = around(&covered, true);
        let near: Rows = std::array::from_fn(|y| covered[y] | around[y]);
        each_mark(board, mover, |mark, rows| {
            let rows = std::array::from_fn(|y| rows[y] & near[y]);
            each_square(&rows, |at| self.marks[at] |= 1 << mark);
        });
        covered
    }

    /// Adds up the weights of the marks of the squares in and around `covered`.
    fn sum(&mut self, covered: &Rows, weights: &Stage) {
        // One more row and column on each side of the board.
        let mut rows = [0; SIDE + 2];
        for (y, row) in covered.iter().enumerate() {
            let wide = row << 2 | row << 1 | row;
            for row in &mut rows[y..y + 3] {
                *row |= wide;
            }
        }
        for (y, mut row) in rows.into_iter().enumerate() {
            while row != 0 {
                let at = y * WIDTH + row.trailing_zeros() as usize;
                row &= row - 1;
                let marks = self.marks[at];
                let mut sums = [[0.0; LANES]; ROLES];
                if marks & (1 << CLOSED | 1 << OUTSIDE) == 0 {
                    each_bit(marks, |mark| {
                        for (sums, more) in sums.iter_mut().zip(&weights.marks[mark]) {
                            add(sums, more);
                        }
                    });
                } else {
                    // A square that the mover may not cover can only be beside a move.
                    each_bit(marks, |mark| {
                        add(&mut sums[BESIDE], &weights.marks[mark][BESIDE]);
                    });
                }
                self.sums[at] = sums;
            }
        }
    }
}

#[inline]
fn each_bit(mut bits: u64, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize % MARKS);
        bits &= bits - 1;
    }
}

#[inline]
fn add(sums: &mut Lanes, more: &Lanes) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

/// The likeliest move of the colour to move, by the built-in network. It is played when there is no time to search.
pub(in crate::blokus) fn likeliest(board: &Board) -> Option<Placement> {
    let mut judged = Vec::new();
    Judge::built_in().judge(board, &mut Sheet::new(), &mut judged);
    let best = judged.iter().max_by(|a, b| a.logit.total_cmp(&b.logit));
    best.map(|best| best.mv)
}

/// Calls `each` with every legal move, its piece, the index in a map of the bottom left of its bounding box, and its shape.
fn each_move(board: &Board, mover: Colour, mut each: impl FnMut(Placement, usize, usize, &Shape)) {
    let rows = board.rows(mover);
    if board.is_out(mover) || rows.is_closed() {
        return;
    }
    for piece in board.pieces_left(mover).iter() {
        for orientation in piece.orientations() {
            let shape = &SHAPES[orientation.index() % ORIENTATIONS];
            for (y, &row) in rows.anchors(orientation).rows().iter().enumerate() {
                let mut row = row;
                while row != 0 {
                    let x = row.trailing_zeros() as u8;
                    let mv = Placement::at(orientation, x, y as u8);
                    each(mv, piece.index(), map::at(usize::from(x), y), shape);
                    row &= row - 1;
                }
            }
        }
    }
}

/// Calls `each` with every legal move of the colour to move and its features: pairs of a feature and how often the move has it,
/// in ascending order of the features.
pub fn each_features(
    board: &Board,
    sheet: &mut Sheet,
    mut each: impl FnMut(Placement, &[(u16, f32)]),
) {
    let Some(mover) = board.to_move() else {
        return;
    };
    sheet.mark(board, mover);
    let mut list = Vec::new();
    each_move(board, mover, |mv, piece, base, shape| {
        let mut counts = [0_u8; FIRST_PIECE];
        shape.each(base, |role, at| {
            let marks = sheet.marks[at];
            if role != CORNER || marks & (1 << CLOSED | 1 << OUTSIDE) == 0 {
                each_bit(marks, |mark| counts[mark * ROLES + role] += 1);
            }
        });
        list.clear();
        let counts = counts.iter().enumerate();
        let counts = counts.filter(|(_, count)| **count > 0);
        list.extend(counts.map(|(feature, &count)| (feature as u16, f32::from(count))));
        list.push(((FIRST_PIECE + piece) as u16, 1.0));
        each(mv, &list);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::OpenPosition as _;
    use crate::learning::bytes_of;

    fn numbers() -> Numbers {
        let value = |i: usize| (i * 37 % 101) as f32 / 640.0 - 0.08;
        Numbers::of(&(0..Numbers::COUNT).map(value).collect::<Vec<_>>())
    }

    #[test]
    fn a_file_has_all_numbers() {
        let numbers = numbers();
        let read = Judge::from_bytes(&bytes_of(&numbers.parts().concat())).expect("a judge");
        let judge = Judge::of(&numbers);
        for (a, b) in read.stages.iter().zip(&judge.stages) {
            let all = |stage: &Stage| -> Vec<f32> {
                let marks = stage.marks.as_flattened().as_flattened();
                let pieces = stage.pieces.as_flattened();
                [marks, pieces, &stage.out].concat()
            };
            for (a, b) in all(a).iter().zip(all(b)) {
                assert!((a - b).abs() < 1e-3, "{a} {b}");
            }
        }
        assert!(Judge::from_bytes(&[0; 10]).is_err());
        assert_eq!(Judge::built_in().stages.len(), STAGES);
    }

    /// The squares whose marks a sheet notes include all squares in and around every legal move.
    #[test]
    fn a_sheet_has_all_marks_around_legal_moves() {
        let mut sheet = Sheet::new();
        for seed in 0..70 {
            let board = Board::random_opening(seed, u64::from(seed));
            let Some(mover) = board.to_move() else {
                continue;
            };
            let mut marks = vec![1_u64 << OUTSIDE; MAP];
            each_square(&[FULL; SIDE], |at| marks[at] = 0);
            let mut note = |mark: usize, rows: &Rows| {
                each_square(rows, |at| marks[at] |= 1 << mark);
            };
            each_fixed_mark(&mut note);
            each_mark(&board, mover, &mut note);
            sheet.mark(&board, mover);
            each_move(&board, mover, |mv, _, base, shape| {
                shape.each(base, |_, at| {
                    assert_eq!(sheet.marks[at], marks[at], "{mv} on\n{board}");
                });
            });
        }
    }

    /// The quick judge, which adds up sums by square, agrees with a plain sum over the features, whatever was judged before.
    #[test]
    fn logits_are_those_of_the_features() {
        let numbers = numbers();
        let judge = Judge::of(&numbers);
        let (mut sheet, mut other) = (Sheet::new(), Sheet::new());
        let (mut judged, mut moves) = (Vec::new(), Vec::new());
        for seed in 0..70 {
            let board = Board::random_opening(seed, u64::from(seed));
            let Some(mover) = board.to_move() else {
                continue;
            };
            judge.judge(&board, &mut sheet, &mut judged);
            board.legal_moves(&mut moves);
            let all = judged.iter().map(|judged| judged.mv);
            assert!(all.eq(moves.iter().copied()));
            let mut number = 0;
            each_features(&board, &mut other, |mv, features| {
                let logit = numbers.logit(stage(&board, mover), features);
                let quick = judged[number];
                assert_eq!(quick.mv, mv);
                assert!((quick.logit - logit).abs() < 1e-3, "{quick:?} {logit}");
                number += 1;
            });
            assert_eq!(number, judged.len());
        }
    }
}
