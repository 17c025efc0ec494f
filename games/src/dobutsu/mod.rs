//! Dobutsu shogi (どうぶつしょうぎ): a lion, a giraffe, an elephant and a chick a side on 3 files by 4 ranks.
//!
//! Terms: a *catch* (キャッチ) is the capture of the lion; a *try* (トライ) is a lion that reaches the far rank, which
//! wins unless it can be captured there at once, and at the next turn if it could and was not. A [`Square`] of a
//! [`Position`] is as seat 0 sees it, which moves first and plays to the top; a [`Board`] is turned so that the mover
//! plays to the top. All is open, so a seat's `View` is the game.
//!
//! ```
//! use taikyoku_games::dobutsu::{MoveList, Position};
//!
//! let mut position = Position::START;
//! position.play("2c2b".parse()?)?;
//! position.play("1a2b".parse()?)?;
//! assert_eq!(position.to_string(), "gl1/1e1/3/ELG b Cc 1");
//! let drawing = "   3  2  1
//! a  g  l  .   hand c
//! b  .  e  .
//! c  .  .  .
//! d  E  L  G   hand C
//! ";
//! assert_eq!(format!("{position:#}"), drawing);
//! let mut moves = MoveList::new();
//! position.legal_moves(&mut moves);
//! assert_eq!(moves.len(), 11);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod animal_shogi;
mod board;
mod csa;
mod game;
mod moves;
mod notation;
mod piece;
mod position;
mod square;

pub use board::Board;
pub use game::{Dobutsu, Rules};
pub use moves::{MOST_MOVES, Move, MoveList};
pub use notation::ParseError;
pub use piece::PieceKind;
pub use position::{End, EndKind, IllegalMove, Position, Variant};
pub use square::{Square, squares};

/// Seats at a table.
pub const SEATS: usize = 2;
/// Squares of the board.
pub const SQUARES: usize = 12;

/// What one seat may know: everything.
pub type View = Position;
