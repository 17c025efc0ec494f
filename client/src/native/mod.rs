//! The client of the native protocol: any player, through one match of any open game.
//!
//! A game is a [`NativeGame`], the one trait that an open game needs for its client; connections, lost ones too,
//! requests, clocks, the log and the summary are here.

mod blokus;
mod blokus_counts;
mod client;
mod clock;
mod connection;
mod dobutsu;
mod game;
mod score_four;
mod seat_token;
mod sentences;
mod track;

pub use blokus::picture;
pub use blokus_counts::BlokusCounts;
pub use client::{NativeSettings, run};
pub use clock::TimeLeft;
pub use connection::{Connection, Destination, connect};
pub use game::{GameEnd, NativeCounts, NativeGame, Outcome};
