//! A board and how it came about.

use super::{Board, Colour, Placement};

/// A board with the last moves that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    board: Board,
    /// The latest first.
    past: [Option<(Colour, Placement)>; Scene::PAST],
}

impl Scene {
    /// Moves that are remembered.
    pub const PAST: usize = 7;

    /// The beginning of a game.
    pub const fn new() -> Self {
        Self {
            board: Board::new(),
            past: [None; Self::PAST],
        }
    }

    /// The board.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The last moves, the latest first; none from before it is known what happened.
    #[inline]
    pub const fn past(&self) -> &[Option<(Colour, Placement)>; Self::PAST] {
        &self.past
    }

    /// Plays a legal move of the colour to move.
    ///
    /// # Panics
    /// May panic when the game is over. What an illegal move leaves behind is undefined.
    #[inline]
    pub fn play_unchecked(&mut self, placement: Placement) {
        if let Some(mover) = self.board.to_move() {
            self.past.rotate_right(1);
            self.past[0] = Some((mover, placement));
            self.board.play_unchecked(placement);
        }
    }

    /// Takes a colour out of the game for good; see [`Board::withdraw`].
    pub fn withdraw(&mut self, colour: Colour) {
        self.board.withdraw(colour);
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}

/// A board of which nothing else is known.
impl From<Board> for Scene {
    fn from(board: Board) -> Self {
        Self {
            board,
            past: [None; Self::PAST],
        }
    }
}
