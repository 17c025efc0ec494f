//! The shell around a referee: one table over sockets, for every protocol.

pub mod disk;
pub mod files;
pub(crate) mod interpreter;
mod journal;
pub mod link;
pub mod socket;
mod tls;

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
    /// What comes from the player.
    type In;
    /// A message to the player.
    type Out;

    /// Whether clients may take what one `read` gives for a message. The awaited one of them is the last to have its
    /// messages: its answer may bring the others their next ones, and a relay before them that has not handed on the last
    /// ones would put both together and cut them elsewhere.
    const READS_ONCE: bool = false;

    /// The next message.
    ///
    /// # Errors
    /// Why nothing more comes.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::In, ConnectionError>>;

    /// Adds a message to those that wait.
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

/// Why a connection has no seat at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its player has given the seat up.
    GivenUp,
    /// Its player has another.
    Replaced,
    /// The match is over.
    Over,
}

/// A player that comes back on a new connection.
#[derive(Debug)]
pub struct Return<C: Connection> {
    /// The player.
    pub player: Player,
    /// Its new connection.
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

/// One table.
pub struct Table<R, C: Connection> {
    /// The referee.
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
    /// Tells those who watch.
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

    /// Tells the log whom the table waits for.
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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io::Read as _;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::ready;
    use std::time::Duration;

    use games::ScoreFour;
    use games::daihinmin::Chance;
    use games::score_four::Rules as ScoreFourRules;
    use protocol::native::{ClientMessage, Fault, ServerMessage};
    use protocol::uecda::{CardTable, Version};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::JoinHandle;

    use super::link::Writes;
    use super::*;
    use crate::config::Uecda;
    use crate::lobby::uecda::UecdaConnection;
    use crate::referee::native::{self, NativeReferee};
    use crate::referee::uecda::{UecdaMatchSettings, UecdaMessage, UecdaReferee};
    use crate::watch::{Pace, Watching};
    use record::{EndKind, What};

    /// A client that answers each request with its next move, which is seen when the runtime has turned to its other
    /// tasks; one that talks has something else to say at all other times.
    struct Scripted {
        moves: VecDeque<String>,
        answer: Option<JoinHandle<()>>,
        talks: bool,
        /// It rests for this long after each thing that it says.
        rest: Option<Pin<Box<Sleep>>>,
        said: Arc<AtomicUsize>,
    }

    impl Scripted {
        fn new(moves: &[&str], talks: bool) -> Scripted {
            Scripted {
                moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
                answer: None,
                talks,
                rest: None,
                said: Arc::default(),
            }
        }

        /// A client that says something every millisecond or two, and no move.
        fn chatting() -> Scripted {
            Scripted {
                rest: Some(Box::pin(sleep(REST))),
                ..Scripted::new(&[], true)
            }
        }
    }

    const REST: Duration = Duration::from_millis(1);

    impl Connection for Scripted {
        type In = Result<ClientMessage, Fault>;
        type Out = ServerMessage;

        fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::In, ConnectionError>> {
            if let Some(answer) = &mut self.answer
                && Pin::new(answer).poll(cx).is_ready()
            {
                self.answer = None;
                if let Some(mv) = self.moves.pop_front() {
                    let (game, ply) = (None, None);
                    return Poll::Ready(Ok(Ok(ClientMessage::Move { game, ply, mv })));
                }
            }
            if let Some(rest) = &mut self.rest {
                ready!(rest.as_mut().poll(cx));
                rest.as_mut().reset(Instant::now() + REST);
            }
            if self.talks {
                self.said.fetch_add(1, Ordering::Relaxed);
                Poll::Ready(Ok(Ok(ClientMessage::Legal)))
            } else {
                Poll::Pending
            }
        }

        fn push(&mut self, message: &ServerMessage) {
            if matches!(message, ServerMessage::Request { .. }) {
                self.answer = Some(tokio::spawn(async {}));
            }
        }

        fn send(&mut self) {}

        fn poll_flush(&mut self, _cx: &mut Context<'_>) -> Poll<()> {
            Poll::Ready(())
        }

        async fn close(self, _second: bool) {}
    }

    /// A match of 3D four-in-a-row in which a move has hardly any time.
    fn table(games: u32, clients: [Scripted; 2]) -> Table<NativeReferee<ScoreFour>, Scripted> {
        let settings = native::MatchSettings {
            games,
            swap: false,
            draw: false,
            rules: ScoreFourRules {},
            clocks: ByPlayer::of(
                2,
                record::Clocks {
                    move_ms: Some(1),
                    ..record::Clocks::default()
                },
            ),
            resume: Duration::ZERO,
            ready: Duration::ZERO,
            retries: 0,
            timeouts: 0,
            goes_on: false,
            draws: false,
            opening: 0,
            position: String::new(),
            seed: 1,
            given: Vec::new(),
        };
        let names = ["ana", "bo"].map(str::to_owned);
        Table {
            referee: NativeReferee::<ScoreFour>::new(settings, &names),
            connections: clients.into_iter().map(Some).collect(),
            returns: None,
            epoch: Instant::now(),
            names: names.to_vec(),
            closing: TaskTracker::new(),
            finish: CancellationToken::new(),
            stop: CancellationToken::new(),
            public: Publisher::default(),
            journal: Journal::default(),
        }
    }

    async fn play_late(clients: [Scripted; 2]) -> [EndKind; 2] {
        let table = table(1, clients);
        let referee = table
            .play(&mut |_: &NativeReferee<ScoreFour>, _: &Event| {})
            .await;
        let result = referee.results().first().expect("a result");
        [0, 1].map(|player| result.kinds[Player::new(player)])
    }

    /// Plays three games at this pace: their events, with the milliseconds at which each was told.
    async fn play_paced(pace: Option<Pace>) -> Vec<(Event, u64)> {
        let moves = [["a1", "a2", "a3", "a4"].as_slice(), &["b1", "b2", "b3"]];
        let [one, other] = moves.map(|moves| Scripted::new(&moves.repeat(3), false));
        let mut table = table(3, [one, other]);
        let player = |name: &String| record::Player {
            name: name.clone(),
            client: None,
        };
        let players = table.names.iter().map(player).collect();
        let header = record::Header::new(games::GameName::ScoreFour, "m", "native", players, 3);
        let (watching, _events) = Watching::of(1000);
        table.public = watching.table(&header).at_pace(pace);
        let epoch = table.epoch;
        let mut told = Vec::new();
        let mut audience = |_: &NativeReferee<ScoreFour>, event: &Event| {
            told.push((event.clone(), epoch.elapsed().as_millis() as u64));
        };
        table.play(&mut audience).await;
        told
    }

    #[tokio::test(start_paused = true)]
    async fn games_at_a_pace_take_no_time_of_their_players() {
        let pace = Pace {
            games: [1, 3].into(),
            every: Duration::from_secs(1),
        };
        let plain = play_paced(None).await;
        let paced = play_paced(Some(pace)).await;
        let events = |told: &[(Event, u64)]| -> Vec<Event> {
            told.iter().map(|(event, _)| event.clone()).collect()
        };
        assert_eq!(events(&plain), events(&paced));
        let ends = events(&plain)
            .into_iter()
            .filter_map(|event| match event.what {
                What::End { kinds, .. } => Some(kinds),
                _ => None,
            });
        assert_eq!(ends.collect::<Vec<_>>(), vec![vec![EndKind::Normal; 2]; 3]);
        let shown = paced.iter().filter_map(|(event, at)| match event.what {
            What::Begin { .. } | What::Move { .. } => Some(*at / 1000),
            _ => None,
        });
        // The last position of a game is seen for as long as any other.
        let first = 0..=7;
        let second = std::iter::repeat_n(8, 8);
        let third = 9..=16;
        let due: Vec<u64> = first.chain(second).chain(third).collect();
        assert_eq!(shown.collect::<Vec<_>>(), due);
        assert!(plain.iter().all(|(_, at)| *at < 1000));
    }

    #[tokio::test(start_paused = true)]
    async fn a_match_at_a_pace_stops_at_once() {
        let silent = || Scripted::new(&["a1"], false);
        let mut table = table(1, [silent(), silent()]);
        let (watching, _events) = Watching::of(1000);
        let player = |name: &String| record::Player {
            name: name.clone(),
            client: None,
        };
        let players = table.names.iter().map(player).collect();
        let header = record::Header::new(games::GameName::ScoreFour, "m", "native", players, 1);
        table.public = watching.table(&header).at_pace(Some(Pace {
            games: [1].into(),
            every: Duration::from_secs(100),
        }));
        let (stop, began) = (table.stop.clone(), Instant::now());
        tokio::spawn(async move {
            sleep(Duration::from_secs(5)).await;
            stop.cancel();
        });
        let referee = table
            .play(&mut |_: &NativeReferee<ScoreFour>, _: &Event| {})
            .await;
        assert_eq!(referee.reason(), Some(crate::referee::STOPPED));
        assert_eq!(began.elapsed().as_secs(), 5);
    }

    #[tokio::test]
    async fn a_move_that_lies_in_its_socket_counts_though_others_are_read_first() {
        let moves = [["a1", "a2", "a3", "a4"].as_slice(), &["b1", "b2", "b3"]];
        let talker = Scripted::new(moves[0], true);
        let kinds = play_late([talker, Scripted::new(moves[1], false)]).await;
        assert_eq!(kinds, [EndKind::Normal; 2]);
        let talker = Scripted::new(moves[1], true);
        let kinds = play_late([Scripted::new(moves[0], false), talker]).await;
        assert_eq!(kinds, [EndKind::Normal; 2]);
    }

    #[tokio::test]
    async fn one_that_never_stops_sending_stops_no_clock() {
        let talker = || Scripted::new(&[], true);
        let silent = || Scripted::new(&[], false);
        for clients in [
            [talker(), silent()],
            [silent(), talker()],
            [talker(), talker()],
        ] {
            let kinds = play_late(clients).await;
            assert_eq!(kinds, [EndKind::Timeout, EndKind::Normal]);
        }
    }

    #[tokio::test]
    async fn one_that_says_something_again_and_again_wins_no_time() {
        let chatting = Scripted::chatting();
        let said = Arc::clone(&chatting.said);
        let kinds = play_late([chatting, Scripted::new(&[], false)]).await;
        assert_eq!(kinds, [EndKind::Timeout, EndKind::Normal]);
        let said = said.load(Ordering::Relaxed);
        assert!(said < LATE_MESSAGES / 2, "{said} messages in a millisecond");
    }

    #[tokio::test]
    async fn the_awaited_player_has_its_bytes_before_anything_is_written_down() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await;
        let (stream, _) = listener.accept().await.unwrap();
        let mut client = client.unwrap().into_std().unwrap();
        client.set_nonblocking(false).unwrap();
        let patience = Some(Duration::from_secs(10));
        client.set_read_timeout(patience).unwrap();
        let mut referee = UecdaReferee::new(
            UecdaMatchSettings::new(&Uecda::default(), Chance::Plain(1)),
            &CardTable::default(),
        );
        referee.start(&mut Outbox::at(Duration::ZERO));
        let awaited = referee.awaited().unwrap();
        let mut connections = ByPlayer::from_fn(5, |_| None);
        connections[awaited] = Some(UecdaConnection::new(
            stream,
            Writes::OneMessage,
            Version::V20070,
        ));
        let mut table = Table {
            referee,
            connections,
            returns: None,
            epoch: Instant::now(),
            names: Vec::new(),
            closing: TaskTracker::new(),
            finish: CancellationToken::new(),
            stop: CancellationToken::new(),
            public: Publisher::default(),
            journal: Journal::default(),
        };
        let mut out = Outbox::at(Duration::ZERO);
        out.send(awaited, UecdaMessage::Number(9));
        let what = What::Setup {
            player: 0,
            setup: String::new(),
            name: None,
        };
        out.event(what);
        // What has come to the awaited player when the first event is told.
        let mut read = Vec::new();
        table.deliver(&mut out, &mut |_: &UecdaReferee, _: &Event| {
            let mut space = [0; 64];
            let n = client.read(&mut space).unwrap_or_default();
            read.extend_from_slice(&space[..n]);
        });
        assert_eq!(read, [0, 0, 0, 9]);
    }

    #[test]
    fn a_long_wait_is_said_once() {
        let mut awaited = Awaited::new();
        let began = awaited.since;
        let early = began + SAY_AWAITED - Duration::from_secs(1);
        assert!(!awaited.is_long(began) && !awaited.is_long(early));
        let late = began + SAY_AWAITED;
        assert_eq!(awaited.next_look(early), late);
        assert!(awaited.is_long(late) && !awaited.is_long(late));
        assert_eq!(awaited.next_look(late), late + SAY_AWAITED);
    }

    #[tokio::test]
    async fn a_table_that_panics_comes_to_nothing() {
        assert_eq!(guarded(async { 1 }).await, Some(1));
        assert_eq!(guarded(async { panic!("on purpose") }).await, None::<()>);
    }
}
