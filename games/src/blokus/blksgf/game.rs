//! One line of a record as a game.

use std::fmt;
use std::str::FromStr;

use super::super::{Board, Colour, IllegalMove, Placement, SEATS};
use super::{Setup, SgfError, Tree};

/// A game: who plays, from which position, and the moves.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Game {
    /// Names by seat; an empty one is not written.
    pub players: [String; SEATS],
    /// Further properties of the root as names and values, such as `DT` for the date, `EV` for the event
    /// and `AP` for the program. A name that this format uses itself is not one of them.
    pub info: Vec<(String, String)>,
    /// The comment of the root.
    pub comment: String,
    /// What lies on the board at the start.
    pub setup: Setup,
    /// The moves. Colours may come out of turn.
    pub moves: Vec<(Colour, Placement)>,
}

impl Game {
    /// The board after all moves.
    ///
    /// # Errors
    /// What the rules forbid, as the text of a move or of the position at the start.
    pub fn board(&self) -> Result<Board, SgfError> {
        self.board_after(self.moves.len())
    }

    /// The board after so many moves, or after all when there are fewer.
    ///
    /// # Errors
    /// As [`Game::board`].
    pub fn board_after(&self, moves: usize) -> Result<Board, SgfError> {
        let nowhere = super::error::Location::default();
        let mut board = self.setup.board().map_err(|error| nowhere.error(error))?;
        for &(colour, placement) in self.moves.iter().take(moves) {
            board
                .place(colour, placement)
                .map_err(|reason| nowhere.error(illegal(colour, placement, reason)))?;
        }
        Ok(board)
    }

    /// A tree of one line. The moves are not checked.
    ///
    /// # Panics
    /// When the name of a further property is empty or has other characters than ASCII letters and
    /// digits.
    pub fn to_tree(&self) -> Tree {
        let mut tree = Tree::new();
        let root = tree.node_mut(Tree::ROOT);
        root.add("GM", "Blokus");
        root.add("CA", "UTF-8");
        for (name, value) in &self.info {
            root.add(name, value);
        }
        for (colour, name) in Colour::ALL.into_iter().zip(&self.players) {
            if !name.is_empty() {
                root.add(&format!("P{}", number(colour)), name);
            }
        }
        for colour in Colour::ALL {
            for (_, placement) in self.setup.pieces.iter().filter(|(c, _)| *c == colour) {
                root.add(&format!("A{}", number(colour)), placement.to_string());
            }
        }
        if let Some(colour) = self.setup.to_move {
            root.add("PL", number(colour).to_string());
        }
        if !self.comment.is_empty() {
            root.add("C", &self.comment);
        }
        let mut last = Tree::ROOT;
        for &(colour, placement) in &self.moves {
            last = tree.add(last);
            let node = tree.node_mut(last);
            node.add(&number(colour).to_string(), placement.to_string());
        }
        tree
    }
}

/// The number of a colour, 1 to 4.
fn number(colour: Colour) -> u8 {
    colour.seat() + 1
}

pub(super) fn illegal(
    colour: Colour,
    placement: Placement,
    reason: IllegalMove,
) -> super::SgfErrorKind {
    super::SgfErrorKind::Illegal(colour, placement, reason)
}

/// The text of the record.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_tree().fmt(f)
    }
}

/// Reads the main line of a text: see [`Game::of_line`].
impl FromStr for Game {
    type Err = SgfError;

    fn from_str(text: &str) -> Result<Game, SgfError> {
        let tree: Tree = text.parse()?;
        Game::of_line(&tree, &tree.main_line())
    }
}

/// A comment with the advanced scores of all colours, in turn order.
pub fn score_comment(board: &Board) -> String {
    let scores = Colour::ALL.map(|colour| format!("{colour} {}", board.score(colour)));
    format!("Scores: {}", scores.join(", "))
}
