//! Tests of 3D four-in-a-row against a slow and obvious restatement of its rules.

mod conformance;
mod game;
mod notation;
mod oracle;
mod perft;
mod rules;
mod symmetry;

use rand::Rng;
use taikyoku_games::score_four::{Peg, Position};

use crate::rng;

fn random_peg(position: &Position, rng: &mut impl Rng) -> Peg {
    let mut pegs = position.legal_pegs();
    let n = rng.next_u64() % pegs.len() as u64;
    pegs.nth(n as usize).unwrap()
}

/// All positions of a random game, with the pegs played. Games with an odd seed avoid lines while they
/// can, so that some are drawn.
fn random_game(seed: u64) -> Vec<(Position, Option<Peg>)> {
    let mut rng = rng(seed);
    let mut position = Position::START;
    let mut game = Vec::new();
    while position.to_move().is_some() {
        let mut peg = random_peg(&position, &mut rng);
        for _ in 0..8 {
            let mut next = position;
            next.play(peg).unwrap();
            if seed.is_multiple_of(2) || next.end().is_none() {
                break;
            }
            peg = random_peg(&position, &mut rng);
        }
        game.push((position, Some(peg)));
        position.play(peg).unwrap();
    }
    game.push((position, None));
    game
}
