//! Records.

mod errors;
mod properties;
mod reading;
mod setup;

use taikyoku_games::blokus::blksgf::Game;
use taikyoku_games::blokus::{Board, Placement};

use super::random_game;

fn p(text: &str) -> Placement {
    text.parse().unwrap()
}

fn record(seed: u64) -> (Game, Board) {
    let mut game = Game::default();
    let mut last = Board::new();
    for (board, mv) in random_game(seed) {
        game.moves.extend(board.to_move().zip(mv));
        last = board;
    }
    (game, last)
}
