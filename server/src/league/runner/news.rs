//! What happens in a league, and what it comes to.

use crate::league::journal::Played;
use crate::league::schedule::Key;
use crate::league::table::{Done, Ended, Sitting, Wishes};
use stats::Verdict;

/// Plays sittings.
pub trait Play: Send + Sync + 'static {
    /// Plays a sitting to its end. Every fixture that was played is told to `on_done` at once.
    fn play(
        &self,
        sitting: Sitting,
        wishes: Wishes,
        on_done: &mut (dyn FnMut(Done) + Send),
    ) -> impl Future<Output = Sat> + Send;
}

/// A sitting that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sat {
    /// How it ended.
    pub ended: Ended,
    /// What the programs at fault have said, where it came to nothing; otherwise what people should know, if anything.
    pub said: String,
}

/// What happens in a league, as it happens.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// A fixture was played; it is in the journal.
    Played(Played),
    /// A fixture came to nothing. It is played again, unless its matchup is stopped.
    Void {
        /// The fixture.
        key: Key,
        /// Why.
        reason: String,
    },
    /// A matchup is given up.
    Stopped(Stopped),
    /// Something that people should know.
    Note(String),
}

/// A matchup that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Its number.
    pub matchup: u32,
    /// Its entrants.
    pub entrants: Vec<usize>,
    /// Why, with what the programs at fault have said.
    pub reason: String,
}

/// What playing has come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Whether something of the schedule is left because it was wished to end.
    pub interrupted: bool,
    /// Matchups that were given up.
    pub stopped: Vec<Stopped>,
    /// The verdict of the sequential test, where one has fallen.
    pub verdict: Option<Verdict>,
}
