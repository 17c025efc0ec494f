//! The way from tables to watchers. Tables never wait on it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::aliases::Aliases;
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
    state: PublisherState,
    /// Whether players have no names of their own.
    has_aliases: bool,
    pace: Option<Arc<MoveDelay>>,
    /// When the last event was shown to which the pace applies.
    shown: Option<Instant>,
}

/// The pace at which some games of a match are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveDelay {
    /// Numbers of these games in their match, from 1.
    pub games: BTreeSet<u32>,
    /// Least time between two moves.
    pub every: Duration,
}

/// Whether a table is ahead of what can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PublisherState {
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

    /// The same, which shows some games at a pace: the table holds their moves back. Where nobody can watch there is none.
    #[must_use]
    pub fn at_pace(mut self, pace: Option<MoveDelay>) -> Publisher {
        let is_open = self.table.is_some();
        self.pace = pace.filter(|_| is_open).map(Arc::new);
        self
    }

    /// The same, which tells no name that a player gives itself.
    pub(super) fn without_names(mut self) -> Publisher {
        self.has_aliases = true;
        self
    }

    /// When an event may be shown: `None` where no pace applies to it.
    pub(crate) fn due(&self, event: &Event) -> Option<Instant> {
        let pace = self.pace.as_ref()?;
        let has_pace = match event.what {
            // The last position of a game stays as long as any other.
            What::Begin { game, .. } => [self.game, game].iter().any(|g| pace.games.contains(g)),
            What::Give { .. } | What::Move { .. } => pace.games.contains(&self.game),
            _ => false,
        };
        has_pace.then(|| {
            self.shown
                .map_or_else(Instant::now, |shown| shown + pace.every)
        })
    }

    pub fn event(&mut self, event: &Event) {
        if self.table.is_none() {
            return;
        }
        if self.due(event).is_some() {
            self.shown = Some(Instant::now());
        }
        match event.what {
            What::Refused { .. } => return,
            What::Begin { game, .. } => {
                self.catch_up();
                if self.state != PublisherState::Ahead {
                    (self.game, self.state) = (game, PublisherState::Even);
                }
            }
            What::Result { .. } => {
                self.catch_up();
                self.say(TableEventKind::Event(self.game, event.clone()));
                return;
            }
            _ => {}
        }
        match self.state {
            PublisherState::Even => {
                if !self.say(TableEventKind::Event(self.game, event.clone())) {
                    self.state = PublisherState::Ahead;
                }
            }
            PublisherState::Ahead => self.catch_up(),
            PublisherState::Skipping => {}
        }
    }

    pub(crate) fn presence(&self, player: games::Player, here: bool) {
        self.say(TableEventKind::Presence(player.number(), here));
    }

    /// Tells that events were left out, if it has not been told.
    fn catch_up(&mut self) {
        if self.state == PublisherState::Ahead && self.say(TableEventKind::Missed(self.game)) {
            self.state = PublisherState::Skipping;
        }
    }

    fn say(&self, what: TableEventKind) -> bool {
        let what = match what {
            TableEventKind::Event(game, event) if self.has_aliases => {
                TableEventKind::Event(game, Aliases::event(&event))
            }
            what => what,
        };
        let said = self.table.as_ref().map(|table| {
            let said = table.out.try_send(told(table.number, what));
            said.is_ok()
        });
        said.unwrap_or(true)
    }
}
