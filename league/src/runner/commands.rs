//! The organiser's commands: those that hold, and those that come while the league runs.

use std::path::Path;

use crate::blocking;
use crate::journal::{CommandAction, CommandFile, Journal, OrganiserCommand, OrganiserState};
use crate::settings::Settings;

pub(super) struct Commands {
    pub(super) state: OrganiserState,
    file: CommandFile,
    /// Whether an entrant was reinstated whose fixtures may have been left out.
    pub(super) is_reinstated: bool,
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
}
