//! The lobby of `UECda`: accepts clients one at a time, seats them, and starts a match whenever five sit.

mod connection;
mod files;
mod greeting;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use games::ByPlayer;
use games::daihinmin::{Chance, DealerKind, SEATS};
use protocol::uecda::{CardTable, Profile};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::door::Door;
use super::drawn_key;
use crate::config::Uecda;
use crate::referee::uecda::{MatchResult, MatchSettings, Told, UecdaReferee};
use crate::table::link::Writes;
use crate::table::{Connection as _, FAILED, Table, guarded};
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

/// A seated client.
pub(crate) struct Seated {
    pub(crate) connection: Connection,
    pub(crate) player: Player,
    pub(crate) profile: Option<Box<CardTable>>,
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
        }
    }
}

/// A `UECda` server on one port.
#[derive(Debug)]
pub struct UecdaLobby {
    door: Door,
    settings: Arc<Uecda>,
    /// Matches to play; `None` goes on for ever.
    matches: Option<u64>,
    /// Seed of the first match; `None` draws a key or a seed for each.
    first_seed: Option<u64>,
    stop: CancellationToken,
    reports: mpsc::UnboundedSender<UecdaReport>,
    progress: watch::Sender<Progress>,
    running: TaskTracker,
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
        Ok(UecdaLobby {
            door: Door::open(&settings.bind, settings.port).await?,
            settings: Arc::new(settings),
            matches,
            first_seed,
            stop,
            reports,
            progress: watch::Sender::new(Progress {
                number: 0,
                names: Vec::new(),
                result: MatchResult::default(),
            }),
            running: TaskTracker::new(),
            closing: TaskTracker::new(),
        })
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
    ///
    /// # Errors
    /// When the files of a match cannot be made.
    pub async fn run(self) -> io::Result<()> {
        let served = self.serve().await;
        if served.is_err() {
            self.stop.cancel();
        }
        self.running.close();
        // Clients that nobody can serve any more are told so while the last matches are played.
        tokio::select! {
            () = self.running.wait() => {}
            () = self.turn_away_all() => {}
        }
        self.closing.close();
        self.closing.wait().await;
        served
    }

    async fn serve(&self) -> io::Result<()> {
        for number in 1.. {
            if self.matches.is_some_and(|most| number > most) {
                break;
            }
            let mut seated: Vec<Seated> = Vec::with_capacity(SEATS);
            // The official server reads all profiles into one table.
            let mut last_profile = CardTable::default();
            while seated.len() < SEATS {
                let Some(client) = self.seat_next(seated.len()).await else {
                    for client in seated {
                        self.closing.spawn(client.connection.close(false));
                    }
                    return Ok(());
                };
                if let Some(profile) = &client.profile {
                    last_profile = **profile;
                }
                seated.push(client);
            }
            self.start(number, seated, &last_profile)?;
        }
        Ok(())
    }

    /// Accepts clients until one is a player, and tells it its number. `None` at the stop.
    async fn seat_next(&self, number: usize) -> Option<Seated> {
        loop {
            let (stream, from) = tokio::select! {
                () = self.stop.cancelled() => return None,
                accepted = self.door.accept() => accepted,
            };
            let greeting = Greeting::new(Duration::ZERO);
            let name = &self.settings.names[number];
            let seated = tokio::select! {
                () = self.stop.cancelled() => return None,
                seated = seat(stream, greeting, Writes::OneMessage, number, name) => seated,
            };
            match seated {
                Ok(client) => {
                    let name = &client.player.name;
                    let version = client.connection.version().number();
                    log::info!("player {number}: {name} from {from}, version {version}");
                    return Some(client);
                }
                Err(NoPlayer::Failed(e)) => log::info!("{from}: no player: {e}"),
                Err(NoPlayer::Refused(stream, reason)) => {
                    log::warn!("{from}: no player: {reason}");
                    self.door.turn_away(stream, &self.closing);
                }
            }
        }
    }

    fn start(&self, number: u64, seated: Vec<Seated>, last_profile: &CardTable) -> io::Result<()> {
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
        let mut files = UecdaFiles::create(&self.settings, number, &header)?;
        let table = Table {
            referee: UecdaReferee::new(settings, last_profile),
            connections,
            returns: None,
            epoch: Instant::now(),
            closing: self.closing.clone(),
            finish: CancellationToken::new(),
            stop: self.stop.clone(),
        };
        let progress = self.progress.clone();
        let shown = names.clone();
        let mut audience = move |referee: &UecdaReferee, event: &Event| {
            files.event(event);
            if let What::Begin { .. } | What::End { .. } = event.what {
                progress.send_replace(Progress {
                    number,
                    names: shown.clone(),
                    result: referee.result(),
                });
            }
        };
        let commitment = header.commitment.as_ref();
        let commitment = commitment.map_or(String::new(), |hash| format!(", commitment {hash}"));
        log::info!("match {number} starts: {}{commitment}", names.join(", "));
        let reports = self.reports.clone();
        self.running.spawn(async move {
            let began = Instant::now();
            let played = guarded(async move { table.play(&mut audience).await.result() }).await;
            let time = began.elapsed();
            let report = match played {
                Some(result) => UecdaReport {
                    number,
                    names,
                    chance,
                    result,
                    time,
                },
                None => UecdaReport::failed(number, names, chance, time),
            };
            let games = report.result.games;
            log::info!("match {number} is over: {games} games in {time:.1?}");
            // Nobody listens any more when the server is being torn down.
            let _ = reports.send(report);
        });
        Ok(())
    }

    async fn turn_away_all(&self) {
        loop {
            let (stream, from) = self.door.accept().await;
            log::info!("{from}: turned away, all matches have their players");
            self.door.turn_away(stream, &self.closing);
        }
    }
}

/// Why a client is no player.
pub(crate) enum NoPlayer {
    /// Its connection has failed.
    Failed(io::Error),
    /// It is to be turned away, for this reason.
    Refused(TcpStream, String),
}

/// Greets a client and tells it its number; `name` is that of a client that does not say its own.
pub(crate) async fn seat(
    stream: TcpStream,
    greeting: Greeting,
    writes: Writes,
    number: usize,
    name: &str,
) -> Result<Seated, NoPlayer> {
    let greeted = greet(stream, greeting).await;
    let (stream, greeted) = greeted.map_err(NoPlayer::Failed)?;
    let (version, profile) = match greeted {
        Greeted::Refused(reason) => return Err(NoPlayer::Refused(stream, reason)),
        Greeted::Player { version, profile } => (version, profile),
    };
    let own = profile.as_ref().map(|table| Profile::parse(table).name);
    let mut connection = Connection::new(stream, writes, version);
    connection.push(&Told::Number(number as i32));
    connection.send();
    Ok(Seated {
        connection,
        player: Player {
            name: own.unwrap_or_else(|| name.to_owned()),
            client: Some(version.number().to_string()),
        },
        profile,
    })
}

/// Greets a client that has just connected, on its socket.
async fn greet(mut stream: TcpStream, mut greeting: Greeting) -> io::Result<(TcpStream, Greeted)> {
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
    header.clocks = settings.clocks;
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
