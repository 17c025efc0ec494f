//! Rules, notation, per-seat views and determinization of the games of Taikyoku.
//!
//! Nothing here does input or output, keeps a clock or searches. A game is a module with a
//! small position type, a legal move generator, a notation that parses what it prints, and a
//! `View`: all that one seat may know, and the only thing that may be encoded for that seat.

pub mod blokus;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod daihinmin;
mod deal_key;
pub mod dobutsu;
mod game;
pub mod geister;
mod name;
mod printable;
pub mod score_four;
mod seat;
mod written;

pub use blokus::Blokus;
pub use daihinmin::Daihinmin;
pub use deal_key::{DealKey, NoKey};
pub use dobutsu::Dobutsu;
pub use game::{Game, Hidden, NoPosition, Outcome, Refused, Sheet};
pub use geister::Geister;
pub use name::{GameName, UnknownGame, count_of, count_of_games};
pub use printable::{Printable, is_printable};
pub use score_four::ScoreFour;
pub use seat::{ByPlayer, BySeat, NotASeating, Player, Seat, Seating};
pub use written::{Restored, Written};
