//! The organiser's commands: those that hold, and those that come while the league runs.

use std::collections::BTreeSet;
use std::path::Path;

use crate::blocking;
use crate::journal::{CommandAction, CommandFile, Journal, OrganiserCommand, OrganiserState};
use crate::schedule::Key;
use crate::settings::Settings;

pub(super) struct Commands {
    state: OrganiserState,
    file: CommandFile,
    /// Whether an entrant was reinstated whose fixtures may have been left out.
    is_reinstated: bool,
}

impl Commands {
    pub(super) fn beside(journal: &Path) -> Commands {
        Commands {
            state: OrganiserState::default(),
            file: CommandFile::beside(journal),
            is_reinstated: false,
        }
    }

    /// Takes the commands of a journal in place of all others.
    pub(super) fn read(&mut self, journal: &Journal) {
        self.state = journal.organiser_state();
    }

    /// The commands that have come since this was called last.
    pub(super) async fn take_new(&mut self) -> Vec<OrganiserCommand> {
        let (mut file, next) = (self.file.clone(), self.state.next);
        let read = move || (file.since(next), file);
        let (new, file) = blocking(read).await;
        self.file = file;
        new
    }

    pub(super) fn follow(&mut self, act: &OrganiserCommand, settings: &Settings) {
        self.state.follow(act, settings);
        self.is_reinstated |= matches!(act.action, CommandAction::Reinstate { .. });
    }

    pub(super) const fn is_paused(&self) -> bool {
        self.state.pause.is_some()
    }

    pub(super) const fn disqualified(&self) -> &BTreeSet<usize> {
        &self.state.disqualified
    }

    pub(super) fn struck(&self, key: Key) -> bool {
        self.state.struck.contains(&key)
    }

    pub(super) const fn is_reinstated(&self) -> bool {
        self.is_reinstated
    }

    /// Whether an entrant was reinstated since this was called last.
    pub(super) const fn take_reinstated(&mut self) -> bool {
        std::mem::replace(&mut self.is_reinstated, false)
    }
}
