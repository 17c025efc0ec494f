//! Pegs and sets of pegs.

use super::{LEVELS, PEGS};

/// A peg: index `x + 4 y`, `x` 0 to 3 for the letters a to d, `y` 0 to 3 for the numbers 1 to 4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Peg(u8);

impl Peg {
    /// All 16, by index.
    pub const ALL: [Self; PEGS] = {
        let mut all = [Self(0); PEGS];
        let mut i = 0;
        while i < PEGS {
            all[i] = Self(i as u8);
            i += 1;
        }
        all
    };

    /// The peg with index `x + 4 y`; `None` from 16 on.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < PEGS {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// The peg at `x`, `y`; `None` off the board.
    #[inline]
    pub const fn new(x: u8, y: u8) -> Option<Self> {
        if x < 4 && y < 4 {
            Some(Self(x + 4 * y))
        } else {
            None
        }
    }

    /// The peg under a square's bit number, 0 to 63; higher bits of the number are ignored.
    #[inline]
    pub const fn under(square: u32) -> Self {
        Self(square as u8 & 15)
    }

    /// `x + 4 y`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 to 3 for the letters a to d.
    #[inline]
    pub const fn x(self) -> u8 {
        self.0 & 3
    }

    /// 0 to 3 for the numbers 1 to 4.
    #[inline]
    pub const fn y(self) -> u8 {
        self.0 >> 2
    }

    /// The four squares of the peg.
    #[inline]
    pub const fn column(self) -> u64 {
        0x0001_0001_0001_0001 << self.0
    }

    /// The square on this peg at a level; `None` from level 4 on.
    #[inline]
    pub const fn square(self, level: usize) -> Option<u64> {
        if level < LEVELS {
            Some(1 << (self.0 as usize + PEGS * level))
        } else {
            None
        }
    }
}

/// A set of pegs, which gives them by index.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pegs(u16);

impl Pegs {
    /// From a mask with a bit for each index.
    #[inline]
    pub const fn from_mask(mask: u16) -> Self {
        Self(mask)
    }

    /// A bit for each index.
    #[inline]
    pub const fn mask(&self) -> u16 {
        self.0
    }

    /// Whether the peg is in the set.
    #[inline]
    pub const fn contains(&self, peg: Peg) -> bool {
        self.0 >> peg.0 & 1 == 1
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0 == 0
    }
}

impl Iterator for Pegs {
    type Item = Peg;

    #[inline]
    fn next(&mut self) -> Option<Peg> {
        if self.0 == 0 {
            return None;
        }
        let peg = Peg(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(peg)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for Pegs {}
