//! The way from tables to watchers. Tables never wait on it.

use std::sync::{Arc, Mutex, PoisonError};

use record::watch::League;
use record::{Event, Header, What};
use tokio::sync::mpsc::{OwnedPermit, Sender};
use tokio::time::Instant;

#[derive(Debug)]
pub(crate) struct TableEvent {
    pub(super) at: Instant,
    /// Number of the match; 0 of what is of none.
    pub(super) number: u64,
    pub(super) what: TableEventKind,
}

#[derive(Debug)]
pub(super) enum TableEventKind {
    Opened(Box<Header>),
    Event(u32, Event),
    /// Events of this game are left out, there were too many.
    Missed(u32),
    Presence(u8, bool),
    Closed,
    League(Box<League>),
}

/// Tells the events of one table to those who watch, if anyone may. Tables of one match have clones of one publisher.
#[derive(Clone, Debug, Default)]
pub struct Publisher {
    table: Option<Arc<Open>>,
    game: u32,
    pace: Pace,
}

/// Whether a table is ahead of what can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pace {
    #[default]
    Even,
    /// Events are left out, and it has to be told.
    Ahead,
    Skipping,
}

/// A match that is open to watchers until this is dropped.
#[derive(Debug)]
struct Open {
    number: u64,
    out: Sender<TableEvent>,
    /// The place of the last word, which is not left out.
    last: Mutex<Option<OwnedPermit<TableEvent>>>,
}

impl Drop for Open {
    fn drop(&mut self) {
        // The permit is taken nowhere else.
        let last = self.last.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(permit) = last.take() {
            permit.send(told(self.number, TableEventKind::Closed));
        }
    }
}

pub(super) fn told(number: u64, what: TableEventKind) -> TableEvent {
    TableEvent {
        at: Instant::now(),
        number,
        what,
    }
}

impl Publisher {
    /// Opens a match; nobody can watch it where too much waits to be told already.
    pub(super) fn open(out: &Sender<TableEvent>, number: u64, header: &Header) -> Publisher {
        let Ok(last) = out.clone().try_reserve_owned() else {
            log::warn!("match {number} cannot be watched, too much waits to be told");
            return Publisher::default();
        };
        let table = Open {
            number,
            out: out.clone(),
            last: Mutex::new(Some(last)),
        };
        let opened = TableEventKind::Opened(Box::new(header.clone()));
        let is_open = table.out.try_send(told(number, opened)).is_ok();
        Publisher {
            table: is_open.then(|| Arc::new(table)),
            ..Publisher::default()
        }
    }

    /// Tells an event of the record.
    pub fn event(&mut self, event: &Event) {
        if self.table.is_none() {
            return;
        }
        match event.what {
            What::Refused { .. } => return,
            What::Begin { game, .. } => {
                self.catch_up();
                if self.pace != Pace::Ahead {
                    (self.game, self.pace) = (game, Pace::Even);
                }
            }
            What::Result { .. } => {
                self.catch_up();
                self.say(TableEventKind::Event(self.game, event.clone()));
                return;
            }
            _ => {}
        }
        match self.pace {
            Pace::Even => {
                if !self.say(TableEventKind::Event(self.game, event.clone())) {
                    self.pace = Pace::Ahead;
                }
            }
            Pace::Ahead => self.catch_up(),
            Pace::Skipping => {}
        }
    }

    pub(crate) fn presence(&self, player: games::Player, here: bool) {
        self.say(TableEventKind::Presence(player.number(), here));
    }

    /// Tells that events were left out, if it has not been told.
    fn catch_up(&mut self) {
        if self.pace == Pace::Ahead && self.say(TableEventKind::Missed(self.game)) {
            self.pace = Pace::Skipping;
        }
    }

    fn say(&self, what: TableEventKind) -> bool {
        let said = self.table.as_ref().map(|table| {
            let said = table.out.try_send(told(table.number, what));
            said.is_ok()
        });
        said.unwrap_or(true)
    }
}
