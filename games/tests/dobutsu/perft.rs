//! Perft: numbers of sequences of moves, from the data file `perft/dobutsu.txt`.

use taikyoku_games::dobutsu::{MoveList, Position};

use super::oracle::Oracle;
use super::position;
use super::rules::assert_same;
use crate::perft::{self, Case};

/// Counts above this are left out; the environment variable `TAIKYOKU_PERFT_LIMIT` sets another
/// limit.
const NODE_LIMIT: u64 = 6_000_000;
/// Counts up to this are checked with the oracle as well; `TAIKYOKU_ORACLE_LIMIT` sets another limit.
const ORACLE_LIMIT: u64 = 10_000;

fn cases() -> Vec<Case<Position>> {
    perft::cases(include_str!("../../perft/dobutsu.txt"), [6, 4], |text| {
        let position = position(text);
        assert_same(&position, &Oracle::of(&position));
        position
    })
}

fn perft(position: &Position, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = |mv| {
        let mut next = *position;
        next.play_unchecked(mv);
        perft(&next, depth - 1)
    };
    moves.iter().map(|&mv| after(mv)).sum()
}

#[test]
fn counts_up_to_the_node_limit() {
    let limit = perft::limit("TAIKYOKU_PERFT_LIMIT", NODE_LIMIT);
    for case in cases() {
        case.check(limit, false, perft);
    }
}

#[test]
fn small_counts_agree_with_the_oracle() {
    let limit = perft::limit("TAIKYOKU_ORACLE_LIMIT", ORACLE_LIMIT);
    for case in cases() {
        case.check(limit, false, |position, depth| {
            Oracle::of(position).perft(depth)
        });
    }
    assert_eq!(Oracle::start(), Oracle::of(&Position::START));
}
