//! 3D four-in-a-row.

use games::score_four::{Peg, Position};

use crate::layout::Encoding;
use crate::layout::{Layout, set};

/// The layout `score-four`: planes 0-3 are the balls of the seat to move by level, from the bottom, planes 4-7 those
/// of the other seat; a peg `x + 4 y` is the square in column x of row y, and the logit of a move there.
#[derive(Clone, Copy, Debug)]
pub struct ScoreFour;

const PEGS: usize = 16;

impl Encoding for ScoreFour {
    type Position = Position;
    type Move = Peg;

    const LAYOUT: Layout = Layout {
        name: "score-four",
        game: "score-four",
        version: 1,
        planes: 8,
        constants: &[],
        globals: 0,
        height: 4,
        width: 4,
        policy: PEGS,
        seats: 2,
        outcomes: 0,
    };

    fn pack(position: &Position, packed: &mut [u8]) {
        assert_eq!(packed.len(), Self::LAYOUT.bytes(), "a packed position");
        packed.fill(0);
        let mover = position.to_move().unwrap_or(0);
        for (side, seat) in [mover, 1 - mover].into_iter().enumerate() {
            let mut balls = position.balls(seat);
            while balls != 0 {
                // A ball's bit is its level times 16 plus its peg.
                set(packed, side * 4 * PEGS + balls.trailing_zeros() as usize);
                balls &= balls - 1;
            }
        }
    }

    #[inline]
    fn logit(_: &Position, mv: Peg) -> u16 {
        mv.index() as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

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
            entries.push(testing::Entry::of::<ScoreFour>(moves, &position, &legal));
            position.play_unchecked(peg);
        }
        testing::check("score-four", &entries);
    }
}
