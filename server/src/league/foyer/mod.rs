//! The foyer of a league: entrants on machines of their own connect to their ports and wait here until a table calls them.
//!
//! Each remote entrant has a port for the whole league. Its connections are looked at before they wait: those of strangers
//! are turned away. What they have said stays in the socket, so that the table greets them as it greets programs that the
//! league has started.

mod gate;
mod knock;
mod nobody;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use super::settings::{Absent, Settings};
use crate::lobby::greeters::Greeters;
use crate::table::socket::Socket;
use gate::{Gate, Stay};
pub(in crate::league) use knock::token_refusal;

/// What becomes of a sitting that is to begin.
#[derive(Debug)]
pub enum Call<T> {
    /// It begins with these.
    Ready(T),
    /// It waits for players who are missing or play elsewhere.
    Wait,
    /// It is played later, as these entrants have been missing for too long.
    Skip(Vec<usize>),
}

/// The players of a sitting that come themselves, by player; `None` for those whose programs the league starts.
pub type Visitors = Vec<Option<Visitor>>;

/// Whether an entrant is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It waits for its next game.
    Here,
    /// It plays.
    Playing,
    /// It has no connection.
    Missing,
}

/// A remote entrant, as people are told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Presence {
    /// Its name.
    pub name: String,
    /// The address that it connects to.
    pub connects_to: SocketAddr,
    /// Whether it is there.
    pub state: State,
}

/// Says something to people.
pub type Say = Arc<dyn Fn(String) + Send + Sync>;

/// The ports of all remote entrants; without any in a league that starts all programs itself.
#[derive(Debug, Default)]
pub struct Foyer {
    /// By entrant.
    gates: Vec<Option<Arc<Gate>>>,
    absent: Absent,
    wait: Duration,
    /// Whether a fixture whose entrants are all missing can be left for later. A round that is paired cannot be left open.
    can_skip: bool,
    /// Told of each that comes or is free again.
    news: Arc<Notify>,
    _tasks: Vec<AbortOnDropHandle<()>>,
}

impl Foyer {
    /// Listens on the ports of all remote entrants. `say` is told of each entrant that comes or goes.
    ///
    /// # Errors
    /// The port that cannot be listened on, and why.
    pub async fn open(settings: &Settings, say: Say) -> Result<Foyer, (u16, io::Error)> {
        let contest = &settings.contest;
        let wait = Duration::from_secs(contest.wait_s);
        let (news, greeters) = (Arc::new(Notify::new()), Greeters::default());
        let (mut gates, mut tasks) = (Vec::new(), Vec::new());
        for entrant in &settings.entrants {
            if !entrant.comes_itself() {
                gates.push(None);
                continue;
            }
            let gate = Gate::open(&contest.host, settings.game(), entrant, Arc::clone(&news)).await;
            let gate = Arc::new(gate.map_err(|error| (entrant.access.port, error))?);
            let late = format!("for {} s: {}", contest.wait_s, consequence(contest.absent));
            let serving = Arc::clone(&gate).serve(greeters.clone(), wait, late, Arc::clone(&say));
            tasks.push(AbortOnDropHandle::new(tokio::spawn(serving)));
            gates.push(Some(gate));
        }
        Ok(Foyer {
            gates,
            absent: contest.absent,
            wait,
            can_skip: !settings.format.pairs_rounds(),
            news,
            _tasks: tasks,
        })
    }

    fn gate(&self, entrant: usize) -> Option<&Arc<Gate>> {
        self.gates.get(entrant)?.as_ref()
    }

    /// The presence of each remote entrant, in the order of the file.
    pub fn presence(&self) -> Vec<Presence> {
        let gates = self.gates.iter().flatten();
        gates.map(|gate| gate.presence()).collect()
    }

    /// Waits until somebody has come or is free again.
    pub(in crate::league) async fn arrival(&self) {
        self.news.notified().await;
    }

    /// Calls the players of a sitting, whose entrants these are.
    pub(in crate::league) fn call(&self, players: &[usize]) -> Call<Visitors> {
        let mut seats: BTreeMap<usize, usize> = BTreeMap::new();
        for &entrant in players {
            *seats.entry(entrant).or_default() += 1;
        }
        let mut absent = Vec::new();
        for (&entrant, &seats) in &seats {
            let Some(seen) = self.gate(entrant).map(|gate| gate.look()) else {
                continue;
            };
            if seen.free >= seats {
                continue;
            }
            let is_late = !seen.is_playing && seen.away >= self.wait;
            if !is_late || self.absent == Absent::Wait {
                return Call::Wait;
            }
            absent.push(entrant);
        }
        // Nobody plays nobody.
        let is_empty = players.iter().all(|entrant| absent.contains(entrant));
        if !absent.is_empty() && (self.absent == Absent::Skip || is_empty) {
            return if self.can_skip {
                Call::Skip(absent)
            } else {
                Call::Wait
            };
        }
        let visitor = |entrant: &usize| {
            let gate = self.gate(*entrant)?;
            Some(if absent.contains(entrant) {
                Visitor::nobody(gate)
            } else {
                Visitor::of(gate, gate.take())
            })
        };
        Call::Ready(players.iter().map(visitor).collect())
    }
}

/// What happens to the fixtures of one that is missing for too long.
const fn consequence(absent: Absent) -> &'static str {
    match absent {
        Absent::Wait => "its fixtures wait",
        Absent::Skip => "its fixtures are played later, if it comes back",
        Absent::Forfeit => "its fixtures are played without it",
    }
}

/// How a player that comes itself takes its seat: with the connection that was called, and after that with others of its
/// entrant.
#[derive(Debug)]
pub struct Visitor {
    gate: Arc<Gate>,
    first: Mutex<Option<(Socket, SocketAddr)>>,
    /// `None` where nobody comes.
    stay: Option<Stay>,
}

impl Visitor {
    fn of(gate: &Arc<Gate>, first: Option<(Socket, SocketAddr)>) -> Visitor {
        Visitor {
            gate: Arc::clone(gate),
            first: Mutex::new(first),
            stay: Some(Stay::new(gate)),
        }
    }

    /// In the place of an entrant that is missing somebody takes the seat and is gone.
    fn nobody(gate: &Arc<Gate>) -> Visitor {
        Visitor {
            gate: Arc::clone(gate),
            first: Mutex::new(Some(gate.nobody())),
            stay: None,
        }
    }

    /// The same for another try, in which the entrant comes with its next connection.
    pub(in crate::league) fn again(&self) -> Visitor {
        match self.stay {
            Some(_) => Visitor::of(&self.gate, None),
            None => Visitor::nobody(&self.gate),
        }
    }

    /// The address that the entrant connects to.
    pub(in crate::league) fn address(&self) -> SocketAddr {
        self.gate.address()
    }

    /// The next connection. Nothing is lost when this is given up before it is ready.
    pub(in crate::league) async fn next(&self) -> (Socket, SocketAddr) {
        let first = self.first.lock();
        let first = first.unwrap_or_else(PoisonError::into_inner).take();
        match (first, &self.stay) {
            (Some(first), _) => first,
            (None, Some(_)) => self.gate.next().await,
            (None, None) => pending().await,
        }
    }
}
