//! Why a move is illegal.

use super::{Cell, Colour, Piece};

/// The rule that forbids a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// No colour has a move.
    #[error("the game is over")]
    Over,
    /// The colour is out of the game.
    #[error("{0} is out of the game")]
    Out(Colour),
    /// The colour has placed the piece already.
    #[error("{0} has placed its piece {1} already")]
    Placed(Colour, Piece),
    /// A square is covered.
    #[error("the square {0} is covered already")]
    Covered(Cell),
    /// A square lies beside a piece of the same colour.
    #[error(
        "the square {0} lies beside another piece of {1}; own pieces may touch at corners only"
    )]
    Beside(Cell, Colour),
    /// The first piece does not cover the start.
    #[error("the first piece of {0} must cover {start}", start = .0.start())]
    Start(Colour),
    /// No corner touches that of an own piece.
    #[error("the piece touches no other piece of {0} at a corner")]
    Apart(Colour),
}
