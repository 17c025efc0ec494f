//! 3D four-in-a-row.

#[cfg(test)]
mod tests;

use games::score_four::{Peg, Position};

use crate::encoding::Encoding;
use crate::layout::{Layout, set};

/// The layout `score-four`: planes 0-3 are the balls of the seat to move by level, from the bottom, planes 4-7 those
/// of the other seat; a peg `x + 4 y` is the square in column x of row y, and the logit of a move there.
#[derive(Clone, Copy, Debug)]
pub struct ScoreFour;

/// Pegs, the bits of a level.
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
