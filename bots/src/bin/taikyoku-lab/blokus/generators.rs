//! The generators of legal moves against each other.

use clap::Args;
use games::blokus::{Board, Placement, Position};
use taikyoku_bots::blokus::{Engine, GreedyEngine};

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// Games, by turns uniformly random and with the biggest piece.
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Seed of the first game.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let (mut by_rows, mut by_sets) = (Vec::new(), Vec::new());
    let (mut positions, mut moves) = (0_u64, 0_u64);
    for game in 0..options.games {
        let epsilon = if game % 2 == 0 { 1.0 } else { 0.05 };
        let mut player = GreedyEngine::new(epsilon, options.seed.wrapping_add(game));
        let mut position = Position::new();
        while let Some(colour) = position.to_move() {
            let board: Board = *position.board();
            board.legal_moves(&mut by_rows);
            position.legal_moves(&mut by_sets);
            let by_rule = Placement::all().filter(|&mv| board.is_legal(colour, mv));
            if by_rows != by_sets || !by_rule.eq(by_rows.iter().copied()) {
                return Err(format!("the generators differ in game {game} on\n{board}").into());
            }
            positions += 1;
            moves += by_rows.len() as u64;
            position.play_unchecked(player.choose(&board, None));
        }
    }
    println!(
        "rows, sets and scan agree on {moves} moves of {positions} positions of {} games",
        options.games
    );
    Ok(())
}
