//! The lobby of the native protocol: one port, tables for as many players as the game has seats.
//!
//! Clients are seated in the order in which they say hello, and a match begins when a table is full.
//! A client that comes with a token goes to the seat of that token.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use games::{ByPlayer, Game, count_of_games};
use protocol::native::{ErrorCode, Hello, RateLimit, ServerEnd, ServerMessage, name_of};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handshakes::Handshakes;
use super::listener::Listener;
use super::{drawn_key, log_free_seats};
use crate::config::Native;
use crate::config::limits::{MOST_GREETED, READY_WAIT};
use crate::lobby::CLIENTS;
use crate::referee::Referee as _;
use crate::referee::native::{GameResult, MatchSettings, NativeReferee};
use crate::table::files::Lost;
use crate::table::interpreter::AnimalShogi;
use crate::table::permits::Permits;
use crate::table::socket::Socket;
use crate::table::{Audience, Connection as _, FAILED, Refusal, Return, Table, guarded};
use crate::watch::Watching;
use files::{Files, clocks, header};
use greeting::{Purpose, greet_until, is_same, new_token};
use guest::{Guest, greet_other};
use other_door::{OtherDoor, admit};
use record::{Event, Player};
use waiting::{Queue, Waiting, welcome};

pub(crate) use other_door::MakeInterpreter;
pub use report::NativeReport;

pub(crate) mod files;
pub(crate) mod greeting;
pub(crate) mod guest;
mod other_door;
mod report;
#[cfg(test)]
mod tests;
pub(crate) mod waiting;

/// A server of one game in the native protocol, on one port.
#[derive(Debug)]
pub struct NativeLobby<G: Game> {
    door: Listener,
    /// `None` speaks plain text.
    tls: Option<Arc<ServerConfig>>,
    others: Vec<OtherDoor>,
    places: Permits,
    greeters: Handshakes,
    settings: Native,
    rules: G::Rules,
    /// Seed of the first match; `None` draws one for each.
    seed: Option<u64>,
    epoch: Instant,
    /// Matches to play; `None` goes on for ever.
    matches: Option<u64>,
    stop: CancellationToken,
    watching: Watching,
    reports: mpsc::UnboundedSender<NativeReport>,
    closing: TaskTracker,
    /// Clients that wait for the table to fill.
    waiting: Queue,
    running: JoinSet<Over<G>>,
    tables: HashMap<u64, Running>,
    /// Number of the last match that has begun.
    started: u64,
}

#[derive(Debug)]
struct Running {
    tokens: Vec<String>,
    /// By player, how often it may come back.
    rates: Vec<RateLimit>,
    names: Vec<String>,
    /// What is drawn from in this match, if anything.
    seed: Option<u64>,
    returns: mpsc::Sender<Return<Guest>>,
}

/// The number of a match that is over, what it has come to, unless its table has failed, and its files.
type Over<G> = (u64, Option<Played>, Box<Files<G>>);

#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) results: Vec<GameResult>,
    pub(crate) reason: Option<String>,
    pub(crate) gone: Vec<games::Player>,
    pub(crate) time: Duration,
}

pub(crate) async fn play<G: Game>(
    table: Table<NativeReferee<G>, Guest>,
    audience: &mut Audience<'_, NativeReferee<G>>,
) -> Played {
    let began = Instant::now();
    let referee = table.play(audience).await;
    Played {
        results: referee.results().to_vec(),
        reason: referee.reason().map(str::to_owned),
        gone: games::Player::all(G::SEATS)
            .filter(|&player| referee.is_gone(player))
            .collect(),
        time: began.elapsed(),
    }
}

enum Step<G: Game> {
    Stopped,
    Done(Result<Over<G>, JoinError>),
    Client(Socket, SocketAddr),
    /// A client at the door of another protocol.
    Other(Socket, SocketAddr, AnimalShogi),
    Greeted(Guest, Box<Hello>),
    Left(usize),
}

impl<G: Game> NativeLobby<G> {
    /// Opens the port. Reports of finished matches go to `reports`; cancelling `stop` ends
    /// everything cleanly. The first match has its openings from `seed`, each later one from another that follows from
    /// it; without a seed each match draws its own from the system's randomness. Its record names it at the end.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn bind(
        settings: Native,
        rules: G::Rules,
        matches: Option<u64>,
        seed: Option<u64>,
        stop: CancellationToken,
        reports: mpsc::UnboundedSender<NativeReport>,
    ) -> io::Result<NativeLobby<G>> {
        let door = Listener::open(&settings.bind, settings.port).await?;
        Ok(NativeLobby::at(
            door, settings, rules, matches, seed, stop, reports,
        ))
    }

    /// The same at a door that is open already.
    pub fn at(
        door: Listener,
        settings: Native,
        rules: G::Rules,
        matches: Option<u64>,
        seed: Option<u64>,
        stop: CancellationToken,
        reports: mpsc::UnboundedSender<NativeReport>,
    ) -> NativeLobby<G> {
        NativeLobby {
            door,
            tls: None,
            others: Vec::new(),
            places: Permits::new(&settings.limits),
            greeters: Handshakes::default(),
            settings,
            rules,
            seed,
            epoch: Instant::now(),
            matches,
            stop,
            watching: Watching::default(),
            reports,
            closing: TaskTracker::new(),
            waiting: Queue::new(G::SEATS),
            running: JoinSet::new(),
            tables: HashMap::new(),
            started: 0,
        }
    }

    /// The same lobby, which speaks TLS as this end of a server says, and nothing else.
    #[must_use]
    pub fn with_tls(mut self, server: Arc<ServerConfig>) -> Self {
        self.tls = Some(server);
        self
    }

    /// The same lobby, whose matches can be watched.
    #[must_use]
    pub fn with_watching(mut self, watching: Watching) -> Self {
        self.watching = watching;
        self
    }

    /// The same lobby with a port at which clients of another protocol come: `interpreter` makes the interpreter of
    /// each. A match with such a client is one game, with drawn seats, from the first position, and no fault is free.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub(crate) async fn with_door(
        mut self,
        port: u16,
        interpreter: MakeInterpreter,
    ) -> io::Result<NativeLobby<G>> {
        let door = Listener::open(&self.settings.bind, port).await?;
        self.others.push(OtherDoor { door, interpreter });
        Ok(self)
    }

    /// The addresses of the other protocols' ports, in the order in which they were opened.
    ///
    /// # Errors
    /// When the system does not say.
    pub(crate) fn other_addresses(&self) -> io::Result<Vec<SocketAddr>> {
        self.others
            .iter()
            .map(|other| other.door.address())
            .collect()
    }

    /// The address that is listened on.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.door.address()
    }

    /// Serves until all matches are played or the stop, and every connection is closed.
    pub async fn run(mut self) {
        let (greeted, mut hellos) = mpsc::channel(MOST_GREETED);
        let epoch = self.epoch;
        let full = ServerMessage::error(ErrorCode::Rate, "too many connections: try again");
        let full = ServerEnd::default().send(&full);
        let mut stopped = false;
        while !(self.running.is_empty() && (stopped || self.is_last())) {
            match self.next_step(&mut hellos, full.as_bytes(), stopped).await {
                Step::Stopped => stopped = true,
                Step::Done(done) => self.finish(done),
                Step::Client(stream, from) => {
                    let begun = self.greeters.begin(from.ip());
                    let greeted = greeted.clone();
                    let stop = self.stop.clone();
                    let tls = self.tls.clone().map(TlsAcceptor::from);
                    self.closing.spawn(async move {
                        let called_off = begun.called_off();
                        let purpose = Purpose::Play(G::NAME.as_str());
                        let tls = tls.as_ref();
                        let greeting = greet_until(stream, tls, purpose, epoch, called_off);
                        let hello = tokio::select! {
                            biased;
                            hello = greeting => hello,
                            () = stop.cancelled() => None,
                        };
                        drop(begun);
                        if let Some((guest, hello)) = hello {
                            // The lobby may have ended meanwhile.
                            let _ = greeted.send((guest, Box::new(hello))).await;
                        }
                    });
                }
                Step::Other(stream, from, interpreter) => {
                    let begun = self.greeters.begin(from.ip());
                    let greeted = greeted.clone();
                    let stop = self.stop.clone();
                    self.closing.spawn(async move {
                        let called_off = begun.called_off();
                        let hello = tokio::select! {
                            biased;
                            hello = greet_other(stream, interpreter, epoch, called_off) => hello,
                            () = stop.cancelled() => None,
                        };
                        drop(begun);
                        if let Some((guest, hello)) = hello {
                            let _ = greeted.send((guest, Box::new(hello))).await;
                        }
                    });
                }
                Step::Greeted(guest, hello) => self.seat(guest, *hello),
                Step::Left(place) => {
                    if let Some(left) = self.waiting.leave(place) {
                        log::info!(target: CLIENTS, "player {place}: {} left before the match", left.player.name);
                        log_free_seats(self.started + 1, self.waiting.free_count());
                    }
                }
            }
        }
        self.stop.cancel();
        for waiting in self.waiting.take() {
            let reason = "the server has been stopped";
            self.closing
                .spawn(waiting.guest.turn_away(ErrorCode::Stopped, reason));
        }
        drop(hellos);
        self.closing.close();
        self.closing.wait().await;
    }

    /// Whether no more match begins.
    fn is_last(&self) -> bool {
        self.matches.is_some_and(|most| self.started >= most)
    }

    async fn next_step(
        &mut self,
        hellos: &mut mpsc::Receiver<(Guest, Box<Hello>)>,
        farewell: &[u8],
        stopped: bool,
    ) -> Step<G> {
        let waiting = &mut self.waiting;
        let left = poll_fn(|cx| waiting.poll_left(cx));
        // Newcomers are the last, so that no crowd keeps the others back.
        tokio::select! {
            biased;
            () = self.stop.cancelled(), if !stopped => Step::Stopped,
            Some(done) = self.running.join_next() => Step::Done(done),
            place = left => Step::Left(place),
            Some((guest, hello)) = hellos.recv(), if !stopped => Step::Greeted(guest, hello),
            (stream, from, interpreter) = admit(&self.others, &self.places, &self.closing), if !stopped => {
                Step::Other(stream, from, interpreter)
            }
            (stream, from) = self.door.admit(&self.places, farewell, &self.closing), if !stopped => {
                Step::Client(stream, from)
            }
        }
    }

    fn seat(&mut self, mut guest: Guest, hello: Hello) {
        if let Some(token) = hello.token {
            self.bring_back(guest, &token, hello.last);
            return;
        }
        let is_full = self.is_last() || self.running.len() >= self.settings.tables.max(1);
        let Some(place) = self.waiting.free().filter(|_| !is_full) else {
            let reason = "every seat is taken";
            self.closing.spawn(guest.turn_away(ErrorCode::Full, reason));
            return;
        };
        let name = name_of(&hello.name, &format!("player {place}"));
        let client = hello.client.map(|client| name_of(&client, "unknown"));
        let token = new_token();
        guest.tell(&welcome::<G>(
            self.started + 1,
            games::Player::at(place),
            &token,
            false,
        ));
        let waiting = Waiting {
            guest,
            player: Player { name, client },
            token,
        };
        log::info!(target: CLIENTS, "player {place}: {} has come", waiting.player.name);
        self.waiting.sit(place, waiting);
        log_free_seats(self.started + 1, self.waiting.free_count());
        if self.waiting.free().is_none() {
            self.begin();
        }
    }

    fn begin(&mut self) {
        self.started += 1;
        let number = self.started;
        let players = self.waiting.players();
        let mut terms = self.settings.clone();
        if self.waiting.has_other() {
            terms.games = 1;
            terms.draw_seats = true;
            terms.random_plies = 0;
            terms.position.clear();
            terms.retries = 0;
        }
        let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
        log::info!(target: CLIENTS, "match {number} begins: {}", names.join(" against "));
        let settings = MatchSettings {
            games: terms.games,
            swap: terms.swap,
            draw: terms.draw_seats,
            rules: self.rules.clone(),
            clocks: ByPlayer::of(G::SEATS, clocks(&terms)),
            resume: Duration::from_millis(terms.resume_ms),
            ready: READY_WAIT,
            retries: terms.retries,
            timeouts: terms.timeouts,
            goes_on: true,
            opening: terms.random_plies,
            position: terms.position.clone(),
            seed: match self.seed {
                // Far apart, so that no two matches share an opening: the games of one count up from its seed.
                Some(first) => first.wrapping_add((number - 1).wrapping_mul(0xd6e8_feb8_6659_fd93)),
                None => drawn_key().seed(),
            },
            given: Vec::new(),
        };
        let seed = settings.seed_used();
        let header = header::<G>(&terms, &self.rules, number, players);
        let public = self.watching.table(&header);
        let mut files = Files::<G>::create(&terms, &self.rules, number, header);
        let (returns, back) = mpsc::channel(8);
        let (tokens, guests): (_, Vec<_>) = self
            .waiting
            .take()
            .into_iter()
            .map(|one| (one.token, Some(one.guest)))
            .unzip();
        let table = Table {
            referee: NativeReferee::<G>::new(settings, &names),
            connections: guests.into(),
            returns: Some(back),
            epoch: Instant::now(),
            names: names.clone(),
            closing: self.closing.clone(),
            finish: CancellationToken::new(),
            stop: self.stop.clone(),
            public,
        };
        let played = async move {
            let mut audience = |_: &NativeReferee<G>, event: &Event| files.event(event);
            let played = guarded(play(table, &mut audience)).await;
            (number, played, Box::new(files))
        };
        self.running.spawn(played);
        let running = Running {
            rates: vec![RateLimit::default(); G::SEATS],
            tokens,
            names,
            seed,
            returns,
        };
        self.tables.insert(number, running);
    }

    fn finish(&mut self, done: Result<Over<G>, JoinError>) {
        // A match that panics is guarded, and none is aborted.
        let (number, played, files) = done.expect("a match that ends by itself");
        let table = self.tables.remove(&number);
        let Running { names, seed, .. } = table.expect("a match that was started");
        let played = played.unwrap_or_else(|| Played {
            results: Vec::new(),
            reason: Some(FAILED.to_owned()),
            gone: Vec::new(),
            time: Duration::ZERO,
        });
        let counted = played.results.iter().filter(|game| !game.is_void());
        log::info!(
            target: CLIENTS,
            "match {number} is over: {} in {:.1?}",
            count_of_games(counted.count() as u64),
            played.time
        );
        let mut report = NativeReport {
            number,
            names,
            results: played.results,
            gone: played.gone,
            rules: serde_json::to_value(&self.rules).expect("options of rules are an object"),
            seed,
            time: played.time,
            reason: played.reason,
            lost: Lost::default(),
        };
        let reports = self.reports.clone();
        self.closing.spawn(async move {
            report.lost = files.close().await;
            // Nobody listens any more when the server is being torn down.
            let _ = reports.send(report);
        });
    }
}

/// What a return to a seat costs of a rate of its own: 32 may come at once, 8 more each second. Everyone at
/// the table is told of each.
const RETURN_COST: usize = 2048;

impl<G: Game> NativeLobby<G> {
    /// Brings a client back to the seat of its token.
    fn bring_back(&mut self, mut guest: Guest, token: &str, last: Option<u64>) {
        let place = |tokens: &[String]| tokens.iter().position(|t| is_same(t, token));
        let now = self.epoch.elapsed();
        let running = self.tables.iter_mut().find_map(|(&number, table)| {
            let player = place(&table.tokens)?;
            Some((number, table, games::Player::at(player)))
        });
        if let Some((number, table, player)) = running {
            if !table.rates[player.index()].take_bytes(RETURN_COST, now) {
                let reason = "too many returns to this seat: try again in a second";
                self.closing.spawn(guest.turn_away(ErrorCode::Rate, reason));
                return;
            }
            match table.returns.try_reserve() {
                Ok(place) => place.send(Return {
                    player,
                    connection: guest,
                    last,
                    welcome: welcome::<G>(number, player, token, true),
                }),
                Err(TrySendError::Full(())) => {
                    let reason = "too many come back at once: try again";
                    self.closing.spawn(guest.turn_away(ErrorCode::Rate, reason));
                }
                Err(TrySendError::Closed(())) => {
                    self.closing.spawn(guest.refuse(Refusal::Over));
                }
            }
        } else if let Some((place, one)) = self.waiting.find(token) {
            guest.tell(&welcome::<G>(
                self.started + 1,
                games::Player::at(place),
                token,
                true,
            ));
            let old = std::mem::replace(&mut one.guest, guest);
            self.closing.spawn(old.refuse(Refusal::Replaced));
        } else {
            let reason = "this token has no seat here: the match is over, or never was";
            self.closing
                .spawn(guest.turn_away(ErrorCode::Token, reason));
        }
    }
}
