//! Where the entrants of a ladder log in and wait: at one port for all, which tells them apart by their tokens. A client of
//! GAT says nothing of itself, so in Geister each entrant has a port of its own.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use games::GameName;
use protocol::native::{ErrorCode, ServerMessage};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::task::TaskTracker;

use crate::remote::{EntrantConnection, EntrantPort, FailedLogin, introduction};
use crate::settings::{Entrant, Settings, Start};
use server::lobby::handshakes::{FailedLogins, Handshake, Handshakes};
use server::lobby::listener::Listener;

/// The number of the first guest: guests are numbered apart from entrants.
pub(super) const GUEST: usize = 1 << 32;

/// Guests that may be here.
const MOST_GUESTS: usize = 100;

#[derive(Debug)]
pub(super) struct Lobby {
    game: GameName,
    host: String,
    /// `None` where each entrant has a port of its own.
    listener: Option<Listener>,
    address: SocketAddr,
    has_guests: bool,
    seats: Mutex<WaitingRoom>,
    guests: AtomicUsize,
    handshakes: Handshakes,
    failed_logins: FailedLogins,
    closing: TaskTracker,
    news: Arc<Notify>,
}

/// A client without a token.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    pub(super) name: String,
    /// The number of the entrant that it wants to meet.
    pub(super) wish: Option<usize>,
}

/// The places where entrants and guests wait.
#[derive(Debug, Default)]
struct WaitingRoom {
    ports: BTreeMap<usize, (Arc<EntrantPort>, Entrant)>,
    wishes: HashMap<usize, usize>,
    by_token: HashMap<String, usize>,
    serving: JoinSet<()>,
}

impl Lobby {
    pub(super) async fn open(settings: &Settings) -> io::Result<Lobby> {
        let contest = &settings.run.contest;
        let game = settings.game();
        let listener = match game {
            GameName::Geister => None,
            _ => Some(Listener::open(&contest.host, contest.port).await?),
        };
        let nowhere = SocketAddr::from(([0, 0, 0, 0], contest.port));
        Ok(Lobby {
            game,
            host: contest.host.clone(),
            address: match &listener {
                Some(listener) => listener.address()?,
                None => nowhere,
            },
            listener,
            has_guests: settings.ladder().guests,
            seats: Mutex::default(),
            guests: AtomicUsize::new(GUEST),
            handshakes: Handshakes::default(),
            failed_logins: FailedLogins::default(),
            closing: TaskTracker::new(),
            news: Arc::default(),
        })
    }

    /// The port of all entrants; `None` where each has one of its own.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.listener.is_some().then_some(self.address)
    }

    /// The port of an entrant that logs in.
    pub(super) fn address_of(&self, number: usize) -> Option<SocketAddr> {
        Some(self.seats().ports.get(&number)?.0.address())
    }

    fn seats(&self) -> MutexGuard<'_, WaitingRoom> {
        // Each change is whole before anything can panic.
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets this entrant log in from now on.
    pub(super) async fn admit(&self, number: usize, entrant: &Entrant) -> io::Result<()> {
        if !entrant.comes_itself() {
            return Ok(());
        }
        let news = Arc::clone(&self.news);
        let is_shared = self.listener.is_some();
        let port = if is_shared {
            EntrantPort::shared(self.address, self.game, entrant, news)
        } else {
            EntrantPort::open(&self.host, self.game, entrant, news).await?
        };
        let port = Arc::new(port);
        let mut seats = self.seats();
        if !is_shared {
            let quiet = Arc::new(|_| ());
            let (port, handshakes) = (Arc::clone(&port), self.handshakes.clone());
            let serving = port.serve(handshakes, Duration::MAX, String::new(), quiet);
            seats.serving.spawn(serving);
        }
        if let Some(token) = &entrant.access.token {
            seats.by_token.insert(token.clone(), number);
        }
        seats.ports.insert(number, (port, entrant.clone()));
        Ok(())
    }

    /// Lets clients log in, for ever.
    pub(super) async fn serve(self: Arc<Self>) {
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
            if self.has_guests && is_guest && self.guests() >= MOST_GUESTS {
                return Err(FailedLogin::new("too many guests wait"));
            }
            if self.has_guests && is_guest {
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
                if let Some((guest, wish)) = guest {
                    let number = self.guests.fetch_add(1, Ordering::Relaxed);
                    let mut seats = self.seats();
                    seats.ports.insert(number, (port, guest));
                    seats.wishes.extend(wish.map(|wish| (number, wish)));
                    drop(seats);
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
        let seats = self.seats();
        let (port, _) = seats.ports.get(seats.by_token.get(token)?)?;
        Some(Arc::clone(port))
    }

    fn guests(&self) -> usize {
        self.seats().ports.range(GUEST..).count()
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

    /// Entrants and guests that wait for a table. Guests that have gone are forgotten.
    pub(super) fn free(&self) -> Vec<usize> {
        let mut free = Vec::new();
        let mut seats = self.seats();
        let WaitingRoom { ports, wishes, .. } = &mut *seats;
        ports.retain(|&number, (port, _)| {
            let attendance = port.look();
            if attendance.free > 0 && !attendance.is_playing {
                free.push(number);
            }
            number < GUEST || attendance.free > 0 || attendance.is_playing
        });
        wishes.retain(|guest, _| ports.contains_key(guest));
        free
    }

    /// The entrant that has this number, if it logs in itself.
    pub(super) fn entrant(&self, number: usize) -> Option<Entrant> {
        let seats = self.seats();
        seats.ports.get(&number).map(|(_, entrant)| entrant.clone())
    }

    pub(super) fn guest(&self, number: usize) -> Option<Guest> {
        let seats = self.seats();
        Some(Guest {
            name: seats.ports.get(&number)?.1.name.clone(),
            wish: seats.wishes.get(&number).copied(),
        })
    }

    /// Leads an entrant to a table; `None` for one that the ladder starts.
    pub(super) fn take(&self, number: usize) -> Option<EntrantConnection> {
        let port = Arc::clone(&self.seats().ports.get(&number)?.0);
        let first = port.take();
        Some(EntrantConnection::of(&port, first))
    }

    /// Waits until somebody comes or is free again.
    pub(super) async fn arrival(&self) {
        self.news.notified().await;
    }
}
