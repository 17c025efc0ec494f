//! The shell around a referee: one table over sockets, for every protocol.

pub mod disk;
pub mod files;
pub(crate) mod interpreter;
mod journal;
pub mod link;
pub mod socket;
#[cfg(test)]
mod tests;

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use games::{ByPlayer, Player};
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::limits::SAY_AWAITED;
use crate::lobby::CLIENTS;
use crate::referee::{Outbox, Referee};
use crate::watch::Publisher;
use record::Event;

pub use journal::Journal;
pub use link::ConnectionError;
pub use socket::Pipe;

/// Why a match ends whose table has panicked.
pub const FAILED: &str = "the server failed";

/// The connection of a player. It never waits when it sends.
pub trait Connection: Send + 'static {
    type In;
    type Out;

    /// Whether clients may take what one `read` gives for a message. The awaited one of them is the last to have its
    /// messages: its answer may bring the others their next ones, and a relay before them that has not handed on the last
    /// ones would put both together and cut them elsewhere.
    const READS_ONCE: bool = false;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::In, ConnectionError>>;

    fn push(&mut self, message: &Self::Out);

    /// Sends what waits, or keeps it until the client reads.
    fn send(&mut self);

    /// Goes on sending what the client has not read yet. Ready when nothing waits any more.
    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()>;

    /// Sends what waits and closes; `second` leaves it to the client to close first, for a while.
    fn close(self, second: bool) -> impl Future<Output = ()> + Send + 'static;

    /// Tells the client why it has no seat, and closes.
    fn refuse(self, _why: Refusal) -> impl Future<Output = ()> + Send + 'static
    where
        Self: Sized,
    {
        self.close(false)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its player has given the seat up.
    GivenUp,
    /// Its player has another.
    Replaced,
    Over,
}

#[derive(Debug)]
pub struct Return<C: Connection> {
    pub player: Player,
    pub connection: C,
    /// Number of the last event that it has.
    pub last: Option<u64>,
    /// What it is told first if its seat is still its own.
    pub welcome: C::Out,
}

/// How long sockets are still looked at when the time is up: the runtime turns to them meanwhile.
const SOCKETS_TURN: Duration = Duration::from_millis(1);

/// Messages of each player that still count when the time is up: one that never stops sending must
/// not stop the clocks.
const LATE_MESSAGES: usize = 64;

/// What hears of each event of a match, in order, with the referee after it.
pub type Audience<'a, R> = dyn FnMut(&R, &Event) + Send + 'a;

pub struct Table<R, C: Connection> {
    pub referee: R,
    /// `None` once a connection is closed or lost.
    pub connections: ByPlayer<Option<C>>,
    /// Those that come back, where players may.
    pub returns: Option<mpsc::Receiver<Return<C>>>,
    /// The zero of the clock.
    pub epoch: Instant,
    /// Names by player, for the log; may be empty.
    pub names: Vec<String>,
    /// Where closing connections go on.
    pub closing: TaskTracker,
    /// Ends the match early, but after what is in play.
    pub finish: CancellationToken,
    /// Makes the game in play void.
    pub stop: CancellationToken,
    pub public: Publisher,
    /// The journal from which the next server continues the match.
    pub journal: Journal,
}

/// What wakes the table. There is one at a time, on the stack.
enum TableStep<C: Connection> {
    Sent(Player, Result<C::In, ConnectionError>),
    Back(Return<C>),
    TimeUp,
    /// It is time to look how long a player has been awaited.
    Look,
    Finished,
    Stopped,
}

impl<R, C> Table<R, C>
where
    R: Referee,
    C: Connection<In = R::In, Out = R::Out>,
{
    /// Plays the match to its end; gives the referee.
    pub async fn play(mut self, audience: &mut Audience<'_, R>) -> R {
        let mut out = Outbox::at(self.now());
        // The player that is listened to first: the one after the one that spoke last, so that one
        // that never stops talking does not silence the others.
        let mut first = Player::new(0);
        let mut finishing = false;
        let mut late = Late::default();
        let mut awaited = Awaited::new();
        let mut look = pin!(sleep(SAY_AWAITED));
        self.referee.start(&mut out);
        loop {
            self.tell_at_pace(&mut out, audience).await;
            self.deliver(&mut out, audience);
            if self.referee.is_over() {
                break;
            }
            let step = self.next_step(first, finishing, &late, look.as_mut()).await;
            let is_late = matches!(step, TableStep::TimeUp);
            let now = self.replayed_deadline().filter(|_| is_late);
            let now = now.unwrap_or_else(|| self.now());
            out.now = now;
            match step {
                TableStep::Sent(player, Ok(message)) => {
                    awaited = Awaited::new();
                    first = Player::at((player.index() + 1) % self.connections.len());
                    self.referee.receive(player, message, &mut out);
                    let deadline = self.referee.next_deadline();
                    let late = late.count(deadline.filter(|&at| at <= now));
                    if late == 1 {
                        sleep(SOCKETS_TURN).await;
                    } else if late > LATE_MESSAGES * self.connections.len() {
                        self.referee.wake(&mut out);
                    }
                }
                TableStep::Sent(player, Err(error)) => {
                    log::info!(target: CLIENTS, "player {player} is gone: {error}");
                    if !R::TELLS_LOST {
                        self.connections[player] = None;
                    }
                    let (kind, reason) = (error.kind(), error.to_string());
                    self.public.presence(player, false);
                    self.referee.lose(player, kind, &reason, &mut out);
                }
                TableStep::Back(back) if self.referee.is_gone(back.player) => {
                    self.refuse(back.connection, Refusal::GivenUp);
                }
                TableStep::Back(back) => {
                    let Return { player, last, .. } = back;
                    let mut connection = back.connection;
                    connection.push(&back.welcome);
                    connection.send();
                    if let Some(old) = self.connections[player].replace(connection) {
                        self.refuse(old, Refusal::Replaced);
                    }
                    self.public.presence(player, true);
                    self.referee.rejoin(player, last, &mut out);
                }
                TableStep::TimeUp => self.referee.wake(&mut out),
                TableStep::Look => {
                    let now = Instant::now();
                    if awaited.is_long(now) {
                        self.say_awaited();
                    }
                    look.as_mut().reset(awaited.next_look(now));
                }
                TableStep::Finished => {
                    finishing = true;
                    self.referee.finish();
                }
                TableStep::Stopped => self.referee.stop(&mut out),
            }
        }
        if let Some(mut returns) = self.returns.take() {
            returns.close();
            while let Ok(back) = returns.try_recv() {
                self.refuse(back.connection, Refusal::Over);
            }
        }
        self.referee
    }

    /// The time on the clock of the match: what happens again does so at the time of its journal.
    fn now(&self) -> Duration {
        let next = self.journal.next();
        next.map_or_else(|| self.epoch.elapsed(), |next| next.at)
    }

    /// While the match happens again: the time that has come before anybody sends anything, if one has.
    fn replayed_deadline(&self) -> Option<Duration> {
        let next = self.journal.next()?;
        let deadline = self.referee.next_deadline();
        let deadline = deadline.filter(|_| next.is_late || next.player.is_none());
        self.referee.holds_until().or(deadline)
    }

    fn say_awaited(&self) {
        let players = Player::all(self.connections.len());
        for player in players.filter(|&player| self.referee.listens_to(player)) {
            let name = self.names.get(player.index()).map_or("", |name| name);
            log::warn!("waiting for player {player} {name:?}, who has no limit of time");
        }
    }

    fn refuse(&self, connection: C, why: Refusal) {
        self.closing.spawn(connection.refuse(why));
    }

    /// Sends messages, closes, tells of events. The clock of the player that is listened to runs:
    /// its messages leave first unless it [`Connection::READS_ONCE`], and all of them before anything is written down.
    fn deliver(&mut self, out: &mut Outbox<R::Out>, audience: &mut Audience<'_, R>) {
        for (player, message) in out.messages.drain(..) {
            if let Some(connection) = &mut self.connections[player] {
                connection.push(&message);
            }
        }
        let count = self.connections.len();
        let first = Player::all(count).find(|&player| self.referee.listens_to(player));
        let first = first.unwrap_or_default();
        let first = Player::at((first.index() + usize::from(C::READS_ONCE)) % count.max(1));
        for player in round(first, count) {
            if let Some(connection) = &mut self.connections[player] {
                connection.send();
            }
        }
        for player in out.close.drain(..) {
            if let Some(connection) = self.connections[player].take() {
                self.closing.spawn(connection.close(out.close_second));
            }
        }
        let (was_past, is_stopped) = (self.journal.next().is_some(), self.stop.is_cancelled());
        for event in out.events.drain(..) {
            self.tell(&event, is_stopped, audience);
        }
        // The time until here costs nobody anything.
        if was_past
            && self.journal.next().is_none()
            && let Some(epoch) = self.journal.epoch()
        {
            self.epoch = epoch;
        }
    }

    fn tell(&mut self, event: &Event, is_stopped: bool, audience: &mut Audience<'_, R>) {
        self.journal.take(event, is_stopped, |event| {
            self.public.event(event);
            audience(&self.referee, event);
        });
    }

    /// Tells the events of a game that is shown at a pace, each when it is due. The clock of the match stands still
    /// meanwhile, as no player has its messages yet.
    async fn tell_at_pace(&mut self, out: &mut Outbox<R::Out>, audience: &mut Audience<'_, R>) {
        if !out.events.iter().any(|e| self.public.due(e).is_some()) {
            return;
        }
        let is_stopped = self.stop.is_cancelled();
        for event in std::mem::take(&mut out.events) {
            if let Some(due) = self.public.due(&event) {
                self.hold_until(due).await;
            }
            self.tell(&event, is_stopped, audience);
        }
        self.epoch = Instant::now().checked_sub(out.now).unwrap_or(self.epoch);
    }

    /// Goes on sending until this time, or until the match is stopped.
    async fn hold_until(&mut self, at: Instant) {
        let connections = &mut self.connections;
        let sending = poll_fn(|cx| {
            for connection in connections.iter_mut().flatten() {
                let _ = connection.poll_flush(cx);
            }
            Poll::<()>::Pending
        });
        tokio::select! {
            biased;
            () = self.stop.cancelled() => {}
            () = sending => {}
            () = sleep_until(at) => {}
        }
    }

    /// Waits for a player's message, one that comes back, a time or the stop, and meanwhile goes on
    /// sending. What has come counts before the time that is up: a move that lies in the socket is
    /// not late because the server is. After the first message that is late, only what lies in the sockets counts.
    async fn next_step(
        &mut self,
        first: Player,
        finishing: bool,
        late: &Late,
        look: Pin<&mut Sleep>,
    ) -> TableStep<C> {
        if self.replayed_deadline().is_some() {
            return TableStep::TimeUp;
        }
        let next = self.journal.next();
        let deadline = self.referee.next_deadline().filter(|_| next.is_none());
        let had_turn = late.is_past(deadline);
        let is_awaited = |player| {
            next.and_then(|next| next.player)
                .is_none_or(|one| one == player)
        };
        let (referee, connections) = (&self.referee, &mut self.connections);
        let sent = poll_fn(|cx| {
            for connection in connections.iter_mut().flatten() {
                let _ = connection.poll_flush(cx);
            }
            for player in round(first, connections.len()) {
                if referee.listens_to(player)
                    && is_awaited(player)
                    && let Some(connection) = &mut connections[player]
                    && let Poll::Ready(sent) = connection.poll_next(cx)
                {
                    return Poll::Ready((player, sent));
                }
            }
            Poll::Pending
        });
        let returns = &mut self.returns;
        let back = async {
            match returns {
                Some(returns) => returns.recv().await,
                None => None,
            }
        };
        let at = deadline.and_then(|at| self.epoch.checked_add(at));
        let time_up = async {
            match at {
                Some(at) => {
                    sleep_until(at).await;
                    // Where the process stood still, the timer may be looked at before the sockets are.
                    if !had_turn {
                        sleep(SOCKETS_TURN).await;
                    }
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => TableStep::Stopped,
            () = self.finish.cancelled(), if !finishing => TableStep::Finished,
            Some(back) = back => TableStep::Back(back),
            (player, sent) = sent => TableStep::Sent(player, sent),
            () = time_up => TableStep::TimeUp,
            () = look, if at.is_none() => TableStep::Look,
        }
    }
}

/// Messages that have come after a deadline, and are the last that may save it.
#[derive(Default)]
struct Late {
    deadline: Option<Duration>,
    messages: usize,
}

impl Late {
    /// Counts a message after which this deadline has passed, if any has; gives how many have come so.
    fn count(&mut self, deadline: Option<Duration>) -> usize {
        if deadline != self.deadline {
            *self = Late {
                deadline,
                messages: 0,
            };
        }
        self.messages += usize::from(deadline.is_some());
        self.messages
    }

    /// Whether a message has come after this deadline: the sockets had their turn then.
    fn is_past(&self, deadline: Option<Duration>) -> bool {
        self.messages > 0 && deadline == self.deadline
    }
}

/// How long a table has waited for the player that is to send something.
struct Awaited {
    since: Instant,
    is_said: bool,
}

impl Awaited {
    fn new() -> Awaited {
        Awaited {
            since: Instant::now(),
            is_said: false,
        }
    }

    /// Whether it is long, and was not so before.
    fn is_long(&mut self, now: Instant) -> bool {
        let is_long = !self.is_said && now - self.since >= SAY_AWAITED;
        self.is_said |= is_long;
        is_long
    }

    fn next_look(&self, now: Instant) -> Instant {
        let from = if self.is_said { now } else { self.since };
        from + SAY_AWAITED
    }
}

fn round(first: Player, count: usize) -> impl Iterator<Item = Player> {
    (0..count).map(move |i| Player::at((first.index() + i) % count))
}

/// Plays a table to its end. `None` and a line in the log when it panics: that is our fault, and the
/// match is void.
pub async fn guarded<T>(table: impl Future<Output = T>) -> Option<T> {
    let mut table = Box::pin(table);
    // Nothing of a table that has panicked is looked at again: it is dropped.
    let played = poll_fn(|cx| {
        let poll = AssertUnwindSafe(|| table.as_mut().poll(cx));
        match catch_unwind(poll) {
            Ok(poll) => poll.map(Some),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
                log::error!("{FAILED}: {}", said.unwrap_or("a panic without words"));
                Poll::Ready(None)
            }
        }
    });
    played.await
}
