//! What a move is judged by before it is searched.
//!
//! A move's logit is a sum of weights: of its piece, and of what is true of the squares that it covers, of
//! those that it makes squares to join on at, and of those beside it. All depend on how far the mover is.

use games::blokus::{Board, Colour, ORIENTATIONS, PIECES, Placement, SIDE};

use super::map::{self, MAP, ROLES, SHAPES, Shape};
use super::map::{
    ANY, CLOSED, FULL, JOIN, MARKS, OTHERS_BESIDE, OTHERS_JOIN, OTHERS_REACH, OUTSIDE, RING,
    each_fixed_mark, each_mark, each_square,
};
use crate::numbers::numbers;

/// Stages of a game, by pieces that the mover has placed.
const STAGES: usize = 4;
/// Weights of a stage: the marks by role, then the pieces.
const STAGE: usize = MARKS * ROLES + PIECES;
/// All weights.
pub(super) const WEIGHTS: usize = STAGES * STAGE;

/// Returns the weights that the program is shipped with.
///
/// # Panics
/// When the shipped file is damaged.
pub fn built_in() -> Vec<f32> {
    let text = include_str!("../../../../models/blokus/judge.txt");
    let weights = numbers("models/blokus/judge.txt", text, WEIGHTS);
    weights.unwrap_or_else(|error| panic!("the shipped weights are whole: {error}"))
}

/// The stage of the colour to move.
fn stage(board: &Board, mover: Colour) -> usize {
    match PIECES as u32 - board.pieces_left(mover).len() {
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    }
}

/// A move and its logit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judged {
    pub(super) mv: Placement,
    pub(super) logit: f32,
}

/// A value for each role on each square; the fourth is padding.
type Map = [[f32; 4]; MAP];

/// The weights, ready for use.
#[derive(Clone, Debug)]
pub(super) struct Judge {
    marks: [[[f32; 4]; MARKS]; STAGES],
    pieces: [[f32; PIECES]; STAGES],
    fixed: Vec<Map>,
}

impl Judge {
    /// Makes a judge of weights.
    ///
    /// # Panics
    /// Unless there are [`WEIGHTS`] of them.
    pub(super) fn new(weights: &[f32]) -> Self {
        assert_eq!(weights.len(), WEIGHTS, "weights of moves");
        let mut all = weights.iter().copied();
        let mut next = || all.next().expect("the weights were counted");
        let mut judge = Self {
            marks: [[[0.0; 4]; MARKS]; STAGES],
            pieces: [[0.0; PIECES]; STAGES],
            fixed: Vec::with_capacity(STAGES),
        };
        for stage in 0..STAGES {
            for (mark, role) in (0..MARKS * ROLES).map(|i| (i / ROLES, i % ROLES)) {
                judge.marks[stage][mark][role] = next();
            }
            for piece in 0..PIECES {
                judge.pieces[stage][piece] = next();
            }
            let marks = &judge.marks[stage];
            // Nobody joins on outside.
            let [covered, _, beside, _] = marks[OUTSIDE];
            let mut map = [[covered, 0.0, beside, 0.0]; MAP];
            each_square(&[FULL; SIDE], |at| map[at] = [0.0; 4]);
            each_fixed_mark(|mark, rows| each_square(rows, |at| add(&mut map[at], &marks[mark])));
            judge.fixed.push(map);
        }
        judge
    }

    /// Clears `out` and fills it with the legal moves of the colour to move, in the order of their indices.
    pub(super) fn judge(&self, board: &Board, out: &mut Vec<Judged>) {
        out.clear();
        let Some(mover) = board.to_move() else {
            return;
        };
        let stage = stage(board, mover);
        let (marks, pieces) = (&self.marks[stage], &self.pieces[stage]);
        let mut map = self.fixed[stage];
        each_mark(board, mover, |mark, rows| {
            each_square(rows, |at| add(&mut map[at], &marks[mark]));
        });
        // A corner that the mover may not cover is no square to join on at.
        let closed = board.free_rows(mover).map(|row| !row & FULL);
        each_square(&closed, |at| map[at][1] = 0.0);
        each_move(board, mover, |mv, piece, base, shape| {
            let sum = |from: usize, role: usize| {
                let offsets = &shape.offsets[from..shape.ends[role]];
                let at = |&offset: &i16| map[base.wrapping_add_signed(isize::from(offset)) % MAP];
                offsets.iter().map(|offset| at(offset)[role]).sum::<f32>()
            };
            let squares = sum(0, 0) + sum(shape.ends[0], 1) + sum(shape.ends[1], 2);
            let logit = pieces[piece] + squares;
            out.push(Judged { mv, logit });
        });
    }
}

/// The likeliest move of the colour to move, by the weights that the program is shipped with: what is played where there is
/// no time to search.
pub(in crate::blokus) fn likeliest(board: &Board) -> Option<Placement> {
    let mut judged = Vec::new();
    Judge::new(&built_in()).judge(board, &mut judged);
    let best = judged.iter().max_by(|a, b| a.logit.total_cmp(&b.logit));
    best.map(|best| best.mv)
}

#[inline]
fn add(sum: &mut [f32; 4], more: &[f32; 4]) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

/// Calls `each` with every legal move, its piece, the bottom left of its bounding box in a map, and what
/// lies around it.
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

/// Clears `out` and fills it with the features of all legal moves: for each the numbers of the weights that
/// are added up, some several times.
pub(super) fn features(board: &Board, out: &mut Vec<(Placement, Vec<u16>)>) {
    out.clear();
    let Some(mover) = board.to_move() else {
        return;
    };
    let first = stage(board, mover) * STAGE;
    let mut marks = [1_u32 << OUTSIDE; MAP];
    each_square(&[FULL; SIDE], |at| marks[at] = 0);
    each_fixed_mark(|mark, rows| each_square(rows, |at| marks[at] |= 1 << mark));
    each_mark(board, mover, |mark, rows| {
        each_square(rows, |at| marks[at] |= 1 << mark);
    });
    each_move(board, mover, |mv, piece, base, shape| {
        let mut list = vec![(first + MARKS * ROLES + piece) as u16];
        for (i, &offset) in shape.offsets[..shape.ends[2]].iter().enumerate() {
            let role = shape.ends.iter().filter(|&&end| end <= i).count();
            let mut marks = marks[base.wrapping_add_signed(isize::from(offset)) % MAP];
            if role == 1 && marks & (1 << CLOSED | 1 << OUTSIDE) != 0 {
                continue;
            }
            while marks != 0 {
                let mark = marks.trailing_zeros() as usize;
                list.push((first + mark * ROLES + role) as u16);
                marks &= marks - 1;
            }
        }
        out.push((mv, list));
    });
}

/// Weights made by hand, to begin training with.
pub(super) fn hand_made() -> Vec<f32> {
    let mut weights = vec![0.0; WEIGHTS];
    for (number, stage) in weights.chunks_exact_mut(STAGE).enumerate() {
        let mut set = |mark: usize, role: usize, weight: f32| stage[mark * ROLES + role] = weight;
        set(ANY, 0, 0.8);
        set(ANY, 1, 0.3);
        set(JOIN, 1, -0.2);
        set(JOIN, 2, -0.2);
        for k in 0..3 {
            set(OTHERS_JOIN + k, 0, 0.5);
            set(OTHERS_REACH + k, 0, 0.1);
            set(OTHERS_REACH + k, 1, 0.05);
            set(OTHERS_BESIDE + k, 1, 0.1);
        }
        let central = [0.1, 0.06, 0.02, 0.0][number];
        for ring in 0..10 {
            set(RING + ring, 0, central * ring as f32);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::arena::opening;

    #[test]
    fn the_shipped_weights_are_whole() {
        assert_eq!(built_in().len(), WEIGHTS);
    }

    #[test]
    fn logits_are_the_sums_of_the_weights_of_the_features() {
        let weights: Vec<f32> = (0..WEIGHTS)
            .map(|i| (i * 37 % 101) as f32 / 64.0 - 0.8)
            .collect();
        let judge = Judge::new(&weights);
        let (mut judged, mut lists) = (Vec::new(), Vec::new());
        let mut moves = Vec::new();
        for seed in 0..60 {
            let board = opening(seed, u64::from(seed));
            judge.judge(&board, &mut judged);
            features(&board, &mut lists);
            board.legal_moves(&mut moves);
            assert!(
                judged
                    .iter()
                    .map(|judged| judged.mv)
                    .eq(moves.iter().copied())
            );
            assert_eq!(judged.len(), lists.len());
            for (judged, (mv, list)) in judged.iter().zip(&lists) {
                let sum: f32 = list.iter().map(|&i| weights[usize::from(i)]).sum();
                assert_eq!(judged.mv, *mv);
                assert!((judged.logit - sum).abs() < 1e-3, "{} {sum}", judged.logit);
            }
        }
    }
}
