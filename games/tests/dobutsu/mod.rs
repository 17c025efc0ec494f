//! Tests of Dobutsu shogi against a slow and obvious restatement of its rules.

mod before;
mod conformance;
mod game;
mod notation;
mod oracle;
mod perft;
mod rules;

use rand::RngExt as _;
use taikyoku_games::dobutsu::{Move, MoveList, Position};

use crate::rng;

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

fn moves(position: &Position) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.to_vec()
}

/// All positions of a random game of at most a hundred plies, with the moves played. In games with an odd seed no
/// seat leaves its lion to be captured while it can help it, so that they are longer.
fn random_game(seed: u64, mut position: Position) -> Vec<(Position, Option<Move>)> {
    let mut rng = rng(seed);
    let mut game = Vec::new();
    while game.len() < 100 {
        let moves = moves(&position);
        if moves.is_empty() {
            break;
        }
        let mut mv = moves[rng.random_range(0..moves.len())];
        for _ in 0..12 {
            let mut next = position;
            next.play(mv).unwrap();
            if seed.is_multiple_of(2) || !next.board().can_catch() {
                break;
            }
            mv = moves[rng.random_range(0..moves.len())];
        }
        game.push((position, Some(mv)));
        position.play(mv).unwrap();
    }
    game.push((position, None));
    game
}
