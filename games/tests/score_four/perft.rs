//! Perft: numbers of sequences of moves, from the data file `perft/score_four.txt`.

use taikyoku_games::score_four::{Peg, Position};

use super::oracle::Board;
use super::rules::assert_same;

/// Counts above this are left out; the environment variable `TAIKYOKU_PERFT_LIMIT` sets another
/// limit.
const NODE_LIMIT: u64 = 20_000_000;
/// Counts up to this are checked with the oracle as well; `TAIKYOKU_ORACLE_LIMIT` sets another limit.
const ORACLE_LIMIT: u64 = 5_000;

struct Case {
    line: usize,
    position: Position,
    board: Board,
    counts: Vec<u64>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../../perft/score_four.txt");
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(i, line)| {
            let (moves, counts) = line.split_once(';').expect("moves ; counts");
            let mut position = Position::START;
            let mut board = Board::start();
            for word in moves.split_whitespace().filter(|&word| word != "start") {
                let peg: Peg = word.parse().expect("a peg");
                position.play(peg).expect("a legal move");
                board = board.after(peg.index());
            }
            assert_same(&position, &board);
            let counts = counts.split_whitespace();
            Case {
                line: i + 1,
                position,
                board,
                counts: counts.map(|n| n.parse().expect("a count")).collect(),
            }
        })
        .collect()
}

fn perft(position: &Position, depth: u32) -> u64 {
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

fn limit(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |n| n.parse().expect("a number of nodes"))
}

#[test]
fn counts_up_to_the_node_limit() {
    let limit = limit("TAIKYOKU_PERFT_LIMIT", NODE_LIMIT);
    let cases = cases();
    assert!(cases.len() >= 6);
    for case in cases {
        assert!(case.counts.len() >= 4, "line {}", case.line);
        for (depth, &expected) in (1..).zip(&case.counts) {
            if expected > limit {
                break;
            }
            let found = perft(&case.position, depth);
            assert_eq!(found, expected, "line {} depth {depth}", case.line);
        }
    }
}

#[test]
fn small_counts_agree_with_the_oracle() {
    let limit = limit("TAIKYOKU_ORACLE_LIMIT", ORACLE_LIMIT);
    for case in cases() {
        for (depth, &expected) in (1..).zip(&case.counts) {
            if expected > limit {
                break;
            }
            let found = case.board.perft(depth);
            assert_eq!(found, expected, "line {} depth {depth}", case.line);
        }
    }
}
