//! What a league that is played tells: what happens, and what it has come to.

use crate::journal::{Exclusion, OrganiserCommand, PairedRound, Played};
use crate::schedule::Key;
use stats::Verdict;

#[derive(Clone, Debug, PartialEq)]
pub enum LeagueEvent {
    /// A round was paired by results, and begins.
    Paired(PairedRound),
    /// A fixture was played; it is in the journal, or will be as soon as its record is on the disk.
    Played(Played),
    /// A fixture came to nothing. It is played again, unless its matchup is stopped.
    Void {
        key: Key,
        reason: String,
    },
    Stopped(Stopped),
    Command(OrganiserCommand),
    Excluded(Exclusion),
    /// A result was struck: these count.
    Struck(Vec<Played>),
    /// A table begins with this fixture, and these entrants.
    Table(Key, Vec<usize>),
    Note(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    pub matchup: u32,
    pub entrants: Vec<usize>,
    /// Why, with what the programs at fault have said.
    pub reason: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Whether something of the schedule is left because it was wished to end.
    pub interrupted: bool,
    /// Entrants that were missing for too long, and without which fixtures are left.
    pub absent: Vec<usize>,
    /// Entrants that were set aside, and without which fixtures are left.
    pub aside: Vec<usize>,
    pub stopped: Vec<Stopped>,
    /// The verdict of the sequential test, where one has fallen.
    pub verdict: Option<Verdict>,
}
