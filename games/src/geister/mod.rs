//! Geister (ガイスター) under the rules of the GAT tournament: two seats, four blue and four red
//! ghosts a side on a board of 6 by 6.
//!
//! Terms: a *placement* (配置) says which of a side's ghosts A..H are red; a ghost on the board whose
//! colour a seat does not know is *unknown*; a blue ghost on one of the two far corners may *escape*
//! (脱出). Each seat sees itself at the bottom: a [`Square`] is always in the frame of one seat, and
//! [`Square::turned`] gives the same square as the other seat sees it.
//!
//! A [`Position`] is the true state, a [`View`] what one seat may know of it.
//!
//! ```
//! use taikyoku_games::geister::{Ghost, Position, Rules};
//!
//! let mut position = Position::new(["ABCD".parse()?, "EFGH".parse()?], Rules::default());
//! position.play("A,N".parse()?)?;
//! let view = position.view(1);
//! assert_eq!(view.to_move(), Some(1));
//! assert_eq!(view.enemy(Ghost::ALL[0]).1, None, "A's colour is not known");
//! assert_eq!(view.placements().count(), 70);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod game;
mod ghost;
mod moves;
mod notation;
mod position;
mod square;
mod view;

pub use game::{GameView, Geister, IllegalTurn, PublicView, Turn, TurnView};
pub use ghost::{Colour, Ghost, Place, Placement};
pub use moves::{Move, MoveList};
pub use notation::ParseError;
pub use position::{End, EndKind, IllegalMove, Played, Position, Rules};
pub use square::{Direction, Square, Squares};
pub use view::{Contradiction, View};

/// Seats at a table.
pub const SEATS: usize = 2;
/// Ghosts of one side.
pub const GHOSTS: usize = 8;
/// Squares of the board.
pub const SQUARES: usize = 36;
