//! The layout against the rules, and against its fixture.

use games::score_four::{Peg, Position};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::ScoreFour;
use crate::{Encoding, fixture};

/// The moves of a random game.
fn random_game(seed: u64) -> Vec<Peg> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = Position::START;
    let mut game = Vec::new();
    while position.to_move().is_some() {
        let legal: Vec<_> = position.legal_pegs().collect();
        let peg = legal[rng.random_range(0..legal.len())];
        position.play_unchecked(peg);
        game.push(peg);
    }
    game
}

#[test]
fn planes_are_the_balls_by_level() {
    for seed in 0..20 {
        let mut position = Position::START;
        for peg in random_game(seed) {
            let mut packed = [0xaa; ScoreFour::LAYOUT.bytes()];
            ScoreFour::pack(&position, &mut packed);
            let (mut x, mut g) = ([0.0; 8 * 16], []);
            ScoreFour::LAYOUT.expand(&packed, &mut x, &mut g);
            let mover = position.to_move().expect("the game goes on");
            for (square, &bit) in x.iter().enumerate() {
                let (side, level, peg) = (square / 64, square / 16 % 4, square % 16);
                let owner = Peg::from_index(peg).and_then(|peg| position.owner(peg, level));
                let seat = if side == 0 { mover } else { 1 - mover };
                assert_eq!(bit > 0.5, owner == Some(seat));
            }
            position.play_unchecked(peg);
        }
    }
}

#[test]
fn fixtures() {
    let game = random_game(5);
    let mut position = Position::START;
    let mut entries = Vec::new();
    for (ply, &peg) in game.iter().enumerate() {
        let legal: Vec<_> = position.legal_pegs().collect();
        let moves = game[..ply].iter().map(ToString::to_string).collect();
        entries.push(fixture::Entry::of::<ScoreFour>(moves, &position, &legal));
        position.play_unchecked(peg);
    }
    fixture::check("score-four", &entries);
}
