//! Search and the tournament bots of Taikyoku.
//!
//! [`search`] has the algorithms that serve several games; each game has a folder with its
//! engines (a search behind a name) and its client, and a binary in `src/bin/`. [`bridge`] seats other people's
//! engines, [`arena`] plays matches inside one process, and [`signature`] has the numbers by which a search is known.

pub mod arena;
pub mod blokus;
pub mod bridge;
pub mod client;
pub mod daihinmin;
mod data;
pub mod dobutsu;
pub mod geister;
pub mod learning;
pub mod score_four;
pub mod search;
pub mod self_play;
pub mod signature;
mod whole_file;
