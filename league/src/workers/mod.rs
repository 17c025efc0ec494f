//! Workers: machines that play fixtures of a league that another one drives.
//!
//! The scheduler is that of every league, [`runner`](super::runner). It plays its sessions by [`Workers`], which hand them
//! out in pieces to a carrier ([`program::work`]). A worker is `taikyoku league work`. A game follows from the league's file
//! and from the keys of its deals, which its piece carries; a piece carries no other keys.

mod message;
mod pieces;
mod pool;
mod recorded;
mod worker;

pub use message::{FixtureJob, LeagueContest, SessionJob, SessionJobs, WorkLine};
pub use pool::{PIECE, Workers};
pub use worker::Worker;
