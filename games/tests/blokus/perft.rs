//! Perft: numbers of sequences of moves, from the data file `perft/blokus.txt`.

use taikyoku_games::blokus::{Board, Placement, Position};

use super::generators::assert_same;
use super::oracle;

/// Counts above this are left out; the environment variable `TAIKYOKU_PERFT_LIMIT` sets another
/// limit.
const NODE_LIMIT: u64 = 100_000;
/// Counts up to this are checked with the oracle as well; `TAIKYOKU_ORACLE_LIMIT` sets another limit.
const ORACLE_LIMIT: u64 = 3_000;

struct Case {
    line: usize,
    board: Board,
    slow: oracle::Board,
    counts: Vec<u64>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../../perft/blokus.txt");
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(i, line)| {
            let (moves, counts) = line.split_once(';').expect("moves ; counts");
            let mut board = Board::new();
            let mut slow = oracle::Board::start();
            for word in moves.split_whitespace().filter(|&word| word != "start") {
                let mv: Placement = word.parse().expect("a placement");
                board.play(mv).expect("a legal move");
                slow.put(slow.turn.expect("a colour to move"), mv.index());
            }
            assert_same(&board, &slow);
            let counts = counts.split_whitespace();
            Case {
                line: i + 1,
                board,
                slow,
                counts: counts.map(|n| n.parse().expect("a count")).collect(),
            }
        })
        .collect()
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

fn limit(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |n| n.parse().expect("a number of nodes"))
}

#[test]
fn counts_up_to_the_node_limit() {
    let limit = limit("TAIKYOKU_PERFT_LIMIT", NODE_LIMIT);
    let cases = cases();
    assert!(cases.len() >= 8);
    for case in cases {
        assert!(case.counts.len() >= 2, "line {}", case.line);
        for (depth, &expected) in (1..).zip(&case.counts) {
            if expected > limit {
                break;
            }
            let found = by_rows(&case.board, &mut vec![Vec::new(); depth]);
            assert_eq!(found, expected, "line {} depth {depth}", case.line);
            let position = Position::from(case.board);
            let found = by_sets(&position, &mut vec![(Vec::new(), Position::new()); depth]);
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
            let found = case.slow.perft(depth);
            assert_eq!(found, expected, "line {} depth {depth}", case.line);
        }
    }
}
