//! Moves and the list that a generator fills.

use arrayvec::ArrayVec;

use super::{PieceKind, Square};

/// A move, in one word: a step from a square, perhaps with the promotion of a chick, or a drop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

/// Where the number of the square of departure would be, a drop has this and the kind's number.
const DROP: u16 = 12;
const PROMOTES: u16 = 1 << 8;

impl Move {
    /// A step; `promotes` makes a hen of a chick.
    #[inline]
    pub const fn step(from: Square, to: Square, promotes: bool) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 4 | (promotes as u16) << 8)
    }

    /// A drop of a piece of the hand.
    ///
    /// # Panics
    /// If no hand can have the kind: a lion or a hen.
    #[inline]
    pub const fn drop(kind: PieceKind, to: Square) -> Self {
        assert!(
            matches!(
                kind,
                PieceKind::Giraffe | PieceKind::Elephant | PieceKind::Chick
            ),
            "no hand has a lion or a hen"
        );
        Self((DROP + kind as u16 - 1) | (to.index() as u16) << 4)
    }

    /// Where the piece comes from; `None` for a drop.
    #[inline]
    pub const fn from(self) -> Option<Square> {
        Square::from_index((self.0 & 15) as usize)
    }

    /// The kind that is dropped; `None` for a step.
    #[inline]
    pub const fn dropped(self) -> Option<PieceKind> {
        match self.0 & 15 {
            12 => Some(PieceKind::Giraffe),
            13 => Some(PieceKind::Elephant),
            14 => Some(PieceKind::Chick),
            _ => None,
        }
    }

    /// Where the piece goes.
    #[inline]
    pub const fn to(self) -> Square {
        Square::at((self.0 >> 4 & 15) as u32)
    }

    /// Whether a chick becomes a hen.
    #[inline]
    pub const fn promotes(self) -> bool {
        self.0 & PROMOTES != 0
    }

    /// The same step with or without a promotion.
    #[inline]
    #[must_use]
    pub const fn promoting(self, promotes: bool) -> Self {
        Self(self.0 & !PROMOTES | (promotes as u16) << 8)
    }

    const fn with_squares(self, from: Option<Square>, to: Square) -> Self {
        match from {
            Some(from) => Self::step(from, to, self.promotes()),
            None => Self(self.0 & 15 | (to.index() as u16) << 4),
        }
    }

    /// The same move as the other seat sees it.
    #[inline]
    #[must_use]
    pub const fn turned(self) -> Self {
        let from = match self.from() {
            Some(from) => Some(from.turned()),
            None => None,
        };
        self.with_squares(from, self.to().turned())
    }

    /// The move in the mirror that exchanges left and right.
    #[inline]
    #[must_use]
    pub const fn mirrored(self) -> Self {
        let from = match self.from() {
            Some(from) => Some(from.mirrored()),
            None => None,
        };
        self.with_squares(from, self.to().mirrored())
    }
}

/// The most moves of a list: no position has more than three drops on every empty square and the steps of six pieces.
pub const MOST_MOVES: usize = 64;

/// Legal moves without allocation, in the order of the generator: the steps by kind of piece and square, then the
/// drops by kind, each by square, as the mover sees the board.
pub type MoveList = ArrayVec<Move, MOST_MOVES>;
