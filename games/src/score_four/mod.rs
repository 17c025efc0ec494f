//! 3D four-in-a-row with gravity (score four, 立体四目並べ): 16 pegs in a square of 4 by 4, four balls
//! to a peg; the player that first has four balls of one colour in a line wins.
//!
//! Terms: a [`Peg`] is named `a1` to `d4`; a *square* is a place for one ball, on a peg and a *level*
//! (0 at the bottom to 3), and is a bit `x + 4 y + 16 level` of a `u64`. Seat 0 moves first and its
//! balls are drawn `x`, those of seat 1 `o`. All is open, so a seat's `View` is the [`Position`].
//!
//! ```
//! use taikyoku_games::score_four::Position;
//!
//! // A draw: all 64 balls are on the board and no line is complete.
//! let board = "xoxo/ooxo/xoox/xxox/xxox/ooox/xxox/ooxo/xxoo/oxoo/oxoo/ooxx/ooxx/xxox/oxxo/xxxo";
//! let position: Position = board.parse().unwrap();
//! assert_eq!(position.end().unwrap().winner, None);
//! let drawing = "   level 1   level 2   level 3   level 4
//! 4  o x o x   o x x x   x o x x   x x o o
//! 3  x o o o   x x x o   o o o x   o o o x
//! 2  x o x o   x o x o   o o o x   x x x o
//! 1  x o x x   o o o x   x x o o   o o x x
//!    a b c d   a b c d   a b c d   a b c d
//! ";
//! assert_eq!(format!("{position:#}"), drawing);
//! ```

mod game;
mod line;
mod notation;
mod peg;
mod position;
mod symmetry;

pub use game::{Rules, ScoreFour};
pub use line::{LINE_COUNT, LINES, THROUGH, has_line, lines_at, open_squares};
pub use notation::ParseError;
pub use peg::{Peg, Pegs};
pub use position::{End, IllegalMove, InvalidPosition, Position};
pub use symmetry::Symmetry;

/// Seats at a table.
pub const SEATS: usize = 2;
/// Pegs of the board.
pub const PEGS: usize = 16;
/// Balls on a full peg.
pub const LEVELS: usize = 4;
/// Squares of the board.
pub const SQUARES: usize = PEGS * LEVELS;

/// What one seat may know: everything.
pub type View = Position;
