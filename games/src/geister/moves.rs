//! Moves and the list that a generator fills.

use arrayvec::ArrayVec;

use super::{Direction, Ghost};

/// A step of one ghost, in the words of the seat that moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The ghost.
    pub ghost: Ghost,
    /// Where it goes.
    pub direction: Direction,
}

/// Legal moves without allocation, in the order of the generator: ghosts A to H, each to the east,
/// south, west, north. No position has more than those of eight ghosts in four directions.
pub type MoveList = ArrayVec<Move, 32>;
