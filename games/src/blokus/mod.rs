//! Blokus for four players on the board of 20x20 squares.
//!
//! A [`Board`] is the whole state in about a kilobyte of row bitmaps: it knows the rules, copies cheaply
//! and finds moves by looking at the rows, which is what playouts want. A [`Position`] is a board that
//! carries the sets of legal placements of all colours along, which is the fastest way to all legal
//! moves of each ply. A move is a [`Placement`]: its index, 0 to 30,432, is the numbering of policies.
//!
//! ```
//! use taikyoku_games::blokus::{Board, Placement};
//!
//! let mut board = Board::new();
//! let mut moves = Vec::new();
//! board.legal_moves(&mut moves);
//! assert_eq!(moves.len(), 58);
//! let placement: Placement = "a20,b20,b19,c19,b18".parse()?;
//! board.play(placement)?;
//! assert_eq!(placement.to_string(), "b18,b19,c19,a20,b20");
//! assert_eq!(board.to_move().map(|colour| colour.name()), Some("yellow"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod blksgf;
mod board;
mod cell;
mod colour;
mod game;
mod piece;
mod placement;
mod position;
mod rows;
mod scene;
mod score;

pub use board::{Board, IllegalMove};
pub use cell::Cell;
pub use colour::Colour;
pub use game::{Blokus, Rules};
pub use piece::{ORIENTATIONS, Orientation, PIECES, Piece, PieceSet};
pub use placement::{PLACEMENTS, Placement};
pub use position::Position;
pub use rows::{Anchors, Rows};
pub use scene::Scene;
pub use score::{Scoring, advanced_score};

/// Number of players and colours.
pub const SEATS: usize = 4;
/// Squares along an edge of the board.
pub const SIDE: usize = 20;
/// Squares of the board.
pub const CELLS: usize = SIDE * SIDE;
/// Squares of all pieces of a colour.
pub const SQUARES: u8 = 89;

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Not a square.
    #[error("`{0}` is not a square: write a letter a to t and a number 1 to 20, such as `b19`")]
    Cell(String),
    /// A square named twice.
    #[error("the square {0} is named twice")]
    Twice(Cell),
    /// The squares are no piece.
    #[error("the squares are not those of a piece: a piece is one to five squares joined at edges")]
    Shape,
    /// Not a colour.
    #[error("`{0}` is not a colour: write 1 to 4, or blue, yellow, red or green")]
    Colour(String),
    /// Not a piece.
    #[error("`{0}` is not the name of a piece, such as `I5` or `T4`")]
    Piece(String),
}

/// The first characters of a text from outside, to be repeated in an error.
fn shortened(text: &str) -> String {
    text.chars().take(20).collect()
}
