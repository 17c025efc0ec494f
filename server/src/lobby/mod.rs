//! The lobby of every protocol: it listens, greets clients, lets them wait for a match, plays the tables and reports their
//! results. What differs from protocol to protocol is a [`SeatPolicy`]: which seat a client gets, and when a table begins.

pub mod gat;
pub mod handshakes;
pub mod listener;
pub mod native;
mod seats;
pub mod uecda;

pub use crate::config::limits::CLIENTS;
pub use crate::table::files::{Lost, Missing};
pub use gat::{GameCounts, GatReport, GatSeats};
pub use listener::Listener;
pub use native::{NativeReport, NativeSeats};
pub use uecda::{Progress, UecdaReport, UecdaSeats};

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::task::{Context, Poll};

use games::DealKey;
use program::Permits;
use rand::TryRng as _;
use rand::rngs::SysRng;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::task::coop::unconstrained;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Limits;
use crate::config::limits::MOST_GREETED;
use crate::table::socket::Socket;
use crate::watch::Watching;
use handshakes::Handshakes;

/// Which seat a client gets, and when a table begins: by arrival (`UECda`), by port (GAT) or by token (native).
pub trait SeatPolicy: Send + 'static {
    /// A client that has said who it is.
    type Client: Send + 'static;
    type Outcome: Send + 'static;
    type Report: Send + 'static;

    fn options(&self) -> LobbyOptions<'_>;

    /// What a client reads that is turned away at a port because there are too many connections.
    fn farewell(_port: usize) -> Vec<u8> {
        Vec::new()
    }

    /// Whether no more match begins after so many.
    fn is_last(&self, matches: u64) -> bool;

    fn greet(
        &mut self,
        arrival: Arrival,
        greeted: &mpsc::Sender<Self::Client>,
        services: &Services<Self::Report>,
    );

    /// Gives a client that was greeted a seat, or turns it away: new players have seats only if the lobby `is_open`.
    fn seat(&mut self, client: Self::Client, is_open: bool, services: &Services<Self::Report>);

    /// Answers those that wait. Ready when one of them has left.
    fn poll_waiting(&mut self, cx: &mut Context<'_>) -> Poll<()>;

    /// The next table, if its players are there.
    fn begin(
        &mut self,
        services: &Services<Self::Report>,
    ) -> Option<impl Future<Output = Self::Outcome> + Send + use<Self> + 'static>;

    fn end(&mut self, outcome: Self::Outcome, services: &Services<Self::Report>);

    /// Closes the connections of those that still wait.
    fn close(self, services: &Services<Self::Report>);
}

#[derive(Clone, Debug)]
pub struct LobbyOptions<'a> {
    pub host: &'a str,
    /// The ports; 0 takes a free one.
    pub ports: Vec<u16>,
    pub limits: &'a Limits,
    pub tables: usize,
}

#[derive(Debug)]
pub struct Arrival {
    /// Number of the port, in the order of [`LobbyOptions::ports`].
    pub(crate) port: usize,
    pub(crate) socket: Socket,
    pub(crate) from: SocketAddr,
}

/// What a lobby does for its policy.
#[derive(Debug)]
pub struct Services<R> {
    listeners: Vec<Listener>,
    permits: Permits,
    handshakes: Handshakes,
    pub(crate) watching: Watching,
    pub(crate) stop: CancellationToken,
    pub(crate) closing: TaskTracker,
    pub(crate) epoch: Instant,
    reports: mpsc::UnboundedSender<R>,
}

impl<R: Send + 'static> Services<R> {
    /// The next client at one of the ports. The ports take turns at being asked first, so that of two crowds neither keeps
    /// the other back. Nothing is lost when this is given up before it is ready.
    async fn arrival<P: SeatPolicy>(&self, turn: usize) -> Arrival {
        let ports = self.listeners.len();
        let admit = async |port: usize| {
            let listener = &self.listeners[port];
            let farewell = P::farewell(port);
            let (socket, from) = listener
                .admit(&self.permits, &farewell, &self.closing)
                .await;
            Arrival { port, socket, from }
        };
        let mut arrivals: Vec<_> = (turn..turn + ports)
            .map(|number| Box::pin(admit(number % ports)))
            .collect();
        poll_fn(|cx| {
            let mut polled = arrivals.iter_mut().map(|one| one.as_mut().poll(cx));
            polled.find(Poll::is_ready).unwrap_or(Poll::Pending)
        })
        .await
    }

    /// Greets a client in a task of its own, which ends early when the lobby stops. The greeting is told when it is called
    /// off because too many others wait.
    pub(crate) fn handshake<C: Send + 'static, F>(
        &self,
        from: IpAddr,
        greeted: &mpsc::Sender<C>,
        greet: impl FnOnce(CancellationToken) -> F,
    ) where
        F: Future<Output = Option<C>> + Send + 'static,
    {
        let begun = self.handshakes.begin(from);
        let greeting = greet(begun.called_off());
        let (greeted, stop) = (greeted.clone(), self.stop.clone());
        self.closing.spawn(async move {
            let client = tokio::select! {
                biased;
                client = greeting => client,
                () = stop.cancelled() => None,
            };
            drop(begun);
            if let Some(client) = client {
                // The lobby may have ended meanwhile.
                let _ = greeted.send(client).await;
            }
        });
    }

    /// Closes the connection of a client that cannot be served, without waiting for it.
    pub(crate) fn turn_away(&self, port: usize, socket: Socket) {
        self.listeners[port].turn_away(socket, &self.closing);
    }

    pub(crate) fn address(&self, port: usize) -> io::Result<SocketAddr> {
        self.listeners[port].address()
    }

    pub(crate) fn reporter(&self) -> Reporter<R> {
        Reporter {
            closing: self.closing.clone(),
            reports: self.reports.clone(),
        }
    }
}

/// Where the results of matches go.
pub(crate) struct Reporter<R> {
    closing: TaskTracker,
    reports: mpsc::UnboundedSender<R>,
}

impl<R: Send + 'static> Reporter<R> {
    /// Reports a match once its files are closed, without waiting for them.
    pub(crate) fn report(self, report: impl Future<Output = R> + Send + 'static) {
        self.closing.spawn(async move {
            // Nobody listens any more when the server is being torn down.
            let _ = self.reports.send(report.await);
        });
    }
}

#[derive(Debug)]
pub struct Lobby<P: SeatPolicy> {
    policy: P,
    pub(crate) services: Services<P::Report>,
    /// Matches to play; `None` goes on for ever.
    matches: Option<u64>,
    running: JoinSet<P::Outcome>,
}

impl<P: SeatPolicy> Lobby<P> {
    /// Opens the ports. Reports of finished matches go to `reports`; cancelling `stop` ends everything cleanly.
    pub async fn bind(
        policy: P,
        matches: Option<u64>,
        stop: CancellationToken,
        reports: mpsc::UnboundedSender<P::Report>,
    ) -> Result<Lobby<P>, (u16, io::Error)> {
        let LobbyOptions { host, ports, .. } = policy.options();
        let mut listeners = Vec::with_capacity(ports.len());
        for port in ports {
            let listener = Listener::open(host, port).await;
            listeners.push(listener.map_err(|e| (port, e))?);
        }
        Ok(Lobby::at(listeners, policy, matches, stop, reports))
    }

    /// The same at ports that are open already.
    pub fn at(
        listeners: Vec<Listener>,
        policy: P,
        matches: Option<u64>,
        stop: CancellationToken,
        reports: mpsc::UnboundedSender<P::Report>,
    ) -> Lobby<P> {
        let services = Services {
            listeners,
            permits: policy.options().limits.permits(),
            handshakes: Handshakes::default(),
            watching: Watching::default(),
            stop,
            closing: TaskTracker::new(),
            epoch: Instant::now(),
            reports,
        };
        Lobby {
            policy,
            services,
            matches,
            running: JoinSet::new(),
        }
    }

    pub fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        let listeners = self.services.listeners.iter();
        listeners.map(Listener::address).collect()
    }

    pub(crate) const fn policy(&self) -> &P {
        &self.policy
    }

    /// Serves until all matches are played or the stop, and every connection is closed.
    ///
    /// # Panics
    /// When the task of a table does: its table is guarded, and none is aborted.
    pub async fn run(self) {
        let Lobby {
            mut policy,
            services,
            matches,
            mut running,
        } = self;
        let (greeted, mut clients) = mpsc::channel(MOST_GREETED);
        let tables = policy.options().tables.max(1);
        let (mut stopped, mut turn) = (false, 0);
        loop {
            let mut is_open = !stopped && matches.is_none_or(|most| !policy.is_last(most));
            while is_open
                && running.len() < tables
                && let Some(table) = policy.begin(&services)
            {
                running.spawn(table);
                is_open = matches.is_none_or(|most| !policy.is_last(most));
            }
            if !is_open && running.is_empty() {
                break;
            }
            turn += 1;
            // Newcomers are the last, so that no crowd keeps the others back.
            tokio::select! {
                biased;
                () = services.stop.cancelled(), if !stopped => stopped = true,
                Some(outcome) = running.join_next() => {
                    policy.end(outcome.expect("a table that ends by itself"), &services);
                }
                // Many clients that wait and always have something to read would use up the task's turn: no other would come in.
                () = unconstrained(poll_fn(|cx| policy.poll_waiting(cx))) => {}
                Some(client) = clients.recv(), if !stopped => policy.seat(client, is_open, &services),
                arrival = services.arrival::<P>(turn), if !stopped => {
                    policy.greet(arrival, &greeted, &services);
                }
            }
        }
        // Those that are still greeted are let go.
        services.stop.cancel();
        policy.close(&services);
        drop(clients);
        services.closing.close();
        services.closing.wait().await;
    }
}

/// A key from the system's randomness, for the deals of one match.
///
/// # Panics
/// When the system has none: nothing that is secret could be drawn.
pub fn drawn_key() -> DealKey {
    let mut bytes = [0; 32];
    let drawn = SysRng.try_fill_bytes(&mut bytes);
    drawn.expect("the system has randomness");
    DealKey::new(bytes)
}
