//! Playing a league: what its journal lacks is played, several tables at a time, and written down at once.
//!
//! Games end in any order. What follows from them does not depend on it: the sequential test counts blocks in the order
//! of the schedule, and a round is paired when the one before it is over.

mod agenda;
mod conduct;
mod lines;
mod programs;
mod rounds;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::journal::{Journal, JournalFile, WriteError};
use super::settings::{Format, Settings};
use super::sitting::Wishes;

pub use conduct::{News, Outcome, Play, Sat, Stopped};
pub use programs::Programs;

use crate::table::disk::disk;
use conduct::Runner;
use lines::Lines;
use rounds::Rounds;

/// Whether the matchups depend on results.
fn is_paired_by_results(settings: &Settings) -> bool {
    matches!(settings.format, Format::Ladder | Format::Swiss { .. })
}

/// The matchups by number, where they do not depend on results.
pub fn matchups(settings: &Settings) -> Option<Vec<Vec<usize>>> {
    if is_paired_by_results(settings) {
        return None;
    }
    let round = Rounds::new(settings).next(&[], &BTreeMap::new());
    Some(round.map_or_else(Vec::new, |round| round.matchups))
}

/// Fixtures of the whole schedule; `None` if it has no end.
pub fn fixtures(settings: &Settings) -> Option<u64> {
    let plan = settings.plan();
    let matchups = match settings.format {
        Format::Ladder => return None,
        Format::Swiss { rounds } => u64::from(rounds) * (plan.entrants / plan.seats) as u64,
        _ => matchups(settings)?.len() as u64,
    };
    Some(matchups * u64::from(plan.deals) * u64::from(plan.rotations()))
}

/// Plays what `journal` lacks of the league, and writes it to `file`. Records go to the folder `records`.
///
/// # Errors
/// When the journal cannot be written. Games in play are given up then.
pub async fn run<P: Play>(
    settings: &Settings,
    journal: &Journal,
    file: &mut JournalFile,
    play: Arc<P>,
    wishes: &Wishes,
    records: Option<&Path>,
    on_news: &mut (dyn FnMut(News) + Send),
) -> Result<Outcome, WriteError> {
    let lines = Lines::new(file, records.map(|_| disk().clone()));
    let mut runner = Runner::new(settings, lines, wishes, on_news);
    runner.begin(journal, &*play).await?;
    let mut rounds = Rounds::new(settings);
    let mut whole = true;
    while whole
        && runner.is_open()
        && let Some(round) = rounds.next(runner.blocks(), runner.known())
    {
        if is_paired_by_results(settings) {
            runner.paired(&round);
        }
        whole = runner.round(&round, &play, records).await?;
    }
    let interrupted = wishes.finish.is_cancelled() && runner.is_open() && !whole;
    runner.end(interrupted).await
}
