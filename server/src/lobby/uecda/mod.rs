//! Seats of `UECda`: clients have them in the order in which they have said who they are, and five make a match.

mod connection;
mod files;
mod greeting;

use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use games::daihinmin::{Chance, DealerKind, SEATS};
use games::{ByPlayer, DealKey, GameName, count_of_games};
use protocol::uecda::{CardTable, Profile, Version};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::seats::{MatchSeats, WaitingClient};
use super::{Arrival, CLIENTS, Lobby, LobbyOptions, SeatPolicy, Services, drawn_key};
use crate::config::Uecda;
use crate::referee::uecda::{MatchResult, UecdaMatchSettings, UecdaMessage, UecdaReferee};
use crate::table::files::Lost;
use crate::table::link::{Writes, close_cleanly};
use crate::table::socket::Socket;
use crate::table::{Connection as _, FAILED, Journal, Table, guarded};
pub use connection::UecdaConnection;
use files::UecdaFiles;
pub use greeting::{Greeting, GreetingEnd};
use record::{EndKind, Event, Header, Player, What};

#[derive(Clone, Debug)]
pub struct UecdaReport {
    /// Number of the match on this server, from 1.
    pub number: u64,
    pub names: Vec<String>,
    /// What its dealer drew from.
    pub chance: Chance,
    pub result: MatchResult,
    pub time: Duration,
    pub lost: Lost,
}

/// How the match that moved on last stands.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Number of the match, from 1; 0 before the first.
    pub number: u64,
    /// Names by player; none before the first match.
    pub names: Vec<String>,
    pub result: MatchResult,
}

#[derive(Debug)]
pub struct SeatedClient {
    pub connection: UecdaConnection,
    pub player: Player,
    /// Its profile; none from clients of version 20060.
    pub profile: Option<Box<CardTable>>,
}

/// A client that has said who it is, and has no number yet.
#[derive(Debug)]
pub struct Candidate {
    socket: Socket,
    version: Version,
    profile: Option<Box<CardTable>>,
}

/// The result of a match whose table has failed: it is void.
fn failed() -> MatchResult {
    MatchResult {
        kinds: [EndKind::Void; SEATS],
        reason: Some(FAILED.to_owned()),
        ..MatchResult::default()
    }
}

/// Seats of `UECda`: by arrival, in the order in which clients have said who they are.
#[derive(Debug)]
pub struct UecdaSeats {
    settings: Uecda,
    /// Seed of the first match; `None` draws a key or a seed for each.
    first_seed: Option<u64>,
    seats: MatchSeats<SeatedClient>,
    /// The official server reads all profiles into one table.
    last_profile: CardTable,
    progress: watch::Sender<Progress>,
    /// That of the next match.
    pub(crate) journal: Journal,
}

impl UecdaSeats {
    /// Match number `n` has the seed `first_seed + n - 1`; without one each match draws its own from the system's
    /// randomness, from which nothing follows about any other.
    pub fn new(settings: Uecda, first_seed: Option<u64>) -> UecdaSeats {
        UecdaSeats {
            settings,
            first_seed,
            seats: MatchSeats::new(SEATS),
            last_profile: CardTable::default(),
            progress: watch::Sender::new(Progress {
                number: 0,
                names: Vec::new(),
                result: MatchResult::default(),
            }),
            journal: Journal::default(),
        }
    }
}

impl Lobby<UecdaSeats> {
    /// The standings after every game. A slow receiver misses some.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.policy().progress.subscribe()
    }
}

impl SeatPolicy for UecdaSeats {
    type Client = (SocketAddr, Candidate);
    type Outcome = ();
    type Report = UecdaReport;

    fn options(&self) -> LobbyOptions<'_> {
        LobbyOptions {
            host: &self.settings.bind,
            ports: vec![self.settings.port],
            limits: &self.settings.limits,
            tables: self.settings.tables,
        }
    }

    fn is_last(&self, matches: u64) -> bool {
        self.seats.number > matches
    }

    fn greet(
        &mut self,
        Arrival { socket, from, .. }: Arrival,
        greeted: &mpsc::Sender<(SocketAddr, Candidate)>,
        services: &Services<UecdaReport>,
    ) {
        let greeting = Greeting::new(Duration::ZERO);
        let greeting = if self.settings.require_profile {
            greeting.with_profile()
        } else {
            greeting
        };
        let closing = services.closing.clone();
        services.handshake(from.ip(), greeted, |called_off| async move {
            tokio::select! {
                biased;
                candidate = greet(socket, greeting, from.to_string(), closing) => Some((from, candidate?)),
                () = called_off.cancelled() => None,
            }
        });
    }

    fn seat(
        &mut self,
        (from, candidate): (SocketAddr, Candidate),
        is_open: bool,
        services: &Services<UecdaReport>,
    ) {
        let Some(number) = self.seats.free().filter(|_| is_open) else {
            log::info!(target: CLIENTS, "{from}: turned away, there is no match for it");
            services.turn_away(0, candidate.socket);
            return;
        };
        if let Some(profile) = &candidate.profile {
            self.last_profile = **profile;
        }
        let name = &self.settings.names[number];
        let client = candidate.sit(Writes::to(from.ip()), number, name);
        let Player {
            name,
            client: version,
        } = &client.player;
        let version = version.as_deref().unwrap_or_default();
        log::info!(target: CLIENTS, "player {number}: {name} from {from}, version {version}");
        self.seats.sit(number, client);
    }

    fn poll_waiting(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.seats.poll_left(cx)
    }

    fn begin(
        &mut self,
        services: &Services<UecdaReport>,
    ) -> Option<impl Future<Output = ()> + Send + use<> + 'static> {
        let (number, seated) = self.seats.take_full()?;
        let journal = std::mem::take(&mut self.journal);
        let journal_is_kept = journal.is_kept();
        let chance = match self.first_seed {
            Some(first) => Chance::Seed(self.settings.dealer, first.wrapping_add(number - 1)),
            None => drawn_chance(self.settings.dealer, journal.key()),
        };
        let settings = UecdaMatchSettings::new(&self.settings, chance);
        let (players, connections): (Vec<Player>, Vec<_>) = seated
            .into_iter()
            .map(|client| (client.player, Some(client.connection)))
            .unzip();
        let names: Vec<String> = players.iter().map(|p| p.name.clone()).collect();
        let header = header(&self.settings, &settings, number, players, chance);
        let mut files = UecdaFiles::create(&self.settings, number, &header);
        let last_profile = std::mem::take(&mut self.last_profile);
        let table = Table {
            referee: UecdaReferee::new(settings, &last_profile),
            connections: ByPlayer::from(connections),
            returns: None,
            epoch: journal.epoch().unwrap_or_else(Instant::now),
            names: names.clone(),
            closing: services.closing.clone(),
            finish: CancellationToken::new(),
            stop: services.stop.clone(),
            public: services.watching.table(&header),
            journal,
        };
        let goes_on = journal_is_kept.then(|| services.stop.clone());
        let progress = self.progress.clone();
        let commitment = header.commitment.as_ref();
        let commitment = commitment.map_or(String::new(), |hash| format!(", commitment {hash}"));
        log::info!(target: CLIENTS, "match {number} starts: {}{commitment}", names.join(", "));
        let reporter = services.reporter();
        Some(async move {
            let began = Instant::now();
            let mut audience = |referee: &UecdaReferee, event: &Event| {
                files.event(event);
                if let What::Forfeit { player, reason, .. } = &event.what {
                    let name = &names[usize::from(*player)];
                    log::warn!(target: CLIENTS, "match {number}: {name} passes from now on: {reason}");
                }
                if let What::Begin { .. } | What::End { .. } = event.what {
                    progress.send_replace(Progress {
                        number,
                        names: names.clone(),
                        result: referee.result(),
                    });
                }
            };
            let played = guarded(async { table.play(&mut audience).await.result() }).await;
            if goes_on.is_some_and(|stop| stop.is_cancelled()) {
                files.discard();
            }
            let mut report = UecdaReport {
                number,
                names,
                chance,
                result: played.unwrap_or_else(failed),
                time: began.elapsed(),
                lost: Lost::default(),
            };
            let (games, time) = (count_of_games(report.result.games), report.time);
            log::info!(target: CLIENTS, "match {number} is over: {games} in {time:.1?}");
            reporter.report(async move {
                report.lost = files.close().await;
                report
            });
        })
    }

    fn end(&mut self, (): (), _: &Services<UecdaReport>) {}

    fn close(mut self, services: &Services<UecdaReport>) {
        for client in self.seats.take() {
            services.closing.spawn(client.connection.close(false));
        }
    }
}

impl WaitingClient for SeatedClient {
    fn name(&self) -> &str {
        &self.player.name
    }

    fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.connection.poll_left(cx)
    }
}

impl Candidate {
    /// Tells the client its number; `name` is that of one that does not say its own, or an empty one.
    pub fn sit(self, writes: Writes, number: usize, name: &str) -> SeatedClient {
        let own = self
            .profile
            .as_ref()
            .map(|table| Profile::parse(table).name);
        let own = own.filter(|name| !name.trim().is_empty());
        let mut connection = UecdaConnection::new(self.socket, writes, self.version);
        connection.push(&UecdaMessage::Number(number as i32));
        connection.send();
        SeatedClient {
            connection,
            player: Player {
                name: own.unwrap_or_else(|| name.to_owned()),
                client: Some(self.version.number().to_string()),
            },
            profile: self.profile,
        }
    }
}

/// Greets a client that has just connected and is known to the log by this name. One that is no player is turned away.
pub async fn greet(
    mut socket: Socket,
    mut greeting: Greeting,
    name: String,
    closing: TaskTracker,
) -> Option<Candidate> {
    let began = Instant::now();
    let mut space = [0; 480];
    loop {
        let wanted = greeting.wanted().min(space.len());
        let read = socket.read(&mut space[..wanted]);
        let read = match greeting.next_deadline() {
            Some(at) => timeout_at(began + at, read).await,
            None => Ok(read.await),
        };
        let greeted = match read {
            Ok(Ok(0)) => Some(greeting.closed()),
            Ok(Ok(n)) => greeting.receive(&space[..n]),
            Ok(Err(e)) => {
                log::info!(target: CLIENTS, "{name}: no player: {e}");
                return None;
            }
            Err(_) => greeting.wake(began.elapsed()),
        };
        match greeted {
            Some(GreetingEnd::Player { version, profile }) => {
                return Some(Candidate {
                    socket,
                    version,
                    profile,
                });
            }
            Some(GreetingEnd::Refused(reason)) => {
                log::warn!(target: CLIENTS, "{name}: no player: {reason}");
                closing.spawn(close_cleanly(socket));
                return None;
            }
            None => {}
        }
    }
}

/// What a match draws from that has no seed given: a key, or 32 bits for the official dealer.
fn drawn_chance(dealer: DealerKind, key: Option<DealKey>) -> Chance {
    match (dealer, key.unwrap_or_else(drawn_key)) {
        (DealerKind::Modern, key) => Chance::Key(key),
        (kind, key) => Chance::Seed(kind, key.seed() & u64::from(u32::MAX)),
    }
}

fn header(
    server: &Uecda,
    settings: &UecdaMatchSettings,
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
        assert_eq!(failed().reason.as_deref(), Some(FAILED));
        assert_eq!(failed().kinds, [EndKind::Void; SEATS]);
    }
}
