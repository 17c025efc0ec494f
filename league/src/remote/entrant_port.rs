//! The port of a remote entrant, and its connections that wait for their games.

use std::collections::VecDeque;
use std::future::pending;
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

use super::login::{FailedLogin, Login};
use super::{Presence, PresenceState, Say};
use crate::settings::Entrant;
use crate::settings::MOST_VISITORS;
use server::lobby::CLIENTS;
use server::lobby::handshakes::{FailedLogins, Handshake, Handshakes};
use server::lobby::listener::Listener;
use server::table::socket::Socket;

/// Time between two looks for connections that were closed.
const LOOK: Duration = Duration::from_millis(500);

/// An entrant that has no connection for this long is said to be missing: between two games it has none for a moment.
const MISSED: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct EntrantPort {
    name: String,
    address: SocketAddr,
    /// `None` where others listen, who let its connections in.
    listener: Option<Listener>,
    most_waiting: usize,
    login: Login,
    failed_logins: FailedLogins,
    waiting: Mutex<EntrantState>,
    came: Notify,
    /// The same of all entrants, and that one is free again.
    news: Arc<Notify>,
}

#[derive(Debug)]
struct EntrantState {
    connections: VecDeque<WaitingConnection>,
    tables: usize,
    seats: usize,
    /// When it was here last, or when the league began.
    here: Instant,
    /// Since when a table has wanted it and it has not sat, though it may have connected.
    wanted: Option<Instant>,
    /// How long tables waited for it in vain before that, since it last sat down.
    vain: Duration,
    /// Up to when that is counted: tables that wait at the same time count once.
    counted: Instant,
    /// Whether it has come to a table since then and not sat down.
    has_failed: bool,
    /// Whether the league is paused. An absence has no consequences during a pause.
    is_paused: bool,
}

#[derive(Debug)]
struct WaitingConnection {
    stream: TcpStream,
    from: SocketAddr,
}

/// Whether an entrant can take the seats of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Availability {
    Here,
    Plays,
    /// It has been wanted in vain for so long.
    For(Duration),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Attendance {
    /// Connections for which no table waits.
    pub(crate) free: usize,
    pub(crate) is_playing: bool,
    /// How long it has had no connection.
    gone: Duration,
    /// How long it has been missing, or tables have waited for it in vain.
    pub(crate) away: Duration,
    has_failed: bool,
}

impl Attendance {
    const fn is_here(self) -> bool {
        self.is_playing || self.free > 0
    }
}

/// The last announcement about an entrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Announcement {
    Nothing,
    Here,
    Missing,
    Late,
    /// The entrant comes to its tables, but did not take its seat in time.
    Failed,
}

impl EntrantPort {
    pub(crate) async fn open(
        host: &str,
        game: GameName,
        entrant: &Entrant,
        news: Arc<Notify>,
    ) -> io::Result<EntrantPort> {
        let listener = Listener::open(host, entrant.access.port).await?;
        let address = listener.address()?;
        let own = EntrantPort::shared(address, game, entrant, news);
        Ok(EntrantPort {
            listener: Some(listener),
            most_waiting: MOST_VISITORS,
            ..own
        })
    }

    /// A place of an entrant at a port of all entrants, where one of its connections waits at a time.
    pub(crate) fn shared(
        address: SocketAddr,
        game: GameName,
        entrant: &Entrant,
        news: Arc<Notify>,
    ) -> EntrantPort {
        EntrantPort {
            name: entrant.name.clone(),
            address,
            listener: None,
            most_waiting: 1,
            login: Login::new(game, &entrant.access),
            failed_logins: FailedLogins::default(),
            waiting: Mutex::new(EntrantState {
                connections: VecDeque::new(),
                tables: 0,
                seats: 0,
                here: Instant::now(),
                wanted: None,
                vain: Duration::ZERO,
                counted: Instant::now(),
                has_failed: false,
                is_paused: false,
            }),
            came: Notify::new(),
            news,
        }
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    fn waiting(&self) -> MutexGuard<'_, EntrantState> {
        // Each change is whole before anything can panic.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn look(&self) -> Attendance {
        self.waiting().look(Instant::now())
    }

    pub(super) const fn login(&self) -> &Login {
        &self.login
    }

    /// Finds out whether the entrant can take so many seats of a session.
    pub(super) fn want(&self, seats: usize) -> Availability {
        let attendance = self.look();
        if attendance.free >= seats {
            Availability::Here
        } else if attendance.is_playing {
            Availability::Plays
        } else {
            Availability::For(attendance.away)
        }
    }

    /// Records whether a table waits for this entrant. Only the time while one does counts, and it adds up until the entrant
    /// sits down: one that comes and goes again and again is late once its absences together are long enough.
    pub(super) fn set_awaited(&self, is_so: bool) {
        let (mut waiting, now) = (self.waiting(), Instant::now());
        if is_so {
            waiting.wanted.get_or_insert(now);
        } else if let Some(wanted) = waiting.wanted.take() {
            waiting.count(wanted, now);
        }
    }

    pub(super) fn note_sat(&self) {
        let mut waiting = self.waiting();
        (waiting.wanted, waiting.vain) = (None, Duration::ZERO);
        waiting.counted = Instant::now();
        waiting.has_failed = false;
    }

    /// Records that the entrant came to a table and did not sit down, for which the table waited `time`. Returns how long the
    /// entrant has been missing in all.
    pub(super) fn note_failed(&self, time: Duration) -> Duration {
        let (mut waiting, now) = (self.waiting(), Instant::now());
        waiting.has_failed = true;
        waiting.count(now.checked_sub(time).unwrap_or(now), now);
        waiting.look(now).away
    }

    /// Counts from now on for how long the entrant is missing.
    pub(super) fn reset_absence(&self) {
        self.note_sat();
        self.waiting().here = Instant::now();
    }

    /// Records that the league is paused, or that the pause ends. The absence of the entrant counts from zero after a pause.
    pub(super) fn pause(&self, is_paused: bool) {
        self.waiting().is_paused = is_paused;
        if !is_paused {
            self.reset_absence();
        }
    }

    pub(crate) fn presence(&self) -> Presence {
        let attendance = self.look();
        Presence {
            name: self.name.clone(),
            connects_to: self.address,
            state: if attendance.is_playing {
                PresenceState::Playing
            } else if attendance.free > 0 {
                PresenceState::Here
            } else {
                PresenceState::Missing
            },
        }
    }

    /// The connection that came last: an older one may be of a machine that has gone without a word.
    pub(crate) fn take(&self) -> Option<(Socket, SocketAddr)> {
        let mut waiting = self.waiting();
        waiting.connections.retain(WaitingConnection::is_there);
        let WaitingConnection { stream, from } = waiting.connections.pop_back()?;
        Some((stream.into(), from))
    }

    #[cfg(test)]
    pub(super) fn is_awaited(&self) -> bool {
        self.waiting().wanted.is_some()
    }

    /// Where the connection that came last comes from.
    #[cfg(test)]
    pub(super) fn newest(&self) -> Option<SocketAddr> {
        self.waiting().connections.back().map(|last| last.from)
    }

    /// The next connection, for a table that waits for it.
    pub(super) async fn next(&self) -> (Socket, SocketAddr) {
        let _table = TableWait::new(self);
        loop {
            let mut came = pin!(self.came.notified());
            came.as_mut().enable();
            if let Some(taken) = self.take() {
                return taken;
            }
            came.await;
        }
    }

    /// Lets connections in and looks after them for ever. After `wait` it says what `late` says.
    pub(crate) async fn serve(
        self: Arc<Self>,
        handshakes: Handshakes,
        wait: Duration,
        late: String,
        say: Say,
    ) {
        let closing = TaskTracker::new();
        let mut logins = JoinSet::new();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut announced = Announcement::Nothing;
        loop {
            tokio::select! {
                (stream, from) = accepted(self.listener.as_ref()) => {
                    let greeted = handshakes.begin(from.ip());
                    let port = Arc::clone(&self);
                    logins.spawn(port.hear(stream, from, greeted, closing.clone()));
                }
                _ = look.tick() => announced = self.tell(announced, wait, &late, &say),
                Some(_) = logins.join_next() => {}
            }
        }
    }

    /// Hears what a client says first, and lets it in or turns it away.
    async fn hear(
        self: Arc<Self>,
        stream: TcpStream,
        from: SocketAddr,
        greeted: Handshake,
        closing: TaskTracker,
    ) {
        let called_off = greeted.called_off();
        let heard = tokio::select! {
            biased;
            heard = self.login.hear(&stream, from) => heard,
            () = called_off.cancelled() => Err(FailedLogin::silent()),
        };
        drop(greeted);
        let Some(listener) = &self.listener else {
            return;
        };
        match heard {
            Ok(()) => self.let_in(stream, from, listener, &closing),
            Err(failed) => {
                if !failed.has_guessed || self.failed_logins.may_be_told(from.ip()).await {
                    failed.turn_away(&self.name, listener, (stream, from), &closing);
                }
            }
        }
    }

    /// Lets a connection of the entrant wait, which has come to this listener. Where too many wait, the oldest goes.
    pub(crate) fn let_in(
        &self,
        stream: TcpStream,
        from: SocketAddr,
        listener: &Listener,
        closing: &TaskTracker,
    ) {
        let mut waiting = self.waiting();
        waiting.here = Instant::now();
        waiting
            .connections
            .push_back(WaitingConnection { stream, from });
        let is_over = waiting.connections.len() > self.most_waiting;
        let oldest = if is_over {
            waiting.connections.pop_front()
        } else {
            None
        };
        drop(waiting);
        if let Some(WaitingConnection { stream, from }) = oldest {
            let most = self.most_waiting;
            log::warn!(target: CLIENTS, "{}: {from} is turned away: {most} newer ones wait", self.name);
            listener.turn_away(stream, closing);
        }
        self.came.notify_waiters();
        self.news.notify_one();
    }

    /// Tells people what has changed; gives what they know now.
    pub(super) fn tell(
        &self,
        announced: Announcement,
        wait: Duration,
        late: &str,
        say: &Say,
    ) -> Announcement {
        let (attendance, name) = (self.look(), &self.name);
        let is_late = attendance.away >= wait && !self.waiting().is_paused;
        let is_back = attendance.is_here() && !attendance.has_failed;
        if is_late && !is_back && matches!(announced, Announcement::Late | Announcement::Failed) {
            // It may come and go as often as it likes.
            return announced;
        }
        if attendance.is_here() && !(attendance.has_failed && is_late) {
            if announced != Announcement::Here {
                say(format!("{name} is here"));
            }
            return Announcement::Here;
        }
        let (what, words) = if attendance.is_here() {
            (Announcement::Failed, "connects but has not sat down")
        } else {
            (Announcement::Late, "is missing")
        };
        // Between two games it is away for a moment.
        if is_late
            && (attendance.is_here() || attendance.gone >= MISSED.min(wait))
            && announced != what
        {
            say(format!("{name} {words} {late}"));
            // Fixtures that wait for it may be played otherwise now.
            self.news.notify_one();
            return what;
        }
        if attendance.gone >= MISSED && announced == Announcement::Here {
            say(format!("{name} is missing: it has no connection"));
            return Announcement::Missing;
        }
        announced
    }
}

impl EntrantState {
    /// Counts the time from then on for which a table has waited in vain.
    fn count(&mut self, since: Instant, now: Instant) {
        self.vain += now - since.max(self.counted);
        self.counted = now;
    }

    /// What is there at this time; connections that were closed are forgotten.
    fn look(&mut self, now: Instant) -> Attendance {
        self.connections.retain(WaitingConnection::is_there);
        if self.seats > 0 || !self.connections.is_empty() {
            self.here = now;
        }
        let gone = now - self.here;
        let wanted = self.wanted.map(|since| now - since.max(self.counted));
        let awaited = self.vain + wanted.unwrap_or_default();
        Attendance {
            free: self.connections.len().saturating_sub(self.tables),
            is_playing: self.seats > 0,
            gone,
            away: awaited.max(gone),
            has_failed: self.has_failed,
        }
    }
}

impl WaitingConnection {
    fn is_there(&self) -> bool {
        !has_left(&self.stream)
    }
}

/// The next connection of a listener; none ever comes without one.
async fn accepted(listener: Option<&Listener>) -> (TcpStream, SocketAddr) {
    match listener {
        Some(listener) => listener.accept().await,
        None => pending().await,
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
struct TableWait<'a>(&'a EntrantPort);

impl TableWait<'_> {
    fn new(port: &EntrantPort) -> TableWait<'_> {
        port.waiting().tables += 1;
        TableWait(port)
    }
}

impl Drop for TableWait<'_> {
    fn drop(&mut self) {
        self.0.waiting().tables -= 1;
    }
}

/// A seat that an entrant has at a table, until this is dropped.
#[derive(Debug)]
pub(super) struct SeatGuard(Arc<EntrantPort>);

impl SeatGuard {
    pub(super) fn new(port: &Arc<EntrantPort>) -> SeatGuard {
        port.waiting().seats += 1;
        SeatGuard(Arc::clone(port))
    }

    pub(super) const fn port(&self) -> &Arc<EntrantPort> {
        &self.0
    }
}

impl Drop for SeatGuard {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting();
        waiting.seats -= 1;
        waiting.here = Instant::now();
        drop(waiting);
        self.0.news.notify_one();
    }
}
