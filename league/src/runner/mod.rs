//! Playing a league: what its journal lacks is played, several tables at a time, and written down at once.
//!
//! Games end in any order. What follows from them does not depend on it: the sequential test counts blocks in the order
//! of the schedule, and a round is paired when the one before it is over.

mod agenda;
mod conduct;
mod lines;
mod play;
mod programs;
mod rounds;
mod sessions;
#[cfg(test)]
mod tests;
mod voids;

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::journal::{Entry, JournalFile};
use super::result::Results;
use super::schedule::Key;
use super::sections::{Section, first_groups};
use super::settings::Settings;
use super::table_session::SessionOptions;

pub(crate) use agenda::plan_of;
pub use play::{Play, SessionReport};
pub use programs::Programs;
pub(crate) use programs::seed;
pub(crate) use sessions::{SessionEvent, Sessions};

use conduct::Runner;
use lines::{Lines, SyncRecords};
use rounds::Rounds;
use server::table::disk::disk;
use stats::Verdict;

#[derive(Clone, Debug)]
pub enum LeagueEvent {
    /// A line of the journal: it is there, or will be as soon as the records of its games are on the disk. Of a round that is
    /// played on it comes once more.
    Line(Entry),
    Stopped(Stopped),
    /// A result was struck: these are left.
    Struck(Box<Results>),
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

/// The matchups by number, where they do not depend on results.
pub fn matchups(settings: &Settings) -> Option<Vec<Vec<usize>>> {
    let first = || Section::all(settings)[0].fixed(&first_groups(settings), settings.seats());
    (!settings.pairs_rounds()).then(first).flatten()
}

/// Plays what `results` lack of the league, and writes it to `file`, the journal in which they are. Records go to the folder `records`.
///
/// # Errors
/// When the journal cannot be written. Games in play are given up then.
pub async fn run<P: Play>(
    settings: &Settings,
    results: Results,
    file: &mut JournalFile,
    play: Arc<P>,
    options: &SessionOptions,
    records: Option<&Path>,
    on_event: &mut (dyn FnMut(LeagueEvent) + Send),
) -> io::Result<Outcome> {
    let synced = records.map(|_| -> SyncRecords { Box::new(|| Box::pin(disk().synced())) });
    let lines = Lines::new(file, synced);
    let mut runner = Runner::new(settings, results, lines, options, on_event);
    runner.begin(&*play).await?;
    let mut rounds = Rounds::new(settings);
    let mut whole = true;
    loop {
        let is_next = whole && runner.is_open();
        let next = is_next.then(|| runner.next_round(&mut rounds)).flatten();
        if let Some(round) = &next {
            runner.begin_round(round)?;
            whole = runner.round(round, &play, records).await?;
        }
        // The organiser may have done something since it was looked for last.
        if runner.begins_anew(&*play).await? {
            (rounds, whole) = (Rounds::new(settings), true);
        } else if next.is_none() {
            break;
        }
    }
    let interrupted = options.finish.is_cancelled() && runner.is_open() && !whole;
    runner.end(interrupted).await
}
