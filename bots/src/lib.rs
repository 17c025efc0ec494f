//! Search and the tournament bots of Taikyoku.
//!
//! [`search`] has the algorithms that serve several games; each game has a folder with its
//! engines (a search behind a name) and its client, and a binary in `src/bin/`. [`bridge`] seats other people's
//! engines, [`arena`] plays matches inside one process, and [`signature`] has the numbers that identify a search. [`spec`]
//! reads engines from a line of text.
//!
//! The feature `programs` adds the clients and command lines of the programs. Without it the crate is a library of
//! engines.

pub mod arena;
pub mod blokus;
#[cfg(feature = "programs")]
pub mod bridge;
#[cfg(feature = "programs")]
#[path = "../../client/src/lib.rs"]
pub mod client;
pub mod daihinmin;
mod data;
pub mod dobutsu;
pub mod geister;
pub mod learning;
mod level;
pub mod score_four;
pub mod search;
pub mod self_play;
pub mod signature;
pub mod spec;
mod whole_file;

pub use level::Level;
