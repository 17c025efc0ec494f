//! Entrants of a league on machines of their own connect to their ports and wait here until a table calls them.
//!
//! Each remote entrant has a port for the whole league. Its connections log in before they wait, and those that fail are
//! turned away. What they have said stays in the socket, so that the table greets them as it greets programs that the
//! league has started.

mod absent_player;
mod entrant_port;
mod login;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use super::settings::{Absent, Settings};
use absent_player::AbsentPlayer;
pub(crate) use entrant_port::EntrantPort;
use entrant_port::{Availability, SeatGuard};
pub(crate) use login::{FailedLogin, Login, introduction, token_refusal};
use server::lobby::handshakes::Handshakes;
use server::table::Pipe;
use server::table::socket::Socket;

/// What becomes of a session that is to begin.
#[derive(Debug)]
pub enum Readiness<T> {
    /// It begins with these.
    Ready(T),
    /// It waits for players who are missing or play elsewhere.
    Wait,
    /// It is played later, as these entrants have been missing for too long.
    Skip(Vec<usize>),
    /// It is lost by all its players: none of them comes, and the schedule cannot leave it.
    Lost,
}

/// The players of a session that come themselves, by player; `None` for those whose programs the league starts.
pub type EntrantConnections = Vec<Option<EntrantConnection>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PresenceState {
    /// It waits for its next game.
    Here,
    Playing,
    /// It has no connection.
    Missing,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    pub name: String,
    pub connects_to: SocketAddr,
    pub state: PresenceState,
}

impl PresenceState {
    pub const fn as_str(self) -> &'static str {
        match self {
            PresenceState::Here => "here",
            PresenceState::Playing => "playing",
            PresenceState::Missing => "missing",
        }
    }
}

impl Presence {
    /// Where it connects to, in words. An unspecified address, which stands for all addresses of this machine, is left out:
    /// no client can connect to it.
    pub fn place(&self) -> String {
        if self.connects_to.ip().is_unspecified() {
            format!("port {} of this machine", self.connects_to.port())
        } else {
            self.connects_to.to_string()
        }
    }
}

pub type Say = Arc<dyn Fn(String) + Send + Sync>;

/// The ports of all remote entrants; without any in a league that starts all programs itself.
#[derive(Debug, Default)]
pub struct RemoteEntrants {
    ports: Vec<Option<Arc<EntrantPort>>>,
    absent: Absent,
    wait: Duration,
    /// Whether a fixture whose entrants are all missing can be left for later. A round that is paired cannot be left open.
    can_skip: bool,
    /// Those that are disqualified, and how they are known.
    out: Mutex<BTreeMap<usize, Login>>,
    /// Those for which sessions wait that have been looked at in this look.
    awaited: Mutex<BTreeSet<usize>>,
    /// Notified when one comes or is free again.
    news: Arc<Notify>,
    _tasks: Vec<AbortOnDropHandle<()>>,
}

impl RemoteEntrants {
    /// No ports: others lead entrants to tables. One that does not sit down is missing at once.
    pub(crate) fn led() -> RemoteEntrants {
        RemoteEntrants {
            absent: Absent::Skip,
            ..RemoteEntrants::default()
        }
    }

    /// Listens on the ports of all remote entrants. `say` is told of each entrant that comes or goes.
    pub async fn open(settings: &Settings, say: Say) -> Result<RemoteEntrants, (u16, io::Error)> {
        let contest = &settings.run.contest;
        let wait = Duration::from_secs(contest.wait_s);
        let (news, handshakes) = (Arc::new(Notify::new()), Handshakes::default());
        let (mut ports, mut tasks) = (Vec::new(), Vec::new());
        for entrant in &settings.entrants {
            if !entrant.comes_itself() {
                ports.push(None);
                continue;
            }
            let port =
                EntrantPort::open(&contest.host, settings.game(), entrant, Arc::clone(&news)).await;
            let port = Arc::new(port.map_err(|error| (entrant.access.port, error))?);
            let late = format!("for {} s: {}", contest.wait_s, consequence(contest.absent));
            let serving = Arc::clone(&port).serve(handshakes.clone(), wait, late, Arc::clone(&say));
            tasks.push(AbortOnDropHandle::new(tokio::spawn(serving)));
            ports.push(Some(port));
        }
        Ok(RemoteEntrants {
            ports,
            absent: contest.absent,
            wait,
            can_skip: !settings.pairs_rounds(),
            out: Mutex::default(),
            awaited: Mutex::default(),
            news,
            _tasks: tasks,
        })
    }

    fn port(&self, entrant: usize) -> Option<&Arc<EntrantPort>> {
        self.ports.get(entrant)?.as_ref()
    }

    /// The presence of each remote entrant, in the order of the file.
    pub fn presence(&self) -> Vec<Presence> {
        let ports = self.ports.iter().flatten();
        ports.map(|port| port.presence()).collect()
    }

    pub(crate) async fn arrival(&self) {
        self.news.notified().await;
    }

    /// Gives the seats of these entrants, which are known in this way, to nobody from now on, and those of all others to
    /// themselves.
    pub(crate) fn leave_out(&self, out: BTreeMap<usize, Login>) {
        let before = std::mem::replace(&mut *self.out(), out);
        let back = before
            .keys()
            .filter(|entrant| !self.out().contains_key(entrant));
        let back: Vec<usize> = back.copied().collect();
        for port in back.into_iter().filter_map(|entrant| self.port(entrant)) {
            port.reset_absence();
        }
        self.news.notify_one();
    }

    /// Those that are disqualified, and how they are known.
    fn out(&self) -> MutexGuard<'_, BTreeMap<usize, Login>> {
        // Each change is whole before anything can panic.
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the league is paused, or that the pause ends. The absence of each entrant counts from zero after a pause.
    pub(crate) fn pause(&self, is_paused: bool) {
        for port in self.ports.iter().flatten() {
            port.pause(is_paused);
        }
    }

    /// Ends a look at the sessions that are left. From now on the absence of an entrant counts if one of these sessions waits
    /// for it and `can_begin` says that the league has a free table.
    pub(crate) fn end_look(&self, can_begin: bool) {
        let awaited = self.awaited.lock();
        let mut awaited = awaited.unwrap_or_else(PoisonError::into_inner);
        for (entrant, port) in self.ports.iter().enumerate() {
            if let Some(port) = port {
                port.set_awaited(can_begin && awaited.contains(&entrant));
            }
        }
        awaited.clear();
    }

    /// Records that an entrant came to a table and did not sit down, for which the table waited `time`. Returns whether it
    /// has been missing for too long.
    pub(crate) fn note_failed(&self, entrant: usize, time: Duration) -> bool {
        let port = self.port(entrant);
        let away = port.map_or(Duration::ZERO, |port| port.note_failed(time));
        self.is_too_long(away)
    }

    /// Whether tables wait no longer for an entrant that has been away for so long.
    fn is_too_long(&self, away: Duration) -> bool {
        self.absent != Absent::Wait && away >= self.wait
    }

    /// Calls the players of a session, whose entrants these are.
    #[cfg(test)]
    fn call(&self, players: &[usize]) -> Readiness<EntrantConnections> {
        self.call_also_without(players, BTreeMap::new())
    }

    /// Calls the players of a session, whose entrants these are. The seats of those that are disqualified stay empty, and of
    /// these others.
    pub(crate) fn call_also_without(
        &self,
        players: &[usize],
        mut nobody: BTreeMap<usize, Login>,
    ) -> Readiness<EntrantConnections> {
        // One that has sat down elsewhere since then may come again.
        let is_late = |port: &Arc<EntrantPort>| self.is_too_long(port.look().away);
        nobody.retain(|entrant, _| self.port(*entrant).is_none_or(is_late));
        let out = self.out();
        let late = nobody.keys().copied();
        let late: Vec<usize> = late.filter(|entrant| !out.contains_key(entrant)).collect();
        nobody.extend(out.iter().map(|(&entrant, login)| (entrant, login.clone())));
        // A fixture without any of its entrants is left for later.
        if self.can_skip
            && players.iter().any(|entrant| late.contains(entrant))
            && players.iter().all(|entrant| nobody.contains_key(entrant))
        {
            return Readiness::Skip(late);
        }
        drop(out);
        self.call_without(players, &nobody)
    }

    /// Calls the players of a session and leaves the seats of the entrants `out` empty; each login identifies its entrant.
    pub(crate) fn call_without(
        &self,
        players: &[usize],
        out: &BTreeMap<usize, Login>,
    ) -> Readiness<EntrantConnections> {
        let mut seats: BTreeMap<usize, usize> = BTreeMap::new();
        for &entrant in players {
            *seats.entry(entrant).or_default() += 1;
        }
        let awaited = seats.iter().filter_map(|(&entrant, &seats)| {
            let port = self.port(entrant).filter(|_| !out.contains_key(&entrant))?;
            Some((entrant, port.want(seats)))
        });
        let awaited: Vec<_> = awaited.collect();
        let others_play = awaited
            .iter()
            .any(|(_, wanted)| *wanted == Availability::Plays);
        let (mut missing, mut waits) = (Vec::new(), others_play);
        for (entrant, wanted) in awaited {
            match wanted {
                Availability::Here | Availability::Plays => {}
                Availability::For(time) => {
                    // The table waits for those that play in any case.
                    if !others_play {
                        let awaited = self.awaited.lock();
                        awaited
                            .unwrap_or_else(PoisonError::into_inner)
                            .insert(entrant);
                    }
                    if self.is_too_long(time) {
                        missing.push(entrant);
                    } else {
                        waits = true;
                    }
                }
            }
        }
        if waits {
            return Readiness::Wait;
        }
        let is_nobody = |entrant: &usize| missing.contains(entrant) || out.contains_key(entrant);
        // Nobody plays nobody.
        let is_empty = players.iter().all(is_nobody);
        if !missing.is_empty() && (self.absent == Absent::Skip || is_empty && self.can_skip) {
            return if self.can_skip {
                Readiness::Skip(missing)
            } else {
                Readiness::Wait
            };
        }
        if is_empty {
            return Readiness::Lost;
        }
        let connection = |entrant: &usize| {
            if let Some(login) = out.get(entrant) {
                return Some(EntrantConnection::absent(login));
            }
            let port = self.port(*entrant)?;
            Some(if missing.contains(entrant) {
                EntrantConnection::absent(port.login())
            } else {
                EntrantConnection::of(port, port.take())
            })
        };
        Readiness::Ready(players.iter().map(connection).collect())
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
pub struct EntrantConnection {
    occupant: Occupant,
    first: Mutex<Option<(Socket, SocketAddr)>>,
}

#[derive(Debug)]
enum Occupant {
    Entrant(SeatGuard),
    /// In the place of an entrant that is missing or disqualified somebody takes the seat and is gone.
    Absent(Login),
}

impl EntrantConnection {
    pub(crate) fn of(
        port: &Arc<EntrantPort>,
        first: Option<(Socket, SocketAddr)>,
    ) -> EntrantConnection {
        EntrantConnection {
            occupant: Occupant::Entrant(SeatGuard::new(port)),
            first: Mutex::new(first),
        }
    }

    /// In the place of an entrant that is known in this way.
    fn absent(login: &Login) -> EntrantConnection {
        let pipe: Box<dyn Pipe> = Box::new(AbsentPlayer::new(login));
        let from = pipe.peer();
        EntrantConnection {
            occupant: Occupant::Absent(login.clone()),
            first: Mutex::new(Some((pipe.into(), from))),
        }
    }

    /// The same for another try, in which the entrant comes with its next connection.
    pub(crate) fn again(&self) -> EntrantConnection {
        match &self.occupant {
            Occupant::Entrant(guard) => EntrantConnection::of(guard.port(), None),
            Occupant::Absent(login) => EntrantConnection::absent(login),
        }
    }

    pub(crate) fn note_sat(&self) {
        if let Occupant::Entrant(guard) = &self.occupant {
            guard.port().note_sat();
        }
    }

    pub(crate) const fn is_entrant(&self) -> bool {
        matches!(self.occupant, Occupant::Entrant(_))
    }

    pub(crate) fn address(&self) -> SocketAddr {
        match &self.occupant {
            Occupant::Entrant(guard) => guard.port().address(),
            Occupant::Absent(_) => SocketAddr::from(([0, 0, 0, 0], 0)),
        }
    }

    /// The next connection. Nothing is lost when this is given up before it is ready.
    pub(crate) async fn next(&self) -> (Socket, SocketAddr) {
        let first = self.first.lock();
        let first = first.unwrap_or_else(PoisonError::into_inner).take();
        match (first, &self.occupant) {
            (Some(first), _) => first,
            (None, Occupant::Entrant(guard)) => guard.port().next().await,
            (None, Occupant::Absent(_)) => pending().await,
        }
    }
}
