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
use crate::lobby::handshakes::Handshakes;
use crate::table::Pipe;
use crate::table::socket::Socket;
use gate::{Gate, Stay, Wanted};
pub(in crate::league) use knock::{Knock, token_refusal};
use nobody::Nobody;

/// What becomes of a sitting that is to begin.
#[derive(Debug)]
pub enum Call<T> {
    /// It begins with these.
    Ready(T),
    /// It waits for players who are missing or play elsewhere.
    Wait,
    /// It is played later, as these entrants have been missing for too long.
    Skip(Vec<usize>),
    /// It is lost by all its players: none of them comes, and the schedule cannot leave it.
    Lost,
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
pub struct Presence {
    /// Its name.
    pub name: String,
    /// The address that it connects to.
    pub connects_to: SocketAddr,
    /// Whether it is there.
    pub state: State,
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

/// Says something to people.
pub type Say = Arc<dyn Fn(String) + Send + Sync>;

/// The ports of all remote entrants; without any in a league that starts all programs itself.
#[derive(Debug, Default)]
pub struct Foyer {
    gates: Vec<Option<Arc<Gate>>>,
    absent: Absent,
    wait: Duration,
    /// Whether a fixture whose entrants are all missing can be left for later. A round that is paired cannot be left open.
    can_skip: bool,
    /// Those that are disqualified, and how they are known.
    out: Mutex<BTreeMap<usize, Knock>>,
    /// Those for which sittings wait that have been looked at in this look.
    awaited: Mutex<BTreeSet<usize>>,
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
        let (news, greeters) = (Arc::new(Notify::new()), Handshakes::default());
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
            can_skip: !settings.pairs_rounds(),
            out: Mutex::default(),
            awaited: Mutex::default(),
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

    /// Gives the seats of these entrants, which are known in this way, to nobody from now on, and those of all others to
    /// themselves.
    pub(in crate::league) fn leave_out(&self, out: BTreeMap<usize, Knock>) {
        let before = std::mem::replace(&mut *self.out(), out);
        let back = before
            .keys()
            .filter(|entrant| !self.out().contains_key(entrant));
        let back: Vec<usize> = back.copied().collect();
        for gate in back.into_iter().filter_map(|entrant| self.gate(entrant)) {
            gate.wait_anew();
        }
        self.news.notify_one();
    }

    /// Those that are disqualified, and how they are known.
    fn out(&self) -> MutexGuard<'_, BTreeMap<usize, Knock>> {
        // Each change is whole before anything can panic.
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the league is paused, or that the pause ends. The absence of each entrant counts from zero after a pause.
    pub(in crate::league) fn pause(&self, is_paused: bool) {
        for gate in self.gates.iter().flatten() {
            gate.pause(is_paused);
        }
    }

    /// Ends a look at the sittings that are left. From now on the absence of an entrant counts if one of these sittings waits
    /// for it and `can_begin` says that the league has a free table.
    pub(in crate::league) fn end_look(&self, can_begin: bool) {
        let awaited = self.awaited.lock();
        let mut awaited = awaited.unwrap_or_else(PoisonError::into_inner);
        for (entrant, gate) in self.gates.iter().enumerate() {
            if let Some(gate) = gate {
                gate.set_awaited(can_begin && awaited.contains(&entrant));
            }
        }
        awaited.clear();
    }

    /// Records that an entrant came to a table and did not sit down, for which the table waited `time`. Returns whether it
    /// has been missing for too long.
    pub(in crate::league) fn note_failed(&self, entrant: usize, time: Duration) -> bool {
        let gate = self.gate(entrant);
        let away = gate.map_or(Duration::ZERO, |gate| gate.note_failed(time));
        self.is_too_long(away)
    }

    /// Whether tables wait no longer for an entrant that has been away for so long.
    fn is_too_long(&self, away: Duration) -> bool {
        self.absent != Absent::Wait && away >= self.wait
    }

    /// Calls the players of a sitting, whose entrants these are.
    #[cfg(test)]
    fn call(&self, players: &[usize]) -> Call<Visitors> {
        self.call_also_without(players, BTreeMap::new())
    }

    /// Calls the players of a sitting, whose entrants these are, and leaves the seats of those empty that are disqualified, and of
    /// these others.
    pub(in crate::league) fn call_also_without(
        &self,
        players: &[usize],
        mut nobody: BTreeMap<usize, Knock>,
    ) -> Call<Visitors> {
        // One that has sat down elsewhere since then may come again.
        let is_late = |gate: &Arc<Gate>| self.is_too_long(gate.look().away);
        nobody.retain(|entrant, _| self.gate(*entrant).is_none_or(is_late));
        let out = self.out();
        let late = nobody.keys().copied();
        let late: Vec<usize> = late.filter(|entrant| !out.contains_key(entrant)).collect();
        nobody.extend(out.iter().map(|(&entrant, knock)| (entrant, knock.clone())));
        // A fixture without any of its entrants is left for later.
        if self.can_skip
            && players.iter().any(|entrant| late.contains(entrant))
            && players.iter().all(|entrant| nobody.contains_key(entrant))
        {
            return Call::Skip(late);
        }
        drop(out);
        self.call_without(players, &nobody)
    }

    /// Calls the players of a sitting and leaves the seats of the entrants `out` empty; each knock identifies its entrant.
    pub(in crate::league) fn call_without(
        &self,
        players: &[usize],
        out: &BTreeMap<usize, Knock>,
    ) -> Call<Visitors> {
        let mut seats: BTreeMap<usize, usize> = BTreeMap::new();
        for &entrant in players {
            *seats.entry(entrant).or_default() += 1;
        }
        let awaited = seats.iter().filter_map(|(&entrant, &seats)| {
            let gate = self.gate(entrant).filter(|_| !out.contains_key(&entrant))?;
            Some((entrant, gate.want(seats)))
        });
        let awaited: Vec<_> = awaited.collect();
        let others_play = awaited.iter().any(|(_, wanted)| *wanted == Wanted::Plays);
        let (mut missing, mut waits) = (Vec::new(), others_play);
        for (entrant, wanted) in awaited {
            match wanted {
                Wanted::Here | Wanted::Plays => {}
                Wanted::For(time) => {
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
            return Call::Wait;
        }
        let is_nobody = |entrant: &usize| missing.contains(entrant) || out.contains_key(entrant);
        // Nobody plays nobody.
        let is_empty = players.iter().all(is_nobody);
        if !missing.is_empty() && (self.absent == Absent::Skip || is_empty && self.can_skip) {
            return if self.can_skip {
                Call::Skip(missing)
            } else {
                Call::Wait
            };
        }
        if is_empty {
            return Call::Lost;
        }
        let visitor = |entrant: &usize| {
            if let Some(knock) = out.get(entrant) {
                return Some(Visitor::nobody(knock));
            }
            let gate = self.gate(*entrant)?;
            Some(if missing.contains(entrant) {
                Visitor::nobody(gate.knock())
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
    who: Who,
    first: Mutex<Option<(Socket, SocketAddr)>>,
}

#[derive(Debug)]
enum Who {
    Entrant(Stay),
    /// In the place of an entrant that is missing or disqualified somebody takes the seat and is gone.
    Nobody(Knock),
}

impl Visitor {
    fn of(gate: &Arc<Gate>, first: Option<(Socket, SocketAddr)>) -> Visitor {
        Visitor {
            who: Who::Entrant(Stay::new(gate)),
            first: Mutex::new(first),
        }
    }

    /// In the place of an entrant that is known in this way.
    fn nobody(knock: &Knock) -> Visitor {
        let pipe: Box<dyn Pipe> = Box::new(Nobody::new(knock));
        let from = pipe.peer();
        Visitor {
            who: Who::Nobody(knock.clone()),
            first: Mutex::new(Some((pipe.into(), from))),
        }
    }

    /// The same for another try, in which the entrant comes with its next connection.
    pub(in crate::league) fn again(&self) -> Visitor {
        match &self.who {
            Who::Entrant(stay) => Visitor::of(stay.gate(), None),
            Who::Nobody(knock) => Visitor::nobody(knock),
        }
    }

    pub(in crate::league) fn note_sat(&self) {
        if let Who::Entrant(stay) = &self.who {
            stay.gate().note_sat();
        }
    }

    pub(in crate::league) const fn is_entrant(&self) -> bool {
        matches!(self.who, Who::Entrant(_))
    }

    pub(in crate::league) fn address(&self) -> SocketAddr {
        match &self.who {
            Who::Entrant(stay) => stay.gate().address(),
            Who::Nobody(_) => SocketAddr::from(([0, 0, 0, 0], 0)),
        }
    }

    /// The next connection. Nothing is lost when this is given up before it is ready.
    pub(in crate::league) async fn next(&self) -> (Socket, SocketAddr) {
        let first = self.first.lock();
        let first = first.unwrap_or_else(PoisonError::into_inner).take();
        match (first, &self.who) {
            (Some(first), _) => first,
            (None, Who::Entrant(stay)) => stay.gate().next().await,
            (None, Who::Nobody(_)) => pending().await,
        }
    }
}
