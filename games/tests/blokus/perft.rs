//! Perft: numbers of sequences of moves, from the data file `perft/blokus.txt`.

use taikyoku_games::blokus::{Board, Placement, Position};

use super::generators::assert_same;
use super::oracle;
use crate::perft::{self, Case};

/// Counts above this are left out; the environment variable `TAIKYOKU_PERFT_LIMIT` sets another
/// limit.
const NODE_LIMIT: u64 = 100_000;
/// Counts up to this are checked with the oracle as well; `TAIKYOKU_ORACLE_LIMIT` sets another limit.
const ORACLE_LIMIT: u64 = 3_000;

fn cases() -> Vec<Case<(Board, oracle::Board)>> {
    perft::cases(include_str!("../../perft/blokus.txt"), [8, 2], |moves| {
        let mut board = Board::new();
        let mut slow = oracle::Board::start();
        for word in moves.split_whitespace().filter(|&word| word != "start") {
            let mv: Placement = word.parse().expect("a placement");
            board.play(mv).expect("a legal move");
            slow.put(slow.turn.expect("a colour to move"), mv.index());
        }
        assert_same(&board, &slow);
        (board, slow)
    })
}

/// By rows, with a buffer of moves for each depth.
fn by_rows(board: &Board, buffers: &mut [Vec<Placement>]) -> u64 {
    let (moves, rest) = buffers.split_first_mut().expect("a depth of at least 1");
    board.legal_moves(moves);
    if rest.is_empty() {
        return moves.len() as u64;
    }
    let mut count = 0;
    for &mv in moves.iter() {
        let mut next = *board;
        next.play_unchecked(mv);
        count += by_rows(&next, rest);
    }
    count
}

/// By the sets that a position carries along.
fn by_sets(position: &Position, buffers: &mut [(Vec<Placement>, Position)]) -> u64 {
    let ((moves, next), rest) = buffers.split_first_mut().expect("a depth of at least 1");
    if rest.is_empty() {
        let colour = position.to_move();
        return colour.map_or(0, |colour| u64::from(position.count_moves_of(colour)));
    }
    position.legal_moves(moves);
    let mut count = 0;
    for &mv in moves.iter() {
        next.clone_from(position);
        next.play_unchecked(mv);
        count += by_sets(next, rest);
    }
    count
}

#[test]
fn counts_up_to_the_node_limit() {
    let limit = perft::limit("TAIKYOKU_PERFT_LIMIT", NODE_LIMIT);
    for case in cases() {
        case.check(limit, false, |(board, _), depth| {
            by_rows(board, &mut vec![Vec::new(); depth])
        });
        case.check(limit, false, |(board, _), depth| {
            let position = Position::from(*board);
            by_sets(&position, &mut vec![(Vec::new(), Position::new()); depth])
        });
    }
}

#[test]
fn small_counts_agree_with_the_oracle() {
    let limit = perft::limit("TAIKYOKU_ORACLE_LIMIT", ORACLE_LIMIT);
    for case in cases() {
        case.check(limit, false, |(_, slow), depth| slow.perft(depth));
    }
}
