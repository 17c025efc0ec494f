//! Playing a league: what its journal lacks is played, several tables at a time, and written down at once.
//!
//! Games end in any order. What follows from them does not depend on it: the sequential test counts blocks in the order
//! of the schedule, and a round is paired when the one before it is over.

mod agenda;
mod commands;
mod conduct;
mod events;
mod lines;
mod play;
mod programs;
mod results;
mod rounds;
mod sessions;
#[cfg(test)]
mod tests;
mod timeouts;
mod voids;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::journal::{Journal, JournalFile};
use super::settings::Settings;
use super::table_session::SessionOptions;

pub use events::{LeagueEvent, Outcome, Stopped};
pub use play::{Play, SessionReport};
pub use programs::Programs;
pub(crate) use programs::seed;
pub use timeouts::TimeoutPolicy;

use conduct::Runner;
use lines::{Lines, SyncRecords};
use rounds::Rounds;
use server::table::disk::disk;

/// The matchups by number, where they do not depend on results.
pub fn matchups(settings: &Settings) -> Option<Vec<Vec<usize>>> {
    if settings.pairs_rounds() {
        return None;
    }
    let round = Rounds::new(settings).next(&[], &BTreeMap::new());
    Some(round.map_or_else(Vec::new, |round| round.matchups))
}

/// Plays what `journal` lacks of the league, and writes it to `file`. Records go to the folder `records`.
///
/// # Errors
/// When the journal cannot be written. Games in play are given up then.
pub async fn run<P: Play>(
    settings: &Settings,
    journal: Journal,
    file: &mut JournalFile,
    play: Arc<P>,
    options: &SessionOptions,
    records: Option<&Path>,
    on_event: &mut (dyn FnMut(LeagueEvent) + Send),
) -> io::Result<Outcome> {
    let synced = records.map(|_| -> SyncRecords { Box::new(|| Box::pin(disk().synced())) });
    let lines = Lines::new(file, synced);
    let mut runner = Runner::new(settings, lines, options, on_event);
    runner.begin(&journal, &*play).await?;
    // Sums are kept of what was played, and not its lines.
    drop(journal);
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
