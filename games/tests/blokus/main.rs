//! Tests of Blokus against a slow and obvious restatement of its rules.

mod blksgf;
mod conformance;
mod game;
mod generators;
mod notation;
mod oracle;
mod perft;
#[path = "../perft/mod.rs"]
mod perft_file;
mod placements;
mod rules;
mod scores;
mod symmetry;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_games::blokus::{Board, Placement};

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A number in 0..n.
fn below(rng: &mut impl Rng, n: usize) -> usize {
    (rng.next_u64() % n as u64) as usize
}

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
