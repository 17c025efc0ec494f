//! The port of a remote entrant, and its connections that wait for their games.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use games::GameName;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::task::TaskTracker;

use super::knock::{Knock, Stranger};
use super::nobody::Nobody;
use super::{Presence, Say, State};
use crate::config::limits::MOST_VISITORS;
use crate::league::settings::Entrant;
use crate::lobby::CLIENTS;
use crate::lobby::door::Door;
use crate::lobby::greeters::{Greeted, Greeters};
use crate::table::Pipe;
use crate::table::socket::Socket;

/// Time between two looks for connections that were closed.
const LOOK: Duration = Duration::from_millis(500);

/// An entrant that is away for this long is said to be missing: between two games it is away for a moment.
const MISSED: Duration = Duration::from_secs(10);

/// The port of an entrant.
#[derive(Debug)]
pub(super) struct Gate {
    name: String,
    address: SocketAddr,
    door: Door,
    knock: Knock,
    waiting: Mutex<Waiting>,
    /// Told of each connection that waits.
    came: Notify,
    /// The same of all entrants, and that one is free again.
    news: Arc<Notify>,
}

/// What is there of an entrant.
#[derive(Debug)]
struct Waiting {
    connections: VecDeque<(TcpStream, SocketAddr)>,
    /// Tables that wait for its next connection.
    tables: usize,
    /// Seats that it has at tables.
    seats: usize,
    /// When it was here last, or when the league began.
    here: Instant,
}

/// What is seen of an entrant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Connections for which no table waits.
    pub(super) free: usize,
    pub(super) is_playing: bool,
    /// How long it has been missing.
    pub(super) away: Duration,
}

impl Seen {
    const fn is_here(self) -> bool {
        self.is_playing || self.free > 0
    }
}

/// What people were told last of an entrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    Here,
    Missing,
    Late,
}

impl Gate {
    /// Listens.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub(super) async fn open(
        host: &str,
        game: GameName,
        entrant: &Entrant,
        news: Arc<Notify>,
    ) -> io::Result<Gate> {
        let door = Door::open(host, entrant.access.port).await?;
        Ok(Gate {
            name: entrant.name.clone(),
            address: door.address()?,
            door,
            knock: Knock::new(game, &entrant.access),
            waiting: Mutex::new(Waiting {
                connections: VecDeque::new(),
                tables: 0,
                seats: 0,
                here: Instant::now(),
            }),
            came: Notify::new(),
            news,
        })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Each change is whole before anything can panic.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds out whether the entrant is there.
    pub(super) fn look(&self) -> Seen {
        let mut waiting = self.waiting();
        let now = Instant::now();
        waiting.connections.retain(|(stream, _)| !has_left(stream));
        if waiting.seats > 0 || !waiting.connections.is_empty() {
            waiting.here = now;
        }
        Seen {
            free: waiting.connections.len().saturating_sub(waiting.tables),
            is_playing: waiting.seats > 0,
            away: now - waiting.here,
        }
    }

    /// How people are told of it.
    pub(super) fn presence(&self) -> Presence {
        let seen = self.look();
        Presence {
            name: self.name.clone(),
            connects_to: self.address,
            state: if seen.is_playing {
                State::Playing
            } else if seen.free > 0 {
                State::Here
            } else {
                State::Missing
            },
        }
    }

    /// The connection that came last: an older one may be of a machine that has gone without a word.
    pub(super) fn take(&self) -> Option<(Socket, SocketAddr)> {
        let mut waiting = self.waiting();
        waiting.connections.retain(|(stream, _)| !has_left(stream));
        let (stream, from) = waiting.connections.pop_back()?;
        Some((stream.into(), from))
    }

    /// Where the connection that came last comes from.
    #[cfg(test)]
    pub(super) fn newest(&self) -> Option<SocketAddr> {
        self.waiting().connections.back().map(|(_, from)| *from)
    }

    /// The next connection, for a table that waits for it.
    pub(super) async fn next(&self) -> (Socket, SocketAddr) {
        let _table = AtTable::new(self);
        loop {
            let mut came = pin!(self.came.notified());
            came.as_mut().enable();
            if let Some(taken) = self.take() {
                return taken;
            }
            came.await;
        }
    }

    /// Somebody who takes a seat and is gone.
    pub(super) fn nobody(&self) -> (Socket, SocketAddr) {
        let pipe: Box<dyn Pipe> = Box::new(Nobody::new(&self.knock));
        let from = pipe.peer();
        (pipe.into(), from)
    }

    /// Lets connections in and looks after them for ever. After `wait` it says what `late` says.
    pub(super) async fn serve(
        self: Arc<Self>,
        greeters: Greeters,
        wait: Duration,
        late: String,
        say: Say,
    ) {
        let closing = TaskTracker::new();
        let mut knocking = JoinSet::new();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut told = Told::Nothing;
        loop {
            tokio::select! {
                (stream, from) = self.door.accept() => {
                    let greeted = greeters.begin(from.ip());
                    let gate = Arc::clone(&self);
                    knocking.spawn(gate.hear(stream, from, greeted, closing.clone()));
                }
                _ = look.tick() => told = self.tell(told, wait, &late, &say),
                Some(_) = knocking.join_next() => {}
            }
        }
    }

    /// Hears what a client says first, and lets it in or turns it away.
    async fn hear(
        self: Arc<Self>,
        stream: TcpStream,
        from: SocketAddr,
        greeted: Greeted,
        closing: TaskTracker,
    ) {
        let heard = tokio::select! {
            biased;
            heard = self.knock.hear(&stream, from) => heard,
            () = greeted.called_off() => Err(Stranger::silent()),
        };
        drop(greeted);
        let Err(stranger) = heard else {
            return self.let_in(stream, from, &closing);
        };
        log::warn!(target: CLIENTS, "{}: {from} is turned away: {}", self.name, stranger.reason);
        let mut socket = Socket::from(stream);
        socket.write_first(&stranger.answer);
        self.door.turn_away(socket, &closing);
    }

    fn let_in(&self, stream: TcpStream, from: SocketAddr, closing: &TaskTracker) {
        let mut waiting = self.waiting();
        waiting.here = Instant::now();
        waiting.connections.push_back((stream, from));
        let oldest = if waiting.connections.len() > MOST_VISITORS {
            waiting.connections.pop_front()
        } else {
            None
        };
        drop(waiting);
        if let Some((stream, from)) = oldest {
            log::warn!(target: CLIENTS, "{}: {from} is turned away: {MOST_VISITORS} others wait", self.name);
            self.door.turn_away(stream, closing);
        }
        self.came.notify_waiters();
        self.news.notify_one();
    }

    /// Tells people what has changed; gives what they know now.
    fn tell(&self, told: Told, wait: Duration, late: &str, say: &Say) -> Told {
        let (seen, name) = (self.look(), &self.name);
        if seen.is_here() {
            if told != Told::Here {
                say(format!("{name} is here"));
            }
            return Told::Here;
        }
        if seen.away >= wait && told != Told::Late {
            say(format!("{name} is missing {late}"));
            // Fixtures that wait for it may be played otherwise now.
            self.news.notify_one();
            return Told::Late;
        }
        if seen.away >= MISSED && told == Told::Here {
            say(format!("{name} is missing: it has no connection"));
            return Told::Missing;
        }
        told
    }
}

/// Whether a client has closed its connection, also behind what it has sent before.
fn has_left(stream: &TcpStream) -> bool {
    let ready = pin!(stream.ready(Interest::READABLE));
    match ready.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(ready)) => ready.is_read_closed(),
        Poll::Ready(Err(_)) => true,
        Poll::Pending => false,
    }
}

/// A table that waits for the next connection of an entrant.
struct AtTable<'a>(&'a Gate);

impl AtTable<'_> {
    fn new(gate: &Gate) -> AtTable<'_> {
        gate.waiting().tables += 1;
        AtTable(gate)
    }
}

impl Drop for AtTable<'_> {
    fn drop(&mut self) {
        self.0.waiting().tables -= 1;
    }
}

/// A seat that an entrant has at a table, until this is dropped.
#[derive(Debug)]
pub(super) struct Stay(Arc<Gate>);

impl Stay {
    pub(super) fn new(gate: &Arc<Gate>) -> Stay {
        gate.waiting().seats += 1;
        Stay(Arc::clone(gate))
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting();
        waiting.seats -= 1;
        waiting.here = Instant::now();
        drop(waiting);
        self.0.news.notify_one();
    }
}
