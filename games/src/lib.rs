//! Rules, notation, views of each seat and determinization of the games of Taikyoku.
//!
//! A game is a module: a small position that is cheap to copy, a generator of legal moves, a notation that reads what it
//! prints, and a `View`, which has all that one seat may know and is the only thing that may be encoded for that seat.
//! [`Game`] is what servers, records and tests need of a game with its history; [`Hidden`] adds the uniform draw of the
//! positions that agree with a view.
//!
//! Nothing here does input or output, keeps a clock, searches, or knows a protocol. There is no global state, and chance
//! comes only from the seed that the caller gives. `play` refuses an illegal move with the rule that forbids it and then has
//! changed nothing.
//!
//! Begin reading at the trait in `game.rs`, then at the smallest game, [`score_four`]. The feature `conformance` has the
//! suite of tests that every game passes, and draws the [`Cases`] of tests.

pub mod blokus;
#[cfg(feature = "conformance")]
mod cases;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod daihinmin;
mod deal_key;
pub mod dobutsu;
mod game;
pub mod geister;
mod name;
mod offer;
mod printable;
pub mod score_four;
mod seat;
mod written;

pub use blokus::Blokus;
#[cfg(feature = "conformance")]
pub use cases::Cases;
pub use daihinmin::Daihinmin;
pub use deal_key::{DealKey, NoKey};
pub use dobutsu::Dobutsu;
pub use game::{Game, Hidden, NoPosition, Outcome, Refused, Sheet};
pub use geister::Geister;
pub use name::{GameName, UnknownGame, count_of, count_of_games};
pub use offer::{NoOffer, OfferStep, Offers};
pub use printable::{Printable, is_printable};
pub use score_four::ScoreFour;
pub use seat::{ByPlayer, BySeat, NotASeating, Player, Seat, Seating};
pub use written::{Restored, Written};
