//! Sessions of a league: the seats of one matchup, each behind a port of its own: the port tells which
//! entrant a client is, whatever its name is and whenever it comes.

mod admission;
mod collector;
mod gat;
mod header;
mod native;
mod seat_port;
mod uecda;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use games::{Blokus, ByPlayer, Dobutsu, GameName, ScoreFour};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::journal::{Game, InRecord};
use super::process::{InnerPort, Members};
use super::remote::EntrantConnections;
use super::schedule::Fixture;
use super::settings::{Entrant, Rules, Settings};
use admission::SeatFailure;
pub(crate) use collector::{Counting, FixtureCollector};
pub(crate) use header::{FIXTURES, RecordedFixture, header_of};
use record::{Clocks, Header};
use seat_port::SeatPort;
use server::table::disk::disk;
use server::table::files::MatchRecord;
use server::table::socket::Ending;
use server::table::{FAILED, guarded};
use server::watch::{MoveDelay, Publisher, Watching};

/// What is played in one session by the same programs: some fixtures of one matchup, one after the other.
#[derive(Clone, Debug)]
pub struct SessionPlan {
    /// The fixtures, in the order of the schedule.
    pub fixtures: Vec<Fixture>,
    /// The entrant of each player. Players are the programs at the table, and keep their numbers; an entrant with
    /// several seats has several programs.
    pub players: Vec<usize>,
    /// File for the record of the session; `None` keeps none. A file that is there already is kept, and the record
    /// gets a number behind its name.
    pub record: Option<PathBuf>,
    /// The seeds of the programs, by player, from somebody who knows the league's seed; empty where they follow from it.
    pub seeds: Vec<u64>,
}

impl SessionPlan {
    /// The port that a client of GAT in a sandbox, with its own network, is told if it plays a single game: that of its seat,
    /// because some clients derive the seat from the port.
    pub(crate) fn port_of_seat(&self, settings: &Settings, player: usize) -> Option<u16> {
        let is_confined = settings.entrants[self.players[player]].mounts.is_some();
        if settings.game() != GameName::Geister || !is_confined || self.fixtures.len() != 1 {
            return None;
        }
        let seats = self.seating(0).ok()?;
        let seat = seats.iter().position(|&seat| usize::from(seat) == player)?;
        Some(10_000 + seat as u16)
    }

    /// The player in each seat of a fixture: copies of an entrant take its seats in their order.
    ///
    /// # Errors
    /// What is wrong when the players are not those of the fixture.
    pub(crate) fn seating(&self, fixture: usize) -> Result<Vec<u8>, String> {
        let fixture = &self.fixtures[fixture];
        let mut free: Vec<bool> = vec![true; self.players.len()];
        let mut seat = |entrant: usize| {
            let here = |p: &usize| free[*p] && self.players[*p] == entrant;
            let player = (0..free.len()).find(here)?;
            free[player] = false;
            Some(player as u8)
        };
        let seats: Option<Vec<u8>> = fixture.seats.iter().map(|&e| seat(e)).collect();
        let is_full = !free.contains(&true);
        seats.filter(|_| is_full).ok_or_else(|| {
            format!(
                "the players of game {} are to be the entrants {:?}, those at the table are {:?}",
                fixture.key, fixture.seats, self.players
            )
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct FixtureResult {
    pub number: usize,
    pub ms: u64,
    pub games: Vec<Game>,
    /// Where they are recorded, if a record is kept.
    pub record: Option<InRecord>,
    /// Name of the machine that has played it, where it is not this one.
    pub host: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// All its fixtures were played, or those that were to be played after the wish to finish.
    Whole,
    /// A player is gone, which its last game says: what is left needs new programs.
    Gone,
    /// An entrant that comes itself has left before it sat: all is left to be played.
    Absent,
    /// The fixture in play does not count, and no player is to blame.
    Void(String),
}

impl SessionEnd {
    pub(crate) fn stopped() -> SessionEnd {
        SessionEnd::Void("it was stopped".to_owned())
    }
}

/// How a session is told to end.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// To finish the fixture in play and begin no other.
    pub finish: CancellationToken,
    /// To end at once: the fixture in play is void.
    pub stop: CancellationToken,
    /// Not to wait for players whose programs have ended.
    pub departures: Departures,
}

impl SessionOptions {
    /// Those of a session: what is wished of all is wished of it, and not the other way round.
    pub(crate) fn of_session(&self) -> SessionOptions {
        SessionOptions {
            finish: self.finish.child_token(),
            stop: self.stop.child_token(),
            departures: self.departures.clone(),
        }
    }
}

/// Players whose programs have ended: a session waits for them no longer. The session itself says for whom it has
/// waited in vain.
#[derive(Clone, Debug, Default)]
pub struct Departures {
    gone: Arc<watch::Sender<u32>>,
    missed: Arc<OnceLock<usize>>,
    /// By player with a program of the league's, how it has ended.
    ended: Arc<watch::Sender<BTreeMap<usize, Option<ExitStatus>>>>,
}

/// How long is waited after the loss of a connection for the end of its program: one that ends closes it a little before.
const ENDS: Duration = Duration::from_secs(1);

impl Departures {
    /// Those of players with programs of the league's.
    pub(crate) fn of_programs(players: impl IntoIterator<Item = usize>) -> Departures {
        let departures = Departures::default();
        let ended = &departures.ended;
        ended.send_modify(|ended| ended.extend(players.into_iter().map(|player| (player, None))));
        departures
    }

    /// Takes note of how the program of a player has ended.
    pub(crate) fn note_end(&self, player: usize, status: ExitStatus) {
        self.ended
            .send_modify(|ended| _ = ended.insert(player, Some(status)));
    }

    /// Tells how the program of a player has ended that has just lost its connection.
    pub(crate) fn ending(&self, player: usize) -> Option<Ending> {
        let mut ended = self.ended.subscribe();
        ended.borrow().get(&player)?;
        Some(Ending(Box::pin(async move {
            let is_known =
                |ended: &BTreeMap<usize, _>| ended.get(&player).is_some_and(Option::is_some);
            let known = timeout(ENDS, ended.wait_for(is_known)).await.ok()?.ok()?;
            known[&player]
        })))
    }

    /// Takes note that a session need not wait for a player any more, whose program has ended.
    pub fn add(&self, player: usize) {
        self.gone
            .send_modify(|gone| *gone |= 1_u32.checked_shl(player as u32).unwrap_or(0));
    }

    /// The player because of whom the session was not full.
    pub fn missed(&self) -> Option<usize> {
        self.missed.get().copied()
    }

    /// Takes note that the session was not full because of this player.
    fn miss(&self, player: usize) {
        // Only the first counts.
        let _ = self.missed.set(player);
    }

    /// Waits until the program of one of these players has ended, and says whose.
    fn of(&self, players: &[usize]) -> impl Future<Output = usize> + Send + use<> {
        let awaited = players
            .iter()
            .fold(0, |mask, &player| mask | 1_u32 << player);
        let mut gone = self.gone.subscribe();
        async move {
            let changed = gone.wait_for(|gone| gone & awaited != 0).await;
            match changed.map(|gone| *gone & awaited) {
                Ok(gone) => gone.trailing_zeros() as usize,
                // Nobody can say so any more.
                Err(_) => std::future::pending().await,
            }
        }
    }
}

#[derive(Debug)]
pub struct TableSession {
    settings: Settings,
    plan: SessionPlan,
    seatings: Vec<Vec<u8>>,
    /// The port of each player, until it is played.
    ports: Vec<Arc<SeatPort>>,
    addresses: Vec<SocketAddr>,
    /// Connections of strangers to the port of each player.
    refused: Vec<Arc<AtomicU32>>,
    closing: TaskTracker,
    pub(crate) watching: Watching,
    /// Name of the file of its record, once there is one.
    recorded: OnceLock<String>,
}

impl TableSession {
    /// Opens a port for each player.
    ///
    /// # Errors
    /// When the system has no port, or the players of the plan are not those of its fixtures.
    pub async fn open(settings: &Settings, plan: SessionPlan) -> io::Result<TableSession> {
        TableSession::with_connections(settings, plan, EntrantConnections::new()).await
    }

    /// Opens a port for each player that is none of these connections.
    pub async fn with_connections(
        settings: &Settings,
        plan: SessionPlan,
        connections: EntrantConnections,
    ) -> io::Result<TableSession> {
        let seating = |number| plan.seating(number);
        let seatings: Result<_, String> = (0..plan.fixtures.len()).map(seating).collect();
        let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
        let seatings = seatings.map_err(invalid)?;
        let names = settings.entrants.len();
        if let Some(player) = plan.players.iter().find(|&&e| e >= names) {
            return Err(invalid(format!("there is no entrant {player}")));
        }
        if plan.players.len() != settings.seats() {
            let (game, seats) = (settings.game(), settings.seats());
            return Err(invalid(format!("{game} has {seats} seats")));
        }
        let mut ports = Vec::with_capacity(plan.players.len());
        let mut addresses = Vec::with_capacity(plan.players.len());
        let mut refused = Vec::with_capacity(plan.players.len());
        let key = plan
            .fixtures
            .first()
            .map_or_else(String::new, |f| f.key.to_string());
        let connections = connections
            .into_iter()
            .chain(std::iter::repeat_with(|| None));
        for ((player, &entrant), connection) in plan.players.iter().enumerate().zip(connections) {
            let name = &settings.entrants[entrant].name;
            let whose = format!("game {key}, player {player}, {name}");
            let port = match connection {
                Some(connection) => SeatPort::of_entrant(connection, whose),
                None => SeatPort::open(whose).await?,
            };
            addresses.push(port.address()?);
            refused.push(port.refused());
            ports.push(Arc::new(port));
        }
        Ok(TableSession {
            settings: settings.clone(),
            plan,
            seatings,
            ports,
            addresses,
            refused,
            closing: TaskTracker::new(),
            watching: Watching::default(),
            recorded: OnceLock::new(),
        })
    }

    /// The address that each player connects to, by player. In GAT a player comes again for each game.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Keeps the seat of a player for this program and what it has started; connections of others are closed.
    pub fn reserve(&self, player: usize, program: Members) {
        self.ports[player].reserve(program);
    }

    /// Has a player come through the port of its program in the sandbox and by no other way.
    pub fn enter(&self, player: usize, port: InnerPort) {
        self.ports[player].enter(port);
    }

    /// Plays the session to its end. Every fixture that was played is told to `on_done` at once. Each player
    /// has the start limit of its entrant to connect, from now on. The record is in its file then, where there is room.
    pub async fn play(
        self,
        options: &SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionEnd {
        let ended = self.play_ahead(options, on_done).await;
        disk().written().await;
        ended
    }

    /// As [`TableSession::play`], but the record may be on its way to the disk.
    pub(crate) async fn play_ahead(
        mut self,
        options: &SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionEnd {
        let ports = std::mem::take(&mut self.ports);
        let played = guarded(async {
            match self.settings.rules.clone() {
                Rules::Daihinmin(rules) => uecda::play(&self, ports, rules, options, on_done).await,
                Rules::Geister(rules) => gat::play(&self, ports, rules, options, on_done).await,
                Rules::Blokus(rules) => {
                    native::play::<Blokus>(&self, ports, rules, options, on_done).await
                }
                Rules::ScoreFour(rules) => {
                    native::play::<ScoreFour>(&self, ports, rules, options, on_done).await
                }
                Rules::Dobutsu(rules) => {
                    native::play::<Dobutsu>(&self, ports, rules, options, on_done).await
                }
            }
        });
        let ended = played.await;
        self.closing.close();
        self.closing.wait().await;
        ended.unwrap_or_else(|| SessionEnd::Void(FAILED.to_owned()))
    }

    /// The collector of the session, whose record is made if one is kept.
    fn collector(&self) -> FixtureCollector {
        let counting = Counting::of(&self.settings);
        let collector = FixtureCollector::new(counting, self.seatings.clone());
        collector.recorded_in(self.recorded.get().cloned())
    }

    /// Opens the session to watchers, at the pace of its stage.
    fn public(&self, header: &Header) -> Publisher {
        self.watching.table(header).at_pace(self.pace())
    }

    fn pace(&self) -> Option<MoveDelay> {
        let first = self.plan.fixtures.first()?;
        let pace = self.settings.pace_of(first.key.matchup)?;
        let rotations = u64::from(self.settings.plan().rotations());
        let games = u64::from(self.session());
        let is_shown = |fixture: &Fixture, game: u64| {
            let before = u64::from(fixture.key.deal) * rotations + u64::from(fixture.key.rotation);
            before * games + game < u64::from(pace.games)
        };
        let all = self.plan.fixtures.iter();
        let all = all.flat_map(|fixture| (0..games).map(move |game| (fixture, game)));
        let shown = (1..)
            .zip(all)
            .take_while(|&(_, (fixture, game))| is_shown(fixture, game));
        Some(MoveDelay {
            games: shown.map(|(number, _)| number).collect(),
            every: Duration::from_millis(pace.ms),
        })
    }

    fn session(&self) -> u32 {
        self.settings.session.max(1)
    }

    fn entrant(&self, player: usize) -> &Entrant {
        &self.settings.entrants[self.plan.players[player]]
    }

    /// Whether a player comes from a machine of its own.
    fn has_remote(&self) -> bool {
        let mut players = 0..self.plan.players.len();
        players.any(|player| self.entrant(player).comes_itself())
    }

    fn names(&self) -> Vec<String> {
        let players = self.plan.players.iter();
        let names = players.map(|&entrant| self.settings.entrants[entrant].name.clone());
        names.collect()
    }

    fn seating(&self, number: usize) -> games::Seating {
        let players = self.seatings[number].iter().copied();
        let players = players.map(games::Player::new).collect();
        games::Seating::new(players).expect("each player of a fixture has one seat")
    }

    /// The header of the record; `clients` has for each player the description that its program gives.
    fn header(&self, clients: Vec<Option<String>>) -> Header {
        // The name of the file is that of the session.
        let stem = self.plan.record.as_deref().and_then(Path::file_stem);
        let id = stem.map_or("session".into(), |stem| stem.to_string_lossy());
        let players: Vec<_> = self.plan.players.iter().copied().zip(clients).collect();
        let fixtures = self.plan.fixtures.iter().zip(&self.seatings);
        let fixtures = fixtures.map(|(fixture, seating)| RecordedFixture {
            game: fixture.key,
            players: seating.clone(),
        });
        header_of(&self.settings, &id, players, &fixtures.collect::<Vec<_>>())
    }

    /// Makes the record, if one is kept: a file that is there already is kept. A disk without room is waited for, so that
    /// no league goes on whose games nobody could look at.
    ///
    /// # Errors
    /// What the session comes to when it cannot be made.
    async fn record(
        &self,
        header: &Header,
        options: &SessionOptions,
    ) -> Result<MatchRecord, SessionEnd> {
        let record = MatchRecord::create(self.plan.record.as_deref(), 1, header);
        let opened = tokio::select! {
            opened = record.opened() => opened,
            () = options.stop.cancelled() => return Err(SessionEnd::stopped()),
        };
        let path = opened.map_err(SessionEnd::Void)?;
        if let Some(name) = path.and_then(Path::file_name) {
            // A session has one record.
            let _ = self.recorded.set(name.to_string_lossy().into_owned());
        }
        Ok(record)
    }

    fn clocks(&self) -> ByPlayer<Clocks> {
        ByPlayer::from_fn(self.plan.players.len(), |player| {
            self.settings.clocks_of(self.entrant(player.index())).into()
        })
    }

    fn start_limits(&self) -> Vec<Duration> {
        let players = 0..self.plan.players.len();
        let limit = |player| self.settings.clocks_of(self.entrant(player)).start_ms;
        players.map(limit).map(Duration::from_millis).collect()
    }

    /// What a session comes to that was not full.
    fn not_full(&self, missing: &SeatFailure, options: &SessionOptions) -> SessionEnd {
        let player = match *missing {
            SeatFailure::Finish => return SessionEnd::Whole,
            SeatFailure::Stop => return SessionEnd::stopped(),
            SeatFailure::Departed(player)
            | SeatFailure::Silent(player)
            | SeatFailure::Late(player) => player,
        };
        options.departures.miss(player);
        if self.entrant(player).comes_itself() {
            return SessionEnd::Absent;
        }
        let name = &self.names()[player];
        let limit = self.start_limits()[player].as_secs_f64();
        SessionEnd::Void(match missing {
            SeatFailure::Departed(_) => format!("{name} ended before it sat down"),
            SeatFailure::Silent(_) => {
                let greeting = match self.settings.rules {
                    Rules::Daihinmin(_) => "no whole profile",
                    _ => "no greeting",
                };
                format!("{name} has connected, but sent {greeting} within {limit} s")
            }
            _ => {
                let refused = match self.refused[player].load(Ordering::Relaxed) {
                    0 => "",
                    _ => ", only other programs did (`remote = true` in its section lets them in)",
                };
                format!("{name} did not connect within {limit} s{refused}")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;
    use crate::testing::settings;

    #[tokio::test]
    async fn the_first_games_of_each_matchup_of_a_stage_have_its_pace() {
        let mut settings = settings();
        settings.groups.count = 2;
        let one = settings.entrants[0].clone();
        settings.entrants = (0..8)
            .map(|number| Entrant {
                name: format!("e{number}"),
                ..one.clone()
            })
            .collect();
        settings.stages = vec![crate::settings::Stage {
            name: "final".to_owned(),
            advance: 1,
            wild_cards: 0,
            groups: 1,
            format: crate::settings::Format::RoundRobin,
            deals: 4,
        }];
        let pace = crate::settings::MoveDelay { games: 3, ms: 700 };
        settings.run.paces.insert(1, pace);
        let games = async |matchup: u32, deals: std::ops::Range<u32>| {
            let players = vec![0, 1];
            let block = |deal| settings.plan().block(matchup, &players, deal);
            let plan = SessionPlan {
                fixtures: deals.flat_map(block).collect(),
                players: players.clone(),
                record: None,
                seeds: Vec::new(),
            };
            let session = TableSession::open(&settings, plan).await.unwrap();
            let pace = session.pace()?;
            assert_eq!(pace.every, Duration::from_millis(700));
            Some(pace.games.into_iter().collect::<Vec<u32>>())
        };
        // Two groups of four have the matchups 0 to 11.
        assert_eq!(games(11, 0..4).await, None);
        assert_eq!(games(12, 0..4).await, Some(vec![1, 2, 3]));
        assert_eq!(games(12, 1..4).await, Some(vec![1]));
        assert_eq!(games(12, 2..4).await, Some(Vec::new()));
    }

    #[tokio::test]
    async fn a_sitting_that_panics_is_void_and_closes_its_ports() {
        let settings = settings();
        let players = vec![0, 1];
        let plan = SessionPlan {
            fixtures: settings.plan().block(0, &players, 0),
            players,
            record: None,
            seeds: Vec::new(),
        };
        let session = TableSession::open(&settings, plan).await.unwrap();
        let addresses = session.addresses().to_vec();
        let mut clients = Vec::new();
        for address in &addresses {
            let mut client = TcpStream::connect(address).await.unwrap();
            let hello = b"{\"type\":\"hello\",\"versions\":[1],\"name\":\"x\"}\n";
            client.write_all(hello).await.unwrap();
            clients.push(client);
        }
        // A player that is welcome and gone again has lost its game.
        let mut leaver = clients.pop().unwrap();
        tokio::spawn(async move { leaver.read_u8().await });
        let mut on_done = |_| panic!("on purpose");
        let ended = session.play(&SessionOptions::default(), &mut on_done).await;
        assert_eq!(ended, SessionEnd::Void("the server failed".to_owned()));
        for address in addresses {
            assert!(TcpStream::connect(address).await.is_err());
        }
    }
}
