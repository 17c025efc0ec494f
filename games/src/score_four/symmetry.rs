//! The eight symmetries of the board with gravity: those of the square of pegs.

use super::{Peg, Position};

/// A symmetry: perhaps the exchange of `x` and `y`, then perhaps mirrors of `x` and `y`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Self; 8] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        // With the exchange, the mirrors change their axes.
        if self.0 & 4 == 0 {
            self
        } else {
            Self(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1)
        }
    }

    /// Where a peg goes.
    pub const fn peg(self, peg: Peg) -> Peg {
        let (mut x, mut y) = (peg.x(), peg.y());
        if self.0 & 4 != 0 {
            (x, y) = (y, x);
        }
        if self.0 & 1 != 0 {
            x = 3 - x;
        }
        if self.0 & 2 != 0 {
            y = 3 - y;
        }
        Peg::under((x + 4 * y) as u32)
    }

    /// Where squares go.
    #[inline]
    pub const fn squares(self, mut squares: u64) -> u64 {
        if self.0 & 4 != 0 {
            squares = exchange(squares);
        }
        if self.0 & 1 != 0 {
            squares = mirror_x(squares);
        }
        if self.0 & 2 != 0 {
            squares = mirror_y(squares);
        }
        squares
    }
}

#[inline]
const fn mirror_x(b: u64) -> u64 {
    let b = (b & 0x5555_5555_5555_5555) << 1 | b >> 1 & 0x5555_5555_5555_5555;
    (b & 0x3333_3333_3333_3333) << 2 | b >> 2 & 0x3333_3333_3333_3333
}

#[inline]
const fn mirror_y(b: u64) -> u64 {
    let b = (b & 0x0f0f_0f0f_0f0f_0f0f) << 4 | b >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    (b & 0x00ff_00ff_00ff_00ff) << 8 | b >> 8 & 0x00ff_00ff_00ff_00ff
}

/// Transposes the four squares of 4 by 4 by two exchanges of blocks.
#[inline]
const fn exchange(b: u64) -> u64 {
    let t = (b ^ b >> 3) & 0x0a0a_0a0a_0a0a_0a0a;
    let b = b ^ t ^ t << 3;
    let t = (b ^ b >> 6) & 0x00cc_00cc_00cc_00cc;
    b ^ t ^ t << 6
}

impl Position {
    /// The position under a symmetry.
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Self {
        Self {
            sides: self.sides.map(|side| symmetry.squares(side)),
            line: symmetry.squares(self.line),
        }
    }
}
