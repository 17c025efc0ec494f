//! Games that programs play to learn from: their records, the positions and targets that a network is shown, and the
//! engine that plays thousands of them at a time.
//!
//! The worker program and its formats are described in `models/SELF_PLAY.md`.

mod archive;
mod game;
mod lesson;
mod record;
mod teacher;
#[cfg(test)]
mod tests;

pub use archive::{Archive, ArchiveError};
pub use game::{LAYOUTS, SelfPlay, layout_named};
pub use lesson::{LessonError, Lessons};
pub use record::{Ply, Record};
pub use teacher::Teacher;
