//! The lobby of `UECda`: greets clients, seats them in the order in which they have said who they are, and starts
//! a match whenever five sit.

mod connection;
mod files;
mod greeting;

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use games::daihinmin::{Chance, DealerKind, SEATS};
use games::{ByPlayer, count_of_games};
use protocol::uecda::{CardTable, Profile, Version};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handshakes::Handshakes;
use super::listener::Listener;
use super::{drawn_key, log_free_seats};
use crate::config::Uecda;
use crate::config::limits::MOST_GREETED;
use crate::lobby::CLIENTS;
use crate::referee::uecda::{MatchResult, MatchSettings, Told, UecdaReferee};
use crate::table::files::Lost;
use crate::table::link::{Writes, close_cleanly};
use crate::table::permits::Permits;
use crate::table::socket::Socket;
use crate::table::{Connection as _, FAILED, Table, guarded};
use crate::watch::Watching;
pub(crate) use connection::Connection;
use files::UecdaFiles;
use games::GameName;
pub(crate) use greeting::{Greeted, Greeting};
use record::{EndKind, Event, Header, Player, What};

/// The result of one match.
#[derive(Clone, Debug)]
pub struct UecdaReport {
    /// Number of the match on this server, from 1.
    pub number: u64,
    /// Names by player.
    pub names: Vec<String>,
    /// What its dealer drew from.
    pub chance: Chance,
    /// Its result.
    pub result: MatchResult,
    /// How long it took.
    pub time: Duration,
    /// Files of it that are lost.
    pub lost: Lost,
}

/// How the match that moved on last stands.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Number of the match, from 1; 0 before the first.
    pub number: u64,
    /// Names by player; none before the first match.
    pub names: Vec<String>,
    /// The result so far.
    pub result: MatchResult,
}

pub(crate) struct Seated {
    pub(crate) connection: Connection,
    pub(crate) player: Player,
    pub(crate) profile: Option<Box<CardTable>>,
}

/// A client that has said who it is, and has no number yet.
#[derive(Debug)]
struct Candidate {
    stream: Socket,
    from: SocketAddr,
    version: Version,
    profile: Option<Box<CardTable>>,
}

/// The clients that wait for a match, by number: one that is free again goes to the next that comes.
#[derive(Default)]
struct Seats([Option<Seated>; SEATS]);

impl Seats {
    fn free(&self) -> Option<usize> {
        self.0.iter().position(Option::is_none)
    }

    fn free_count(&self) -> usize {
        self.0.iter().filter(|seat| seat.is_none()).count()
    }

    /// Ready with the number of one that leaves.
    fn poll_left(&self, cx: &mut Context<'_>) -> Poll<usize> {
        let left = |seat: &Option<Seated>| {
            let client = seat.as_ref();
            client.is_some_and(|client| client.connection.poll_left(cx).is_ready())
        };
        match self.0.iter().position(left) {
            Some(number) => Poll::Ready(number),
            None => Poll::Pending,
        }
    }

    /// All that sit, by number; all seats are free then.
    fn take(&mut self) -> Vec<Seated> {
        self.0.iter_mut().filter_map(Option::take).collect()
    }
}

impl UecdaReport {
    /// The report of a match whose table has failed: it is void.
    fn failed(number: u64, names: Vec<String>, chance: Chance, time: Duration) -> UecdaReport {
        let result = MatchResult {
            kinds: [EndKind::Void; SEATS],
            reason: Some(FAILED.to_owned()),
            ..MatchResult::default()
        };
        UecdaReport {
            number,
            names,
            chance,
            result,
            time,
            lost: Lost::default(),
        }
    }
}

/// A `UECda` server on one port.
#[derive(Debug)]
pub struct UecdaLobby {
    door: Listener,
    places: Permits,
    greeters: Handshakes,
    settings: Arc<Uecda>,
    /// Matches to play; `None` goes on for ever.
    matches: Option<u64>,
    /// Seed of the first match; `None` draws a key or a seed for each.
    first_seed: Option<u64>,
    stop: CancellationToken,
    watching: Watching,
    reports: mpsc::UnboundedSender<UecdaReport>,
    progress: watch::Sender<Progress>,
    running: JoinSet<()>,
    closing: TaskTracker,
}

impl UecdaLobby {
    /// Opens the port. Reports of finished matches go to `reports`; cancelling `stop` ends
    /// everything cleanly. Match number `n` has the seed `first_seed + n - 1`; without one each match draws its own from
    /// the system's randomness, from which nothing follows about any other.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn bind(
        settings: Uecda,
        matches: Option<u64>,
        first_seed: Option<u64>,
        stop: CancellationToken,
        reports: mpsc::UnboundedSender<UecdaReport>,
    ) -> io::Result<UecdaLobby> {
        let door = Listener::open(&settings.bind, settings.port).await?;
        Ok(UecdaLobby::at(
            door, settings, matches, first_seed, stop, reports,
        ))
    }

    /// The same at a door that is open already.
    pub fn at(
        door: Listener,
        settings: Uecda,
        matches: Option<u64>,
        first_seed: Option<u64>,
        stop: CancellationToken,
        reports: mpsc::UnboundedSender<UecdaReport>,
    ) -> UecdaLobby {
        UecdaLobby {
            door,
            places: Permits::new(&settings.limits),
            greeters: Handshakes::default(),
            settings: Arc::new(settings),
            matches,
            first_seed,
            stop,
            watching: Watching::default(),
            reports,
            progress: watch::Sender::new(Progress {
                number: 0,
                names: Vec::new(),
                result: MatchResult::default(),
            }),
            running: JoinSet::new(),
            closing: TaskTracker::new(),
        }
    }

    /// The same lobby, whose matches can be watched.
    #[must_use]
    pub fn with_watching(mut self, watching: Watching) -> UecdaLobby {
        self.watching = watching;
        self
    }

    /// The address that is listened on.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.door.address()
    }

    /// The standings after every game. A slow receiver misses some.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Serves until all matches are played or the stop, and every connection is closed.
    pub async fn run(mut self) {
        let (greeted, mut candidates) = mpsc::channel::<Candidate>(MOST_GREETED);
        let mut seats = Seats::default();
        // The official server reads all profiles into one table.
        let mut last_profile = CardTable::default();
        let (mut started, mut stopped) = (0, false);
        loop {
            let is_last = self.matches.is_some_and(|most| started >= most);
            let is_closed = stopped || is_last;
            if is_closed && self.running.is_empty() {
                break;
            }
            let has_table = self.running.len() < self.settings.tables.max(1);
            if !is_closed && has_table && seats.free().is_none() {
                started += 1;
                let last_profile = std::mem::take(&mut last_profile);
                self.start(started, seats.take(), &last_profile);
                continue;
            }
            // Newcomers are the last, so that no crowd keeps the others back.
            tokio::select! {
                biased;
                () = self.stop.cancelled(), if !stopped => stopped = true,
                Some(done) = self.running.join_next() => assert_over(&done),
                number = poll_fn(|cx| seats.poll_left(cx)) => {
                    if let Some(left) = seats.0[number].take() {
                        log::info!(target: CLIENTS, "player {number}: {} left before the match", left.player.name);
                        log_free_seats(started + 1, seats.free_count());
                    }
                }
                Some(candidate) = candidates.recv() => match seats.free() {
                    Some(number) if !is_closed => {
                        if let Some(profile) = &candidate.profile {
                            last_profile = **profile;
                        }
                        seats.0[number] = Some(self.sit(candidate, number));
                        log_free_seats(started + 1, seats.free_count());
                    }
                    _ => self.turn_away(candidate.stream, candidate.from),
                },
                (stream, from) = self.door.admit(&self.places, b"", &self.closing) => {
                    if is_closed {
                        self.turn_away(stream, from);
                    } else {
                        self.greet(stream, from, greeted.clone());
                    }
                }
            }
        }
        // Those that are still greeted are let go.
        self.stop.cancel();
        for client in seats.take() {
            self.closing.spawn(client.connection.close(false));
        }
        drop(candidates);
        self.closing.close();
        self.closing.wait().await;
    }

    /// Closes the connection of a client that cannot be served.
    fn turn_away(&self, stream: Socket, from: SocketAddr) {
        log::info!(target: CLIENTS, "{from}: turned away, there is no match for it");
        self.door.turn_away(stream, &self.closing);
    }

    /// Greets a client in a task of its own.
    fn greet(&self, stream: Socket, from: SocketAddr, greeted: mpsc::Sender<Candidate>) {
        let (begun, stop) = (self.greeters.begin(from.ip()), self.stop.clone());
        let greeting = Greeting::new(Duration::ZERO);
        let greeting = if self.settings.require_profile {
            greeting.with_profile()
        } else {
            greeting
        };
        self.closing.spawn(async move {
            let answered = tokio::select! {
                biased;
                answered = greet(stream, greeting) => answered,
                () = begun.called_off() => return,
                () = stop.cancelled() => return,
            };
            drop(begun);
            match answered {
                Ok((stream, Greeted::Player { version, profile })) => {
                    let candidate = Candidate {
                        stream,
                        from,
                        version,
                        profile,
                    };
                    // The lobby may have ended meanwhile.
                    let _ = greeted.send(candidate).await;
                }
                Ok((stream, Greeted::Refused(reason))) => {
                    log::warn!(target: CLIENTS, "{from}: no player: {reason}");
                    close_cleanly(stream).await;
                }
                Err(e) => log::info!(target: CLIENTS, "{from}: no player: {e}"),
            }
        });
    }

    fn sit(&self, candidate: Candidate, number: usize) -> Seated {
        let Candidate {
            stream,
            from,
            version,
            profile,
        } = candidate;
        let name = &self.settings.names[number];
        let writes = Writes::to(from.ip());
        let client = Seated::new(stream, writes, version, profile, number, name);
        let (name, version) = (&client.player.name, version.number());
        log::info!(target: CLIENTS, "player {number}: {name} from {from}, version {version}");
        client
    }

    fn start(&mut self, number: u64, seated: Vec<Seated>, last_profile: &CardTable) {
        let chance = match self.first_seed {
            Some(first) => Chance::Seed(self.settings.dealer, first.wrapping_add(number - 1)),
            None => drawn_chance(self.settings.dealer),
        };
        let settings = MatchSettings::new(&self.settings, chance);
        let (players, connections): (Vec<Player>, Vec<_>) = seated
            .into_iter()
            .map(|client| (client.player, Some(client.connection)))
            .unzip();
        let connections = ByPlayer::from(connections);
        let names: Vec<String> = players.iter().map(|p| p.name.clone()).collect();
        let header = header(&self.settings, &settings, number, players, chance);
        let mut files = UecdaFiles::create(&self.settings, number, &header);
        let table = Table {
            referee: UecdaReferee::new(settings, last_profile),
            connections,
            returns: None,
            epoch: Instant::now(),
            names: names.clone(),
            closing: self.closing.clone(),
            finish: CancellationToken::new(),
            stop: self.stop.clone(),
            public: self.watching.table(&header),
        };
        let progress = self.progress.clone();
        let shown = names.clone();
        let commitment = header.commitment.as_ref();
        let commitment = commitment.map_or(String::new(), |hash| format!(", commitment {hash}"));
        log::info!(target: CLIENTS, "match {number} starts: {}{commitment}", names.join(", "));
        let reports = self.reports.clone();
        self.running.spawn(async move {
            let began = Instant::now();
            let mut audience = |referee: &UecdaReferee, event: &Event| {
                files.event(event);
                if let What::Forfeit { player, reason, .. } = &event.what {
                    let name = &shown[usize::from(*player)];
                    log::warn!(target: CLIENTS, "match {number}: {name} passes from now on: {reason}");
                }
                if let What::Begin { .. } | What::End { .. } = event.what {
                    progress.send_replace(Progress {
                        number,
                        names: shown.clone(),
                        result: referee.result(),
                    });
                }
            };
            let played = guarded(async { table.play(&mut audience).await.result() }).await;
            let time = began.elapsed();
            let mut report = match played {
                Some(result) => UecdaReport {
                    number,
                    names,
                    chance,
                    result,
                    time,
                    lost: Lost::default(),
                },
                None => UecdaReport::failed(number, names, chance, time),
            };
            let games = count_of_games(report.result.games);
            log::info!(target: CLIENTS, "match {number} is over: {games} in {time:.1?}");
            report.lost = files.close().await;
            // Nobody listens any more when the server is being torn down.
            let _ = reports.send(report);
        });
    }
}

impl Seated {
    /// Tells a client its number; `name` is that of one that does not say its own, or an empty one.
    fn new(
        stream: Socket,
        writes: Writes,
        version: Version,
        profile: Option<Box<CardTable>>,
        number: usize,
        name: &str,
    ) -> Seated {
        let own = profile.as_ref().map(|table| Profile::parse(table).name);
        let own = own.filter(|name| !name.trim().is_empty());
        let mut connection = Connection::new(stream, writes, version);
        connection.push(&Told::Number(number as i32));
        connection.send();
        Seated {
            connection,
            player: Player {
                name: own.unwrap_or_else(|| name.to_owned()),
                client: Some(version.number().to_string()),
            },
            profile,
        }
    }
}

/// A match that panics is guarded, and none is aborted.
fn assert_over(done: &Result<(), JoinError>) {
    assert!(done.is_ok(), "a match that ends by itself: {done:?}");
}

/// Why a client is no player.
pub(crate) enum NoPlayer {
    Failed(io::Error),
    /// It is to be turned away, for this reason.
    Refused(Socket, String),
}

/// Greets a client and tells it its number; `name` is that of a client that does not say its own, or an empty one.
pub(crate) async fn seat(
    stream: Socket,
    greeting: Greeting,
    writes: Writes,
    number: usize,
    name: &str,
) -> Result<Seated, NoPlayer> {
    let greeted = greet(stream, greeting).await;
    match greeted.map_err(NoPlayer::Failed)? {
        (stream, Greeted::Refused(reason)) => Err(NoPlayer::Refused(stream, reason)),
        (stream, Greeted::Player { version, profile }) => {
            Ok(Seated::new(stream, writes, version, profile, number, name))
        }
    }
}

/// Greets a client that has just connected, on its socket.
async fn greet(mut stream: Socket, mut greeting: Greeting) -> io::Result<(Socket, Greeted)> {
    let began = Instant::now();
    let mut space = [0; 480];
    loop {
        let wanted = greeting.wanted().min(space.len());
        let read = stream.read(&mut space[..wanted]);
        let read = match greeting.next_deadline() {
            Some(at) => timeout_at(began + at, read).await,
            None => Ok(read.await),
        };
        let greeted = match read {
            Ok(Ok(0)) => Some(greeting.closed()),
            Ok(Ok(n)) => greeting.receive(&space[..n]),
            Ok(Err(e)) => return Err(e),
            Err(_) => greeting.wake(began.elapsed()),
        };
        if let Some(greeted) = greeted {
            return Ok((stream, greeted));
        }
    }
}

/// What a match draws from that has no seed given: a key, or 32 bits for the official dealer.
fn drawn_chance(dealer: DealerKind) -> Chance {
    match (dealer, drawn_key()) {
        (DealerKind::Modern, key) => Chance::Key(key),
        (kind, key) => Chance::Seed(kind, key.seed() & u64::from(u32::MAX)),
    }
}

fn header(
    server: &Uecda,
    settings: &MatchSettings,
    number: u64,
    players: Vec<Player>,
    chance: Chance,
) -> Header {
    let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
    let id = format!("uecda-{time}-{number}");
    let mut header = Header::new(GameName::Daihinmin, &id, "uecda", players, settings.games())
        .with_rules(&settings.rules)
        .with_option("dealer", serde_json::json!(server.dealer))
        .with_option("compat", serde_json::json!(server.compat));
    header.clocks = settings.clocks[games::Player::new(0)];
    header.commitment = chance.key().map(|key| key.commitment(&id));
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_whose_table_fails_is_void_and_ends_early() {
        let names = vec![String::new(); SEATS];
        let report = UecdaReport::failed(1, names, Chance::Plain(7), Duration::ZERO);
        assert_eq!(report.result.reason.as_deref(), Some(FAILED));
        assert_eq!(report.result.kinds, [EndKind::Void; SEATS]);
    }
}
