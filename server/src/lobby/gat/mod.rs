//! The lobby of Geister: two ports that are always listened on, a queue at each, and as many tables
//! as games may be played at the same time.
//!
//! The port says which player a client is, in all games of a match; who moves first is the
//! server's to swap. A client has one game for each connection and comes back for the next.

mod files;
pub(crate) mod queue;
mod tally;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use games::geister::SEATS;
use games::{Seating, count_of_games};
use jiff::Zoned;
use protocol::gat::Names;
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::listener::Listener;
use crate::config::Gat;
use crate::lobby::CLIENTS;
use crate::referee::Lateness;
use crate::referee::gat::{GameSettings, GatReferee};
use crate::table::files::Lost;
use crate::table::permits::Permits;
use crate::table::socket::Socket;
use crate::table::{Table, guarded};
use crate::watch::{Publisher, Watching};
use files::Files;
use queue::{Guest, Queue};
use record::{EndKind, Event, What};
pub use tally::Tally;

/// The result of one match.
#[derive(Clone, Debug)]
pub struct GatReport {
    /// Number of the match on this server, from 1.
    pub number: u64,
    /// Names by player: the last that the client gave itself, else the server's.
    pub names: [String; SEATS],
    /// Its result.
    pub tally: Tally,
    /// From the first game's start to the last one's end.
    pub time: Duration,
    /// Why it ended before its last game.
    pub reason: Option<String>,
    /// Files of it that are lost.
    pub lost: Lost,
}

/// A game that is over, and its events.
pub(crate) type Played = (GatReferee, Vec<Event>);

/// The number of a game that is over, when it began, and what it has come to, unless its table has failed.
type Over = (u32, Zoned, Option<Played>);

/// A server of Geister on two ports.
#[derive(Debug)]
pub struct GatLobby {
    doors: [Listener; SEATS],
    places: Permits,
    settings: Gat,
    /// Matches to play; `None` goes on for ever.
    matches: Option<u64>,
    stop: CancellationToken,
    watching: Watching,
    reports: mpsc::UnboundedSender<GatReport>,
    closing: TaskTracker,
    queues: [Queue; SEATS],
    epoch: Instant,
}

struct Match {
    number: u64,
    /// Set when the first game starts.
    began: Option<Instant>,
    public: Publisher,
    files: Files,
    tally: Tally,
    names: [String; SEATS],
    /// Games in a row that were lost on time.
    late: Lateness,
    /// Numbers of games that are to be played again, and of the next new one.
    again: Vec<u32>,
    next: u32,
    running: JoinSet<Over>,
}

impl GatLobby {
    /// Opens the ports. Reports of finished matches go to `reports`; cancelling `stop` ends
    /// everything cleanly.
    ///
    /// # Errors
    /// When an address cannot be listened on, with its port.
    pub async fn bind(
        settings: Gat,
        matches: Option<u64>,
        stop: CancellationToken,
        reports: mpsc::UnboundedSender<GatReport>,
    ) -> Result<GatLobby, (u16, io::Error)> {
        let [first, second] = settings.ports;
        let open = async |port| {
            Listener::open(&settings.bind, port)
                .await
                .map_err(|e| (port, e))
        };
        let doors = [open(first).await?, open(second).await?];
        Ok(GatLobby::at(doors, settings, matches, stop, reports))
    }

    /// The same at doors that are open already.
    pub fn at(
        doors: [Listener; SEATS],
        settings: Gat,
        matches: Option<u64>,
        stop: CancellationToken,
        reports: mpsc::UnboundedSender<GatReport>,
    ) -> GatLobby {
        GatLobby {
            doors,
            places: Permits::new(&settings.limits),
            settings,
            matches,
            stop,
            watching: Watching::default(),
            reports,
            closing: TaskTracker::new(),
            queues: Default::default(),
            epoch: Instant::now(),
        }
    }

    /// The same lobby, whose matches can be watched.
    #[must_use]
    pub fn with_watching(mut self, watching: Watching) -> GatLobby {
        self.watching = watching;
        self
    }

    /// The addresses that are listened on, by player.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn addresses(&self) -> io::Result<[SocketAddr; SEATS]> {
        Ok([self.doors[0].address()?, self.doors[1].address()?])
    }

    /// Serves until all matches are played or the stop, and every connection is closed.
    pub async fn run(mut self) {
        for number in 1.. {
            if self.matches.is_some_and(|most| number > most) || self.stop.is_cancelled() {
                break;
            }
            self.play_match(number).await;
        }
        self.stop.cancel();
        for queue in &mut self.queues {
            while let Some(guest) = queue.pop().await {
                self.closing.spawn(guest.link.close(false));
            }
        }
        self.closing.close();
        self.closing.wait().await;
    }

    async fn play_match(&mut self, number: u64) {
        let mut current = Match {
            number,
            began: None,
            public: Publisher::default(),
            files: Files::create(&self.settings, number),
            tally: Tally::default(),
            names: self.settings.names.clone(),
            late: Lateness::new(self.settings.timeouts, SEATS),
            again: Vec::new(),
            next: 1,
            running: JoinSet::new(),
        };
        let (mut reason, mut turn) = (None, 0);
        while current.tally.games < self.settings.games {
            if current.late.due().next().is_some() {
                reason.get_or_insert("a player was out of time in too many games in a row");
            }
            if reason.is_none() {
                self.start_games(&mut current).await;
            }
            if reason.is_some() && current.running.is_empty() {
                break;
            }
            let stopped = reason.is_some();
            // Of two crowds neither keeps the other back.
            turn = 1 - turn;
            let [one, other] = [turn, 1 - turn];
            tokio::select! {
                biased;
                () = self.stop.cancelled(), if !stopped => {
                    reason = Some("the server was stopped");
                }
                Some(done) = current.running.join_next() => {
                    let is_first = current.tally.games == 0;
                    current.finish(done);
                    if is_first && current.tally.games > 0 {
                        self.log_more(&current);
                    }
                }
                (stream, from) = self.doors[one].admit(&self.places, b"", &self.closing), if !stopped => {
                    self.admit(&current, one, stream, from);
                }
                (stream, from) = self.doors[other].admit(&self.places, b"", &self.closing), if !stopped => {
                    self.admit(&current, other, stream, from);
                }
            }
        }
        self.report(current, reason).await;
    }

    fn admit(&mut self, current: &Match, player: usize, stream: Socket, from: SocketAddr) {
        let most = self.settings.queue.max(self.settings.tables);
        let queue = &mut self.queues[player];
        if queue.len() >= most
            && let Some(silent) = queue.take_silent()
        {
            log::warn!(target: CLIENTS, "a client of player {player} is let go, it says nothing and others come");
            self.closing.spawn(silent);
        }
        if self.queues[player].len() >= most {
            log::warn!(target: CLIENTS, "{from}: turned away, the queue of player {player} is full");
            self.doors[player].turn_away(stream, &self.closing);
            return;
        }
        log::debug!("{from}: a client for player {player}");
        let names = if self.settings.client_names {
            Names::Optional
        } else {
            Names::Refused
        };
        self.queues[player].push_back(Guest::greet(stream, names), self.epoch);
        self.log_waiting(current);
    }

    /// Logs, before the first game of a match, which player has not come yet.
    fn log_waiting(&mut self, current: &Match) {
        if current.began.is_some() {
            return;
        }
        if let Some(missing) = self.queues.iter_mut().position(|queue| queue.len() == 0) {
            let number = current.number;
            let port = self.doors[missing].address().map_or(0, |at| at.port());
            log::info!(target: CLIENTS, "match {number} waits for player {missing}, who connects to port {port}");
        }
    }

    /// Logs after the first game of a match that clients must come again for the others: one that plays a single game is gone.
    fn log_more(&self, current: &Match) {
        let (number, games) = (current.number, self.settings.games);
        if games > 1 {
            log::info!(
                target: CLIENTS,
                "match {number}: 1 of {games} games is over; the clients connect again for each of the others"
            );
        }
    }

    /// Starts games while there are a free table, a game to play and a guest at each port.
    async fn start_games(&mut self, current: &mut Match) {
        while !self.stop.is_cancelled()
            && current.running.len() < self.settings.tables.max(1)
            && (!current.again.is_empty() || current.next <= self.settings.games)
            && self.queues[0].len() > 0
            && self.queues[1].len() > 0
        {
            let Some(first) = self.queues[0].pop().await else {
                return;
            };
            let Some(second) = self.queues[1].pop().await else {
                self.queues[0].push_front(first, self.epoch);
                return;
            };
            self.start(current, [first, second]);
        }
    }

    fn start(&self, current: &mut Match, guests: [Guest; SEATS]) {
        let began = *current.began.get_or_insert_with(|| {
            current.public = self.watching.table(current.files.header());
            Instant::now()
        });
        let number = current.again.pop().unwrap_or_else(|| {
            current.next += 1;
            current.next - 1
        });
        let settings = GameSettings::new(&self.settings, number, began - self.epoch);
        let game = play_game(
            settings,
            guests,
            self.epoch,
            &self.closing,
            &self.stop,
            &current.public,
        );
        let time = Zoned::now();
        (current.running).spawn(async move { (number, time, guarded(game).await) });
    }

    async fn report(&self, current: Match, reason: Option<&str>) {
        // A match without a game is none, and nobody has interrupted it.
        let Some(began) = current.began else {
            return;
        };
        let time = began.elapsed();
        let (ms, games) = (time.as_millis() as u64, current.tally.games);
        log::info!(
            target: CLIENTS,
            "match {} is over: {} in {time:.1?}",
            current.number,
            count_of_games(games)
        );
        let files = current.files;
        let mut public = current.public;
        let result = files.result(&current.tally, ms, reason);
        public.event(&result);
        let lost = files.close(&current.names, &result).await;
        // Nobody listens any more when the server is being torn down.
        let _ = self.reports.send(GatReport {
            number: current.number,
            names: current.names,
            tally: current.tally,
            time,
            reason: reason.map(str::to_owned),
            lost,
        });
    }
}

/// Plays one game; `guests` go by player, and `epoch` is the zero of the clock.
pub(crate) fn play_game(
    settings: GameSettings,
    guests: [Guest; SEATS],
    epoch: Instant,
    closing: &TaskTracker,
    stop: &CancellationToken,
    public: &Publisher,
) -> impl Future<Output = Played> + Send + use<> {
    let [first, second] = guests;
    let table = Table {
        referee: GatReferee::new(settings, [first.entrant, second.entrant]),
        connections: [Some(first.link), Some(second.link)].into(),
        returns: None,
        epoch,
        names: Vec::new(),
        closing: closing.clone(),
        finish: CancellationToken::new(),
        stop: stop.clone(),
        public: public.clone(),
    };
    async move {
        let mut events = Vec::new();
        let mut audience = |_: &GatReferee, event: &Event| events.push(event.clone());
        let referee = table.play(&mut audience).await;
        (referee, events)
    }
}

impl Match {
    /// Takes in a game that is over. One whose table has failed is our fault: it is played again.
    fn finish(&mut self, done: Result<Over, JoinError>) {
        // A game that panics is guarded, and none is aborted.
        let (game, time, played) = done.expect("a game that ends by itself");
        let Some((referee, events)) = played else {
            self.again.push(game);
            return;
        };
        let result = referee.result().expect("a game that is over");
        for event in &events {
            if let What::Forfeit { player, reason, .. } = &event.what {
                log::warn!(target: CLIENTS, "match {} game {game}: player {player} has lost: {reason}", self.number);
            }
        }
        let is_fault = |kind| {
            matches!(
                kind,
                EndKind::Illegal | EndKind::ProtocolError | EndKind::Disconnect
            )
        };
        if result.seating != Seating::identity(SEATS) && result.kinds.into_iter().any(is_fault) {
            log::warn!(target: CLIENTS, "a client that takes its port for its seat needs a server without --swap");
        }
        for (seat, player) in result.seating.players().pairs() {
            if let Some(name) = referee.name(seat) {
                name.clone_into(&mut self.names[player.index()]);
            }
        }
        self.files.game(&self.names, &time, result, &events);
        self.tally.add(result);
        if result.is_void() {
            self.again.push(game);
        } else {
            let is_late = |kind| matches!(kind, EndKind::Timeout | EndKind::Stall);
            self.late.game(result.kinds.map(is_late));
        }
        log::debug!("match {} game {game}: {result:?}", self.number);
    }
}
