//! What a seat at a server needs, whatever the game: connecting, options, the summary and the players.

pub(crate) mod connect;
pub(crate) mod gat;
pub mod native;
mod options;
mod person;
mod player;
pub mod spec;
mod summary;
pub(crate) mod uecda;
