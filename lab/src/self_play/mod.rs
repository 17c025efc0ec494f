//! Games that programs play to learn from: their records, the positions and targets that a network is shown, and the
//! engine that plays thousands of them at a time.
//!
//! The program `taikyoku-lab selfplay` and its formats are described in `models/SELF_PLAY.md`.

mod archive;
mod batch;
mod game;
mod lesson;
mod open_game;
mod pipe;
mod plan;
mod pool;
mod record;
mod teacher;
#[cfg(test)]
mod tests;

pub use archive::{Archive, ArchiveError};
pub use batch::{Answers, Batch, Local, Oracle, OracleError};
pub use game::SelfPlay;
pub(crate) use lesson::{Known, SampleBlock};
pub use lesson::{LessonError, Lessons};
pub use pipe::Pipe;
pub use plan::SelfPlan;
pub use pool::play_games;
pub use record::{Ply, Record};
pub use teacher::Teacher;
