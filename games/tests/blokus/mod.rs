//! Tests of Blokus against a slow and obvious restatement of its rules.

mod blksgf;
mod conformance;
mod game;
mod generators;
mod notation;
mod oracle;
mod perft;
mod placements;
mod rules;
mod scores;
mod symmetry;

use rand::Rng;
use taikyoku_games::blokus::{Board, Placement};

use crate::{below, rng};

/// One of the moves: any of them, or, the odder the seed, one of a largest piece.
fn choose(moves: &[Placement], seed: u64, rng: &mut impl Rng) -> Placement {
    if below(rng, 4) < (seed % 5) as usize {
        let largest = moves.iter().map(|p| p.size()).max();
        let moves: Vec<Placement> = moves
            .iter()
            .copied()
            .filter(|p| Some(p.size()) == largest)
            .collect();
        return moves[below(rng, moves.len())];
    }
    moves[below(rng, moves.len())]
}

/// The boards of a random game, each with the move made on it; a fifth of the seeds play uniformly, a fifth
/// always a largest piece.
fn random_game(seed: u64) -> Vec<(Board, Option<Placement>)> {
    let mut rng = rng(seed);
    let mut board = Board::new();
    let mut moves = Vec::new();
    let mut game = Vec::new();
    while board.to_move().is_some() {
        board.legal_moves(&mut moves);
        let mv = choose(&moves, seed, &mut rng);
        game.push((board, Some(mv)));
        board.play_unchecked(mv);
    }
    game.push((board, None));
    game
}
