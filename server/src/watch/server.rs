//! The port of watchers and their connections.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use program::{Permit, Permits};
use protocol::native::{ClientMessage, ErrorCode, Hello, ServerMessage, VERSION};
use protocol::tls::ServerConfig;
use record::watch::WatchMessage;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::organiser::Organiser;
use super::publisher::TableEvent;
use super::tables::{Announcements, Tables};
use crate::config::Limits;
use crate::config::limits::{MOST_GREETED, WATCHER_GRACE};
use crate::lobby::CLIENTS;
use crate::lobby::handshakes::{FailedLogins, Handshakes};
use crate::lobby::listener::Listener;
use crate::lobby::native::connection::NativeConnection;
use crate::lobby::native::greeting::{Purpose, greet_until};
use crate::referee::MOST_PENDING;
use crate::table::Connection as _;
use crate::table::link::ConnectionError;
use crate::table::socket::Socket;

/// The port of watchers: greets them, and tells them what tables tell.
#[derive(Debug)]
pub(super) struct WatchServer {
    door: Listener,
    /// `None` speaks plain text.
    tls: Option<Arc<ServerConfig>>,
    places: Permits,
    greeters: Handshakes,
    epoch: Instant,
    closing: TaskTracker,
    events: DelayedEvents,
    tables: Tables,
    watchers: Vec<Watcher>,
    /// Who may act, and clients that do not have its token.
    organiser: Option<Arc<Organiser>>,
    wrong_tokens: FailedLogins,
    /// Until when nothing is told, because of watchers that are behind.
    grace: Option<Instant>,
}

/// What tables tell, in order, each as late as it is to be.
#[derive(Debug)]
pub(super) struct DelayedEvents {
    told: mpsc::Receiver<TableEvent>,
    first: Option<TableEvent>,
    delay: Duration,
    /// Nothing is to be held back any more.
    over: CancellationToken,
}

#[derive(Debug)]
struct Watcher {
    guest: NativeConnection,
    _place: Permit,
    /// The only match that it wants.
    wanted: Option<u64>,
    /// Matches that it has not been told of yet, those in play when it came: they are told one by one as it reads.
    untold: VecDeque<u64>,
    /// Whether it was told that it has heard of all tables.
    has_tables: bool,
}

/// A client that was greeted, what it has said, and from where it comes.
type Newcomer = (NativeConnection, Hello, SocketAddr);

enum WatchStep {
    TableEvent(TableEvent),
    /// No table will tell anything any more.
    Over,
    Client(Socket, SocketAddr),
    Greeted(Box<Newcomer>),
    Gone(usize, ConnectionError),
    /// Every watcher has read what was sent to it.
    Even,
    /// Those that are still behind are not waited for.
    Impatient,
}

impl DelayedEvents {
    pub(super) fn new(
        told: mpsc::Receiver<TableEvent>,
        delay: Duration,
        over: CancellationToken,
    ) -> DelayedEvents {
        DelayedEvents {
            told,
            first: None,
            delay,
            over,
        }
    }

    /// The next event that is to be told. Nothing is lost when this is given up before it is ready.
    pub(super) async fn next(&mut self) -> Option<TableEvent> {
        if self.first.is_none() {
            self.first = tokio::select! {
                biased;
                told = self.told.recv() => told,
                // All that was told has been taken.
                () = self.over.cancelled() => None,
            };
        }
        let at = self.first.as_ref()?.at.checked_add(self.delay);
        if let Some(at) = at.filter(|_| !self.delay.is_zero()) {
            tokio::select! {
                () = sleep_until(at) => {}
                () = self.over.cancelled() => {}
            }
        }
        self.first.take()
    }
}

impl WatchServer {
    pub(super) async fn open(
        (host, port): (&str, u16),
        delay: Duration,
        limits: &Limits,
        tls: Option<Arc<ServerConfig>>,
        told: mpsc::Receiver<TableEvent>,
        over: CancellationToken,
    ) -> io::Result<WatchServer> {
        Ok(WatchServer {
            door: Listener::open(host, port).await?,
            tls,
            places: limits.permits(),
            greeters: Handshakes::default(),
            epoch: Instant::now(),
            closing: TaskTracker::new(),
            events: DelayedEvents::new(told, delay, over),
            tables: Tables::default(),
            watchers: Vec::new(),
            organiser: None,
            wrong_tokens: FailedLogins::default(),
            grace: None,
        })
    }

    pub(super) fn with(mut self, organiser: Option<Arc<Organiser>>) -> WatchServer {
        self.organiser = organiser;
        self
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.door.address()
    }

    /// Tells watchers what tables tell, until all tables are closed and no other can be opened.
    pub(super) async fn run(mut self) {
        let (greeted, mut hellos) = mpsc::channel(MOST_GREETED);
        let stop = CancellationToken::new();
        loop {
            match self.next_step(&mut hellos).await {
                WatchStep::TableEvent(told) => self.tell(told),
                WatchStep::Over => break,
                WatchStep::Client(socket, from) => self.greet(socket, from, &greeted, &stop),
                WatchStep::Greeted(newcomer) => self.admit(*newcomer, &stop),
                WatchStep::Gone(place, error) => self.let_go(place, &error),
                WatchStep::Even => self.grace = None,
                WatchStep::Impatient => {
                    self.grace = None;
                    while let Some(place) = self.watchers.iter().position(Watcher::is_behind) {
                        self.let_go(place, &ConnectionError::CutOff);
                    }
                }
            }
        }
        stop.cancel();
        for watcher in self.watchers {
            self.closing.spawn(watcher.guest.close(false));
        }
        drop(hellos);
        self.closing.close();
        self.closing.wait().await;
    }

    async fn next_step(&mut self, hellos: &mut mpsc::Receiver<Box<Newcomer>>) -> WatchStep {
        let (watchers, tables, grace) = (&mut self.watchers, &self.tables, self.grace);
        let watched = poll_fn(|cx| {
            for (place, watcher) in watchers.iter_mut().enumerate() {
                if let Poll::Ready(error) = watcher.poll(tables, cx) {
                    return Poll::Ready(WatchStep::Gone(place, error));
                }
            }
            if grace.is_some() && !watchers.iter().any(Watcher::is_behind) {
                return Poll::Ready(WatchStep::Even);
            }
            Poll::Pending
        });
        let impatient = async {
            match grace {
                Some(grace) => sleep_until(grace).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            step = watched => step,
            () = impatient => WatchStep::Impatient,
            told = self.events.next(), if grace.is_none() => told.map_or(WatchStep::Over, WatchStep::TableEvent),
            Some(hello) = hellos.recv() => WatchStep::Greeted(hello),
            // Every client may log in first, because it may be an organiser; the limit of watchers applies later.
            (stream, from) = self.door.accept() => WatchStep::Client(stream.into(), from),
        }
    }

    fn greet(
        &self,
        socket: Socket,
        from: SocketAddr,
        greeted: &mpsc::Sender<Box<Newcomer>>,
        stop: &CancellationToken,
    ) {
        let (begun, greeted, stop) = (
            self.greeters.begin(from.ip()),
            greeted.clone(),
            stop.clone(),
        );
        let (tls, epoch) = (self.tls.clone(), self.epoch);
        self.closing.spawn(async move {
            let called_off = begun.called_off().cancelled_owned();
            let greeting = greet_until(socket, tls.as_ref(), Purpose::Watch, epoch, called_off);
            let hello = tokio::select! {
                hello = greeting => hello,
                () = stop.cancelled() => None,
            };
            drop(begun);
            if let Some((guest, hello)) = hello {
                // The server may have ended meanwhile.
                let _ = greeted.send(Box::new((guest, hello, from))).await;
            }
        });
    }

    fn let_go(&mut self, place: usize, error: &ConnectionError) {
        log::info!(target: CLIENTS, "a watcher is gone: {error}");
        let watcher = self.watchers.swap_remove(place);
        self.closing.spawn(watcher.guest.close(false));
    }

    /// Serves an organiser if it has the token.
    fn admit_organiser(
        &self,
        guest: NativeConnection,
        token: &str,
        from: SocketAddr,
        stop: &CancellationToken,
    ) {
        let Some(organiser) = &self.organiser else {
            let refusal = "nobody acts on the league here: start it with --organiser FILE";
            self.closing
                .spawn(guest.turn_away(ErrorCode::Token, refusal));
            return;
        };
        let stop = stop.clone();
        if organiser.is_known_by(token) {
            self.closing.spawn(Arc::clone(organiser).serve(guest, stop));
            return;
        }
        log::warn!(target: CLIENTS, "{from} has not the organiser's token");
        let wrong_tokens = self.wrong_tokens.clone();
        self.closing.spawn(async move {
            let told = tokio::select! {
                told = wrong_tokens.may_be_told(from.ip()) => told,
                () = stop.cancelled() => true,
            };
            if told {
                let refusal = "this is not the organiser's token";
                guest.turn_away(ErrorCode::Token, refusal).await;
            }
        });
    }

    /// Lets a watcher in, or an organiser.
    fn admit(&mut self, (mut guest, hello, from): Newcomer, stop: &CancellationToken) {
        if let Some(token) = &hello.token {
            self.admit_organiser(guest, token, from, stop);
            return;
        }
        let Ok(place) = self.places.take(from.ip(), 1) else {
            let reason = "too many connections: try again";
            self.closing.spawn(guest.turn_away(ErrorCode::Rate, reason));
            return;
        };
        let wanted = hello.wanted;
        if let Some(number) = wanted.filter(|&number| self.tables.is_over(number)) {
            self.closing.spawn(async move {
                let reason = format!("match {number} is over");
                guest.turn_away(ErrorCode::NoGame, &reason).await;
            });
            return;
        }
        let watching = WatchMessage::Watching {
            version: VERSION,
            server: concat!("taikyoku ", env!("CARGO_PKG_VERSION")).to_owned(),
            delay_ms: self.events.delay.as_millis() as u64,
            wanted,
            acts: self.organiser.is_some(),
        };
        guest.tell_line(watching.to_line().as_bytes());
        self.watchers.push(Watcher {
            guest,
            _place: place,
            wanted,
            untold: self.tables.playing().collect(),
            has_tables: false,
        });
    }

    fn tell(&mut self, told: TableEvent) {
        let number = told.number;
        let mut messages = Vec::new();
        let mut out = Announcements {
            is_heard: !self.watchers.is_empty(),
            messages: &mut messages,
        };
        self.tables.take(told, &mut out);
        for message in messages {
            let line = message.to_line();
            let is_for_all = matches!(message, WatchMessage::Table(_) | WatchMessage::League(_));
            for watcher in &mut self.watchers {
                if (is_for_all || watcher.wants(number)) && !watcher.untold.contains(&number) {
                    watcher.guest.push_line(line.as_bytes());
                }
            }
        }
        for watcher in &mut self.watchers {
            watcher.guest.send();
        }
        if self.watchers.iter().any(Watcher::is_behind) {
            self.grace = Some(Instant::now() + WATCHER_GRACE);
        }
    }
}

impl Watcher {
    fn wants(&self, number: u64) -> bool {
        self.wanted.is_none_or(|wanted| wanted == number)
    }

    /// Whether it leaves so much unread that others wait for it, for a moment.
    fn is_behind(&self) -> bool {
        self.guest.waiting() > MOST_PENDING / 2
    }

    /// Goes on telling and listening. Ready when the watcher is gone.
    fn poll(&mut self, tables: &Tables, cx: &mut Context<'_>) -> Poll<ConnectionError> {
        while !self.has_tables && self.guest.poll_flush(cx).is_ready() {
            let next = self.untold.pop_front();
            let messages = if let Some(number) = next {
                tables.present(number, self.wants(number))
            } else {
                self.has_tables = true;
                let playing = tables.playing().collect();
                let league = tables.league().into_iter();
                league.chain([WatchMessage::Tables { playing }]).collect()
            };
            for message in messages {
                self.guest.push_line(message.to_line().as_bytes());
            }
            self.guest.send();
        }
        loop {
            match self.guest.poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(error),
                Poll::Ready(Ok(Ok(ClientMessage::Leave))) => {
                    return Poll::Ready(ConnectionError::Closed);
                }
                Poll::Ready(Ok(sent)) => {
                    let (code, reason) = match sent {
                        Ok(_) => (
                            ErrorCode::UnknownType,
                            "a watcher has nothing to say".to_owned(),
                        ),
                        Err(fault) => (fault.code, fault.message),
                    };
                    self.guest.tell(&ServerMessage::error(code, reason));
                    if code == ErrorCode::Rate {
                        return Poll::Ready(ConnectionError::Closed);
                    }
                }
            }
        }
    }
}
