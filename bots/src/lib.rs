//! Search and the tournament bots of Taikyoku.
//!
//! [`search`] has the algorithms that serve several games; each game has a folder with its
//! engines (a search behind a name) and its client, and a binary in `src/bin/`. [`bridge`] seats other people's
//! engines, [`signature`] has the numbers that identify a search, and [`spec`] reads engines from a line of text. Matches,
//! experiments and training are in the package `taikyoku-lab`.
//!
//! The feature `programs` adds the command lines of the programs, which sit at tables by the crate `client`. Without it the
//! crate is a library of engines.

pub mod blokus;
#[cfg(feature = "programs")]
pub mod bridge;
#[cfg(feature = "programs")]
mod clock;
pub mod daihinmin;
mod data;
pub mod dobutsu;
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
mod whole_file;

#[cfg(feature = "programs")]
pub use clock::GameClock;
pub use level::Level;
#[cfg(feature = "programs")]
pub use supervised::{EngineGame, Supervised};
