//! Which of a side's ghosts are red.

use super::{Color, Ghost};

/// Number of placements: four of eight.
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
    pub const fn color(self, ghost: Ghost) -> Color {
        if self.is_red(ghost) {
            Color::Red
        } else {
            Color::Blue
        }
    }
}
