//! The organiser's commands: those that hold, and those that come while the league runs.

use std::collections::BTreeSet;
use std::path::Path;

use crate::blocking;
use crate::journal::{Act, ActFile, Deed, Journal, Orders};
use crate::schedule::Key;
use crate::settings::Settings;

pub(super) struct Commands {
    orders: Orders,
    file: ActFile,
    /// Whether one was reinstated of which fixtures may have been left out.
    is_reinstated: bool,
}

impl Commands {
    /// Those of the league with this journal.
    pub(super) fn beside(journal: &Path) -> Commands {
        Commands {
            orders: Orders::default(),
            file: ActFile::beside(journal),
            is_reinstated: false,
        }
    }

    /// Takes the commands of a journal in place of all others.
    pub(super) fn read(&mut self, journal: &Journal) {
        self.orders = Orders::of(journal);
    }

    /// The commands that have come since this was called last.
    pub(super) async fn take_new(&mut self) -> Vec<Act> {
        let (mut file, next) = (self.file.clone(), self.orders.next);
        let read = move || (file.since(next), file);
        let (new, file) = blocking(read).await;
        self.file = file;
        new
    }

    pub(super) fn follow(&mut self, act: &Act, settings: &Settings) {
        self.orders.follow(act, settings);
        self.is_reinstated |= matches!(act.deed, Deed::Reinstate { .. });
    }

    pub(super) const fn is_paused(&self) -> bool {
        self.orders.pause.is_some()
    }

    pub(super) const fn disqualified(&self) -> &BTreeSet<usize> {
        &self.orders.disqualified
    }

    /// Whether a result of this fixture was struck.
    pub(super) fn struck(&self, key: Key) -> bool {
        self.orders.struck.contains(&key)
    }

    pub(super) const fn is_reinstated(&self) -> bool {
        self.is_reinstated
    }

    /// Whether an entrant was reinstated since this was called last.
    pub(super) const fn take_reinstated(&mut self) -> bool {
        std::mem::replace(&mut self.is_reinstated, false)
    }
}
