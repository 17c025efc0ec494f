//! Moves and the list that a generator fills.

use super::{Direction, Ghost};

/// A step of one ghost, in the words of the seat that moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The ghost.
    pub ghost: Ghost,
    /// Where it goes.
    pub direction: Direction,
}

/// Most moves that a position can have: eight ghosts, four directions.
const MOST: usize = 32;

/// Legal moves without allocation, in the order of the generator: ghosts A to H, each to the east,
/// south, west, north.
#[derive(Clone, Copy, Debug)]
pub struct MoveList {
    moves: [Move; MOST],
    len: usize,
}

impl MoveList {
    /// No move.
    #[inline]
    pub const fn new() -> Self {
        let none = Move {
            ghost: Ghost::ALL[0],
            direction: Direction::East,
        };
        Self {
            moves: [none; MOST],
            len: 0,
        }
    }

    /// Forgets all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    pub(super) fn push(&mut self, mv: Move) {
        self.moves[self.len] = mv;
        self.len += 1;
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}
