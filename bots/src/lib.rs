//! The engines and tournament bots of Taikyoku.
//!
//! An engine is a search behind a name. [`search`] has the algorithms that serve several games; each game has a folder
//! with its evaluation, its engines and its client, and a program in `src/bin/`. [`spec`] reads an engine from a line of
//! text such as `best:playouts=500`, [`Level`] has the levels for people, [`signature`] the numbers that identify a search,
//! and [`bridge`] seats engines of other projects. An engine sits at a table through `supervised`, which times and checks
//! its moves.
//!
//! Nothing here serves, referees, measures or trains: experiments and training are in the package `taikyoku-lab`. An engine
//! sees a view of its seat and no more. With a seed, a budget in playouts and one thread it always plays the same.
//!
//! The feature `programs` adds the command lines, which sit at tables by the crate `client`. Without it the crate is a
//! library of engines.
//!
//! Begin reading at `search/game.rs`, which says what a search needs of a game, then at the smallest game, `score_four`.
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "the packages of this workspace are alone in using it, and some items are named by what they are"
)]

pub mod blokus;
#[cfg(feature = "programs")]
pub mod bridge;
#[cfg(feature = "programs")]
mod clock;
pub mod daihinmin;
mod data;
pub mod dobutsu;
pub mod engine;
mod error;
pub mod geister;
pub mod learning;
mod level;
#[cfg(feature = "programs")]
pub mod options;
pub mod score_four;
pub mod search;
pub mod signature;
pub mod spec;
#[cfg(feature = "programs")]
mod supervised;
pub mod whole_file;

#[cfg(feature = "programs")]
pub use clock::GameClock;
pub use data::set_program_folder;
pub use error::{BuildError, FileError};
pub use level::Level;
#[cfg(feature = "programs")]
pub use supervised::{EngineGame, Supervised};
