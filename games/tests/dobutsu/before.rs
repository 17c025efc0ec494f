//! Boards before a board: exactly those from which a move leads there.

use std::collections::{HashMap, HashSet};

use taikyoku_games::dobutsu::{Board, Position};

use super::position;

/// All boards that the mover of a position and its followers come to, without those in which the game is over or the
/// mover can catch the lion; and the edges between them.
fn explore(first: &Position, most: usize) -> HashMap<Board, Vec<Board>> {
    let goes_on = |board: &Board| !board.can_catch() && !board.is_tried() && !board.has_tried();
    let mut edges = HashMap::new();
    let mut open = vec![*first.board()];
    while let Some(board) = open.pop() {
        if edges.contains_key(&board) || edges.len() >= most {
            continue;
        }
        let mut after = Vec::new();
        board.each_after(|next| {
            if goes_on(&next) {
                after.push(next);
            }
        });
        open.extend(&after);
        edges.insert(board, after);
    }
    edges
}

#[test]
fn every_move_is_taken_back_and_nothing_else() {
    for start in [
        "startpos",
        "1l1/1c1/1C1/1L1 b - 1",
        "1l1/3/3/1L1 b GC 1",
        "gl1/3/3/1LG w E 1",
        "2l/3/+C2/L2 b Ec 1",
    ] {
        let edges = explore(&position(start), 60_000);
        let mut before: HashMap<Board, HashSet<Board>> = HashMap::new();
        for (board, afters) in &edges {
            for after in afters {
                before.entry(*after).or_default().insert(*board);
            }
        }
        for board in edges.keys() {
            let mut found = Vec::new();
            board.each_before(|board| found.push(board));
            let all: HashSet<Board> = found.iter().copied().collect();
            assert_eq!(all.len(), found.len(), "a board twice before {board:?}");
            for known in before.get(board).into_iter().flatten() {
                assert!(all.contains(known), "{known:?} is missing before {board:?}");
            }
            for other in all {
                let mut leads = false;
                other.each_after(|after| leads |= after == *board);
                assert!(leads, "{other:?} does not lead to {board:?}");
                assert!(!other.can_catch() && !other.has_tried() && !other.is_tried());
            }
        }
    }
}
