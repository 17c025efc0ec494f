//! Positions that are set up.

use super::super::{Board, Colour, IllegalMove, PIECES, Placement, SEATS};

/// Pieces of all colours.
pub(super) const PIECE_LIMIT: usize = PIECES * SEATS;

/// Pieces that lie on the board before the first move, and whose turn it is.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Setup {
    /// The pieces. Their order matters only for the bonus of a colour that has placed all: its last
    /// piece is the one that comes last here, as far as the rules let it.
    pub pieces: Vec<(Colour, Placement)>,
    /// The colour whose turn it is, or would be if it had a move; blue when it is not said.
    pub to_move: Option<Colour>,
}

/// A piece that no order of the pieces makes legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the pieces cannot lie like that: {0} cannot place {1}: {2}")]
pub struct InvalidSetup(pub Colour, pub Placement, pub IllegalMove);

impl Setup {
    /// Whether nothing is set up.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.to_move.is_none()
    }

    /// The board with these pieces: each colour's must lie as if it had placed them one by one.
    ///
    /// # Errors
    /// A piece that cannot lie where it does.
    pub fn board(&self) -> Result<Board, InvalidSetup> {
        let mut board = Board::new();
        let mut waiting = self.pieces.clone();
        while !waiting.is_empty() {
            let before = waiting.len();
            // What is legal now stays legal whatever the others do, unless the pieces contradict one
            // another: so the order in which they are tried does not matter.
            waiting.retain(|&(colour, placement)| {
                let legal = board.is_legal(colour, placement);
                if legal {
                    board.put(colour, placement);
                }
                !legal
            });
            if waiting.len() == before {
                let (colour, placement) = waiting[0];
                let reason = board.check(colour, placement).err();
                // One of those that wait is illegal, or it would not wait.
                let reason = reason.unwrap_or(IllegalMove::Apart(colour));
                return Err(InvalidSetup(colour, placement, reason));
            }
        }
        board.give_turn(self.to_move.unwrap_or(Colour::BLUE));
        Ok(board)
    }
}
