//! The client of the native protocol: an engine or a person, through one match of any game.
//!
//! A game gives its rules, texts and engines as a [`Game`] and its count of results as a [`Tally`]; connections,
//! lost ones too, requests, clocks, the person's lines, the log and the summary are here.

mod client;
mod clock;
mod connection;
mod error;
mod game;
mod options;
mod person;
mod player;
mod seat_token;
mod summary;
mod track;
mod turn;

pub use client::run;
pub(crate) use connection::{Connection, Destination, Input};
pub use error::PlayError;
pub use game::{Game, Tally};
pub use options::{Options, PlayerName};
pub(crate) use player::Player;
pub use summary::{GameEnd, Outcome, Summary};
#[cfg(test)]
pub(crate) use track::Track;
