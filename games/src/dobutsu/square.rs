//! Squares of the board of 3 by 4.

use super::SQUARES;

/// A square: index `x + 3 y`, `x` from 0 on the left to 2, `y` from 0 at the top (the home rank of seat 1) to
/// 3 (that of seat 0), as seat 0 sees the board. In a [`Board`](super::Board) it is as the mover sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// All 12, by index.
    pub const ALL: [Self; SQUARES] = {
        let mut all = [Self(0); SQUARES];
        let mut i = 0;
        while i < SQUARES {
            all[i] = Self(i as u8);
            i += 1;
        }
        all
    };

    /// The square at `x`, `y`; `None` off the board.
    #[inline]
    pub const fn new(x: u8, y: u8) -> Option<Self> {
        if x < 3 && y < 4 {
            Some(Self(x + 3 * y))
        } else {
            None
        }
    }

    /// The square with this index; `None` from 12 on.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < SQUARES {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// The square of a bit number below 12.
    #[inline]
    pub(super) const fn at(index: u32) -> Self {
        debug_assert!(index < SQUARES as u32);
        Self(index as u8)
    }

    /// 0 on the left to 2.
    #[inline]
    pub const fn x(self) -> u8 {
        self.0 % 3
    }

    /// 0 at the top to 3.
    #[inline]
    pub const fn y(self) -> u8 {
        self.0 / 3
    }

    /// `x + 3 y`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The bit of the square in a mask of twelve.
    #[inline]
    pub const fn bit(self) -> u16 {
        1 << self.0
    }

    /// The same square as the other seat sees it.
    #[inline]
    #[must_use]
    pub const fn turned(self) -> Self {
        Self(11 - self.0)
    }

    /// The square in the mirror that exchanges left and right.
    #[inline]
    #[must_use]
    pub const fn mirrored(self) -> Self {
        Self(self.0 + 2 - 2 * (self.0 % 3))
    }
}

/// The squares of a mask, by index.
pub fn squares(mask: u16) -> impl Iterator<Item = Square> {
    Square::ALL
        .into_iter()
        .filter(move |square| mask & square.bit() != 0)
}
