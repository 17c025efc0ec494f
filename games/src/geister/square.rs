//! Squares, sets of squares and directions, in the frame of one seat.

use super::SQUARES;

/// A square as one seat sees it: index `x + 6y`, `x` from left to right, `y` from 0 (the far row) to
/// 5 (the own back row).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// The far corner on the left, from which a blue ghost escapes.
    pub const FAR_LEFT: Self = Self(0);
    /// The far corner on the right, from which a blue ghost escapes.
    pub const FAR_RIGHT: Self = Self(5);

    /// The square at `x`, `y`; `None` off the board.
    #[inline]
    pub const fn new(x: u8, y: u8) -> Option<Self> {
        if x < 6 && y < 6 {
            Some(Self(x + 6 * y))
        } else {
            None
        }
    }

    /// The square with index `x + 6y`; `None` from 36 on.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < SQUARES {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// All 36, by index.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SQUARES as u8).map(Self)
    }

    /// Column, 0 to 5 from left to right.
    #[inline]
    pub const fn x(self) -> u8 {
        self.0 % 6
    }

    /// Row, 0 (far) to 5 (own back row).
    #[inline]
    pub const fn y(self) -> u8 {
        self.0 / 6
    }

    /// `x + 6y`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The same square as the other seat sees it.
    #[inline]
    #[must_use]
    pub const fn turned(self) -> Self {
        Self(35 - self.0)
    }

    /// The next square in a direction; `None` off the board.
    #[inline]
    pub fn step(self, direction: Direction) -> Option<Self> {
        let to = NEIGHBOURS[self.index()][direction as usize];
        (to != OFF).then_some(Self(to))
    }

    /// Whether a blue ghost here may leave the board in `direction`, in either spelling: from the far
    /// left corner to the west or north, from the far right one to the east or north.
    #[inline]
    pub fn is_exit(self, direction: Direction) -> bool {
        match direction {
            Direction::North => self == Self::FAR_LEFT || self == Self::FAR_RIGHT,
            Direction::West => self == Self::FAR_LEFT,
            Direction::East => self == Self::FAR_RIGHT,
            Direction::South => false,
        }
    }
}

const OFF: u8 = u8::MAX;

const NEIGHBOURS: [[u8; 4]; SQUARES] = {
    let mut table = [[OFF; 4]; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        let (x, y) = (i % 6, i / 6);
        if x < 5 {
            table[i][Direction::East as usize] = i as u8 + 1;
        }
        if y < 5 {
            table[i][Direction::South as usize] = i as u8 + 6;
        }
        if x > 0 {
            table[i][Direction::West as usize] = i as u8 - 1;
        }
        if y > 0 {
            table[i][Direction::North as usize] = i as u8 - 6;
        }
        i += 1;
    }
    table
};

/// A direction as the moving seat sees it: north is towards the other side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// To the right.
    East,
    /// Back, towards the own side.
    South,
    /// To the left.
    West,
    /// Ahead, towards the other side.
    North,
}

impl Direction {
    /// All four, in the order of the move list.
    pub const ALL: [Self; 4] = [Self::East, Self::South, Self::West, Self::North];

    /// The same direction as the other seat sees it.
    #[inline]
    #[must_use]
    pub const fn turned(self) -> Self {
        match self {
            Self::East => Self::West,
            Self::South => Self::North,
            Self::West => Self::East,
            Self::North => Self::South,
        }
    }
}

/// A set of squares in the frame of one seat, one bit a square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Squares(u64);

impl Squares {
    /// No square.
    pub const EMPTY: Self = Self(0);

    /// Whether the square is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.0 & 1 != 0
    }

    /// Adds a square.
    #[inline]
    pub const fn insert(&mut self, square: Square) {
        self.0 |= 1 << square.0;
    }

    /// Takes a square out.
    #[inline]
    pub const fn remove(&mut self, square: Square) {
        self.0 &= !(1 << square.0);
    }

    /// Number of squares.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The bits: bit `x + 6y`.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The same squares as the other seat sees them.
    #[inline]
    #[must_use]
    pub const fn turned(self) -> Self {
        Self(self.0.reverse_bits() >> (64 - SQUARES))
    }
}

impl FromIterator<Square> for Squares {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        let mut set = Self::EMPTY;
        for square in squares {
            set.insert(square);
        }
        set
    }
}
