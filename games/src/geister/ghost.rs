//! Ghosts, their colours, which of them are red, and where they are.

use super::{GHOSTS, Square};

/// One of a side's eight ghosts, A to H.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ghost(u8);

impl Ghost {
    /// A to H.
    pub const ALL: [Self; GHOSTS] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// The ghost with index 0 to 7; `None` from 8 on.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < GHOSTS {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// The ghost of a letter A to H, in either case.
    pub const fn from_letter(letter: char) -> Option<Self> {
        let letter = letter.to_ascii_uppercase();
        if letter >= 'A' && letter <= 'H' {
            Some(Self(letter as u8 - b'A'))
        } else {
            None
        }
    }

    /// 0 for A to 7 for H.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its letter, a capital.
    pub const fn letter(self) -> char {
        (b'A' + self.0) as char
    }

    /// Where it stands at the start, in its own side's frame: A to D at (1..4, 4), E to H at (1..4, 5).
    pub const fn home(self) -> Square {
        match Square::new(1 + self.0 % 4, 4 + self.0 / 4) {
            Some(square) => square,
            None => unreachable!(),
        }
    }
}

/// Colour of a ghost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Colour {
    /// Good: it may escape, and four captured lose the game.
    Blue,
    /// Evil: four captured win the game.
    Red,
}

/// Where a ghost is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// On the board, in the frame of the seat that looks.
    On(Square),
    /// Captured by the other side.
    Captured,
    /// Off the board through a far corner.
    Escaped,
}

impl Place {
    /// The square of a ghost on the board.
    #[inline]
    pub const fn square(self) -> Option<Square> {
        match self {
            Self::On(square) => Some(square),
            Self::Captured | Self::Escaped => None,
        }
    }
}

const COUNT: usize = 70;

/// Which four of a side's ghosts are red. Prints and reads as their letters, `ABCD`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Placement(u8);

impl Placement {
    /// From a mask with bit 0 for A to bit 7 for H; `None` unless four bits are set.
    #[inline]
    pub const fn new(mask: u8) -> Option<Self> {
        if mask.count_ones() == 4 {
            Some(Self(mask))
        } else {
            None
        }
    }

    /// All 70, by mask.
    pub const ALL: [Self; COUNT] = {
        let mut all = [Self(0); COUNT];
        let (mut mask, mut n) = (0_u8, 0);
        while n < COUNT {
            if mask.count_ones() == 4 {
                all[n] = Self(mask);
                n += 1;
            }
            mask = mask.wrapping_add(1);
        }
        all
    };

    /// The red ghosts: bit 0 for A to bit 7 for H.
    #[inline]
    pub const fn mask(self) -> u8 {
        self.0
    }

    /// Whether the ghost is red.
    #[inline]
    pub const fn is_red(self, ghost: Ghost) -> bool {
        self.0 >> ghost.index() & 1 != 0
    }

    /// Colour of a ghost.
    #[inline]
    pub const fn colour(self, ghost: Ghost) -> Colour {
        if self.is_red(ghost) {
            Colour::Red
        } else {
            Colour::Blue
        }
    }
}
