//! Perft: numbers of sequences of moves, from the data file `perft/score_four.txt`.

use taikyoku_games::score_four::{Peg, Position};

use super::oracle::Board;
use super::rules::assert_same;
use crate::perft::{self, Case};

/// Counts above this are left out; the environment variable `TAIKYOKU_PERFT_LIMIT` sets another
/// limit.
const NODE_LIMIT: u64 = 20_000_000;
/// Counts up to this are checked with the oracle as well; `TAIKYOKU_ORACLE_LIMIT` sets another limit.
const ORACLE_LIMIT: u64 = 5_000;

fn cases() -> Vec<Case<(Position, Board)>> {
    perft::cases(
        include_str!("../../perft/score_four.txt"),
        [6, 4],
        |moves| {
            let mut position = Position::START;
            let mut board = Board::start();
            for word in moves.split_whitespace().filter(|&word| word != "start") {
                let peg: Peg = word.parse().expect("a peg");
                position.play(peg).expect("a legal move");
                board = board.after(peg.index());
            }
            assert_same(&position, &board);
            (position, board)
        },
    )
}

fn perft(position: &Position, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let pegs = position.legal_pegs();
    if depth == 1 {
        return pegs.len() as u64;
    }
    pegs.map(|peg| {
        let mut next = *position;
        next.play_unchecked(peg);
        perft(&next, depth - 1)
    })
    .sum()
}

#[test]
fn counts_up_to_the_node_limit() {
    let limit = perft::limit("TAIKYOKU_PERFT_LIMIT", NODE_LIMIT);
    for case in cases() {
        case.check(limit, false, |(position, _), depth| perft(position, depth));
    }
}

#[test]
fn small_counts_agree_with_the_oracle() {
    let limit = perft::limit("TAIKYOKU_ORACLE_LIMIT", ORACLE_LIMIT);
    for case in cases() {
        case.check(limit, false, |(_, board), depth| board.perft(depth));
    }
}
