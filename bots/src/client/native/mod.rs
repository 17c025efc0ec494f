//! The client of the native protocol: an engine or a person, through one match of any game.
//!
//! A game gives its rules, texts and engines as a [`Game`] and its count of results as a [`Tally`]; connections,
//! lost ones too, requests, clocks, the person's lines, the log and the summary are here.

mod client;
pub(super) mod clock;
mod connection;
mod error;
mod game;
mod seat_token;
pub(super) mod track;
mod turn;

pub use super::options::{Options, PlayerName};
pub(crate) use super::player::Player;
pub use super::summary::{GameEnd, Outcome, Summary};
pub use client::run;
pub(crate) use connection::{Connection, Destination, Input};
pub use error::PlayError;
pub use game::{Game, Tally};
#[cfg(test)]
pub(crate) use track::Track;
