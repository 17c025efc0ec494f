//! Where the entrants of a ladder log in and wait: at one port for all, which tells them apart by their tokens. A client of
//! GAT says nothing of itself, so in Geister each entrant has a port of its own. From here they are led to their tables.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use games::GameName;
use protocol::native::{ErrorCode, ServerMessage};
use record::watch::League;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::task::TaskTracker;

use crate::remote::{
    EntrantConnection, EntrantConnections, EntrantPort, FailedLogin, RemoteEntrants, introduction,
};
use crate::runner::{Play, Programs, SessionReport};
use crate::settings::{Entrant, Settings, Start};
use crate::table_session::{FixtureResult, SessionOptions, SessionPlan};
use server::lobby::handshakes::{FailedLogins, Handshake, Handshakes};
use server::lobby::listener::Listener;
use server::table::disk::disk;
use server::watch::Watching;

/// The number of the first guest: guests are numbered apart from entrants.
pub(super) const GUEST: usize = 1 << 32;

/// Guests that may be here.
const MOST_GUESTS: usize = 100;

/// The lobby of a ladder and the players at its tables, or their stand-ins in tests.
pub(crate) trait TableHost: Play<Guests = EntrantConnections> {
    /// Where an entrant connects.
    fn address_of(&self, number: usize) -> Option<SocketAddr>;

    /// Entrants and guests that are free.
    fn free(&self) -> Vec<usize>;

    /// A guest that has not left.
    fn guest(&self, number: usize) -> Option<Guest>;

    /// Tells watchers how the ladder stands.
    fn tell(&self, standings: League);

    /// Leads these players to a table.
    fn take(&self, players: &[usize]) -> EntrantConnections;

    /// Waits until the disk has the records that are written.
    fn synced(&self) -> impl Future<Output = ()> + Send {
        disk().synced()
    }

    /// Lets these entrants come from now on, the first of which has this number.
    fn admit(
        &self,
        first: usize,
        entrants: &[Entrant],
    ) -> impl Future<Output = io::Result<()>> + Send;
}

/// The lobby of a ladder, which starts the programs at its tables.
#[derive(Debug)]
pub(crate) struct Lobby {
    settings: Settings,
    game: GameName,
    /// `None` where each entrant has a port of its own.
    listener: Option<Listener>,
    address: SocketAddr,
    waiting: Mutex<WaitingRoom>,
    guests: AtomicUsize,
    handshakes: Handshakes,
    failed_logins: FailedLogins,
    closing: TaskTracker,
    news: Arc<Notify>,
    watching: Watching,
    /// The folder of what programs have said.
    stderr: PathBuf,
}

/// A client without a token.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    pub(super) name: String,
    /// The number of the entrant that it wants to meet.
    pub(super) wish: Option<usize>,
}

/// The places of entrants and guests, by their numbers.
#[derive(Debug, Default)]
struct WaitingRoom {
    places: BTreeMap<usize, Place>,
    by_token: HashMap<String, usize>,
    serving: JoinSet<()>,
}

#[derive(Debug)]
struct Place {
    entrant: Entrant,
    /// `None` for one that the ladder starts.
    port: Option<Arc<EntrantPort>>,
    /// As in [`Guest`].
    wish: Option<usize>,
}

impl Lobby {
    pub(crate) async fn open(
        settings: &Settings,
        watching: Watching,
        stderr: &Path,
    ) -> io::Result<Lobby> {
        let contest = &settings.run.contest;
        let game = settings.game();
        let listener = match game {
            GameName::Geister => None,
            _ => Some(Listener::open(&contest.host, contest.port).await?),
        };
        let nowhere = SocketAddr::from(([0, 0, 0, 0], contest.port));
        Ok(Lobby {
            game,
            address: match &listener {
                Some(listener) => listener.address()?,
                None => nowhere,
            },
            listener,
            waiting: Mutex::default(),
            guests: AtomicUsize::new(GUEST),
            handshakes: Handshakes::default(),
            failed_logins: FailedLogins::default(),
            closing: TaskTracker::new(),
            news: Arc::default(),
            watching,
            stderr: stderr.to_owned(),
            settings: settings.clone(),
        })
    }

    /// The port of all entrants; `None` where each has one of its own.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.listener.is_some().then_some(self.address)
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingRoom> {
        // Each change is whole before anything can panic.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The port of an entrant; `None` for one that the ladder starts.
    async fn port(&self, entrant: &Entrant) -> io::Result<Option<Arc<EntrantPort>>> {
        if !entrant.comes_itself() {
            return Ok(None);
        }
        let news = Arc::clone(&self.news);
        if self.listener.is_some() {
            let port = EntrantPort::shared(self.address, self.game, entrant, news);
            return Ok(Some(Arc::new(port)));
        }
        let host = &self.settings.run.contest.host;
        let port = Arc::new(EntrantPort::open(host, self.game, entrant, news).await?);
        let quiet = Arc::new(|_| ());
        let (own, handshakes) = (Arc::clone(&port), self.handshakes.clone());
        let serving = own.serve(handshakes, Duration::MAX, String::new(), quiet);
        self.waiting().serving.spawn(serving);
        Ok(Some(port))
    }

    /// Lets clients log in, for ever, once the ladder knows its entrants: to a lobby without them each is a guest.
    pub(crate) async fn serve(self: Arc<Self>) {
        let Some(listener) = &self.listener else {
            return std::future::pending().await;
        };
        let mut logins = JoinSet::new();
        loop {
            tokio::select! {
                (stream, from) = listener.accept() => {
                    let greeted = self.handshakes.begin(from.ip());
                    logins.spawn(Arc::clone(&self).hear(stream, from, greeted));
                }
                Some(_) = logins.join_next() => {}
            }
        }
    }

    async fn hear(self: Arc<Self>, stream: TcpStream, from: SocketAddr, greeted: Handshake) {
        let called_off = greeted.called_off();
        let heard = tokio::select! {
            biased;
            heard = introduction(&stream, self.game) => heard,
            () = called_off.cancelled() => Err(FailedLogin::silent()),
        };
        drop(greeted);
        let place = heard.and_then(|one| {
            let token = one.token.as_deref();
            if let Some(port) = token.and_then(|token| self.port_of(token)) {
                return Ok((port, None));
            }
            let wish: Option<usize> = token.and_then(|token| token.strip_prefix('@')?.parse().ok());
            // The name in a profile may be no token.
            let is_guest = token.is_none() || wish.is_some() || self.game == GameName::Daihinmin;
            let has_guests = self.settings.ladder().guests && is_guest;
            if has_guests && self.waiting().places.range(GUEST..).count() >= MOST_GUESTS {
                return Err(FailedLogin::new("too many guests wait"));
            }
            if has_guests {
                let wished = token.filter(|_| wish.is_some());
                let (port, guest) = self.place_of_guest(&one.name, wished);
                return Ok((port, Some((guest, wish))));
            }
            let reason = if token.is_some() {
                "no entrant of this ladder has this token"
            } else {
                "this ladder wants the token of an entrant"
            };
            let failed = match self.game {
                GameName::Daihinmin => FailedLogin::new(reason),
                _ => FailedLogin::answered(&ServerMessage::error(ErrorCode::Token, reason)),
            };
            Err(failed.guessed(token.is_some()))
        });
        let Some(listener) = &self.listener else {
            return;
        };
        match place {
            Ok((port, guest)) => {
                port.let_in(stream, from, listener, &self.closing);
                if let Some((entrant, wish)) = guest {
                    let number = self.guests.fetch_add(1, Ordering::Relaxed);
                    let port = Some(port);
                    let place = Place {
                        entrant,
                        port,
                        wish,
                    };
                    self.waiting().places.insert(number, place);
                    self.news.notify_one();
                }
            }
            Err(failed) => {
                if !failed.has_guessed || self.failed_logins.may_be_told(from.ip()).await {
                    failed.turn_away("ladder", listener, (stream, from), &self.closing);
                }
            }
        }
    }

    fn port_of(&self, token: &str) -> Option<Arc<EntrantPort>> {
        let waiting = self.waiting();
        waiting
            .places
            .get(waiting.by_token.get(token)?)?
            .port
            .clone()
    }

    /// A place for somebody that has no token, with the entrant that it is for its table.
    fn place_of_guest(&self, name: &str, token: Option<&str>) -> (Arc<EntrantPort>, Entrant) {
        // In UECda the name may be a token with an error, or one that is not known yet.
        let name = match self.game {
            GameName::Daihinmin => self
                .guests
                .load(Ordering::Relaxed)
                .wrapping_sub(GUEST)
                .to_string(),
            _ => name.to_owned(),
        };
        let name: String = format!("guest {name}").chars().take(40).collect();
        let mut guest = Entrant::new(name.trim(), Start::Remote);
        guest.access.token = token.map(str::to_owned);
        let news = Arc::clone(&self.news);
        let port = EntrantPort::shared(self.address, self.game, &guest, news);
        (Arc::new(port), guest)
    }

    /// The settings of a table: its players are its entrants.
    fn at_table(&self, plan: SessionPlan) -> (Settings, SessionPlan) {
        let waiting = self.waiting();
        let entrant = |number: &usize| {
            let place = waiting.places.get(number);
            place
                .expect("a player of the ladder is known")
                .entrant
                .clone()
        };
        let settings = Settings {
            entrants: plan.players.iter().map(entrant).collect(),
            ..self.settings.clone()
        };
        let mut plan = plan;
        for fixture in &mut plan.fixtures {
            // Copies of an entrant take its seats in their order.
            let mut free: Vec<Option<usize>> = plan.players.iter().copied().map(Some).collect();
            for seat in &mut fixture.seats {
                let own = free.iter().position(|player| *player == Some(*seat));
                let own = own.expect("the players are those of the fixture");
                free[own] = None;
                *seat = own;
            }
        }
        plan.players = (0..plan.players.len()).collect();
        (settings, plan)
    }
}

impl Play for Lobby {
    type Guests = EntrantConnections;

    async fn arrival(&self) {
        self.news.notified().await;
    }

    async fn play(
        &self,
        plan: SessionPlan,
        guests: EntrantConnections,
        options: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let (settings, plan) = self.at_table(plan);
        let mut programs = Programs::new(settings, &self.stderr);
        programs.watching = self.watching.clone();
        programs.remote = RemoteEntrants::led();
        programs.play(plan, guests, options, on_done).await
    }
}

impl TableHost for Lobby {
    fn address_of(&self, number: usize) -> Option<SocketAddr> {
        let waiting = self.waiting();
        Some(waiting.places.get(&number)?.port.as_ref()?.address())
    }

    /// Guests that have gone are forgotten.
    fn free(&self) -> Vec<usize> {
        let mut free = Vec::new();
        self.waiting().places.retain(|&number, place| {
            let Some(port) = &place.port else {
                return true;
            };
            let attendance = port.look();
            if attendance.free > 0 && !attendance.is_playing {
                free.push(number);
            }
            number < GUEST || attendance.free > 0 || attendance.is_playing
        });
        free
    }

    fn guest(&self, number: usize) -> Option<Guest> {
        let waiting = self.waiting();
        let place = waiting.places.get(&number)?;
        Some(Guest {
            name: place.entrant.name.clone(),
            wish: place.wish,
        })
    }

    fn tell(&self, standings: League) {
        self.watching.league(standings);
    }

    fn take(&self, players: &[usize]) -> EntrantConnections {
        let take = |player| {
            let port = self.waiting().places.get(player)?.port.clone()?;
            let first = port.take();
            Some(EntrantConnection::of(&port, first))
        };
        players.iter().map(take).collect()
    }

    async fn admit(&self, first: usize, entrants: &[Entrant]) -> io::Result<()> {
        for (number, entrant) in (first..).zip(entrants) {
            let port = self.port(entrant).await?;
            let (entrant, wish) = (entrant.clone(), None);
            let mut waiting = self.waiting();
            if let Some(token) = &entrant.access.token {
                waiting.by_token.insert(token.clone(), number);
            }
            let place = Place {
                entrant,
                port,
                wish,
            };
            waiting.places.insert(number, place);
        }
        Ok(())
    }
}
