//! A position as the search of `best` sees it: from the side of the seat to move, with threats.

use games::score_four::{Position, THROUGH};

/// Balls and threats of the seat to move (0) and of the other one (1). Nobody has a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    pub(crate) sides: [u64; 2],
    /// Squares that would complete a line of a side; some have a ball of the other side.
    pub(crate) threats: [u64; 2],
    /// Squares where the next ball may come to rest.
    pub(crate) rests: u64,
}

/// Squares on which the mover does not lose at once, or that the game is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// The mover completes a line with this ball.
    Win(u64),
    /// The only square that stops a line of the other seat.
    Forced(u64),
    /// Squares after which the other seat has no line at once; at least one.
    Safe(u64),
    /// Whatever the mover does, the other seat completes a line with its next ball.
    Lost,
    /// The board is full after the next ball, or is full.
    Full,
}

/// Squares that complete a line of `own` through the square with number `square`, which is one of them.
#[inline]
fn threats_through(own: u64, square: u32) -> u64 {
    let mut threats = 0;
    for line in &THROUGH[square as usize & 63] {
        let missing = line & !own;
        threats |= if missing & missing.wrapping_sub(1) == 0 {
            missing
        } else {
            0
        };
    }
    threats
}

impl Board {
    /// The board of a position that is not over.
    pub fn of(position: &Position) -> Self {
        let mover = position.ply() & 1;
        let sides = [mover, 1 - mover].map(|seat| position.balls(seat));
        let threats = sides.map(|side| {
            let squares = (0..64).filter(|square| side >> square & 1 == 1);
            squares.fold(0, |all, square| all | threats_through(side, square))
        });
        Self {
            sides,
            threats,
            rests: position.rests(),
        }
    }

    pub(crate) fn position(&self) -> Position {
        let [own, other] = self.sides;
        let is_first = own.count_ones() == other.count_ones();
        let sides = if is_first { [own, other] } else { [other, own] };
        Position::from_sides(sides).expect("a board is that of a position")
    }

    /// The squares that the mover may choose from, or how the game is decided.
    #[inline]
    pub const fn moves(&self) -> Moves {
        let [own, other] = self.threats;
        let win = own & self.rests;
        if win != 0 {
            return Moves::Win(win & win.wrapping_neg());
        }
        let block = other & self.rests;
        if block != 0 {
            return if block.is_power_of_two() {
                Moves::Forced(block)
            } else {
                Moves::Lost
            };
        }
        if self.rests == 0 {
            return Moves::Full;
        }
        let safe = self.rests & !(other >> 16);
        if safe == 0 {
            Moves::Lost
        } else {
            Moves::Safe(safe)
        }
    }

    /// The board after a ball that completes no line.
    #[inline]
    pub(crate) fn after(&self, ball: u64) -> Self {
        let own = self.sides[0] | ball;
        let threats = self.threats[0] | threats_through(own, ball.trailing_zeros());
        Self {
            sides: [self.sides[1], own],
            threats: [self.threats[1], threats],
            rests: self.rests ^ ball ^ ball << 16,
        }
    }

    /// A hash of the balls; boards with another seat to move have other numbers of balls.
    #[inline]
    pub(crate) const fn key(&self) -> u64 {
        // One side is spread over all 64 bits before the other one comes in: sums of products alone
        // would let high squares of both collide.
        let spread = mix(self.sides[0].wrapping_add(0x9e37_79b9_7f4a_7c15));
        mix(spread ^ self.sides[1])
    }
}

/// A permutation of the words of 64 bits in which every bit depends on every bit (the finalizer of
/// `SplitMix64`, G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014).
#[inline]
pub(super) const fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::score_four::late_position;

    #[test]
    fn a_board_is_that_of_its_position() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for empty in 2..40 {
            let position = late_position(empty, &mut rng);
            assert_eq!(Board::of(&position).position(), position);
        }
    }
}
