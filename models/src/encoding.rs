//! From positions to packed positions, and from moves to logits.

use crate::Layout;

/// One way to give the positions of a game to a network.
pub trait Encoding {
    /// A position.
    type Position;
    /// A move.
    type Move: Copy;

    /// Its shape.
    const LAYOUT: Layout;

    /// Writes a position whose game is not over, as the seat to move sees it.
    ///
    /// # Panics
    /// When `packed` does not have [`Layout::bytes`] bytes.
    fn pack(position: &Self::Position, packed: &mut [u8]);

    /// The logit of a move of the seat to move, below [`Layout::policy`].
    fn logit(position: &Self::Position, mv: Self::Move) -> u16;

    /// Writes what became of the game, in the frame of an earlier position of it: [`Layout::outcome_bytes`] bytes,
    /// for layouts that have any.
    fn outcome(_position: &Self::Position, _end: &Self::Position, _packed: &mut [u8]) {}
}
