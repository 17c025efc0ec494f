//! Seats of Geister: two ports that are always listened on, a queue at each, and as many tables as games may be played at
//! the same time.
//!
//! The port says which player a client is, in all games of a match; who moves first is the
//! server's to swap. A client has one game for each connection and comes back for the next.

mod counts;
mod files;
pub mod queue;

use std::convert::Infallible;
use std::task::{Context, Poll};
use std::time::Duration;

use games::geister::SEATS;
use games::{Seating, count_of_games};
use jiff::Zoned;
use protocol::gat::Names;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Arrival, CLIENTS, LobbyOptions, SeatPolicy, Services};
use crate::config::Gat;
use crate::referee::TimeoutPolicy;
use crate::referee::gat::{GameSettings, GatReferee};
use crate::table::files::Lost;
use crate::table::{Journal, Table, guarded};
use crate::watch::Publisher;
pub use counts::GameCounts;
use files::GatFiles;
use queue::{GatClient, Queue};
use record::{EndKind, Event, What};

#[derive(Clone, Debug)]
pub struct GatReport {
    /// Number of the match on this server, from 1.
    pub number: u64,
    /// Names by player: the last that the client gave itself, else the server's.
    pub names: [String; SEATS],
    pub counts: GameCounts,
    /// From the first game's start to the last one's end.
    pub time: Duration,
    /// Why it ended before its last game.
    pub reason: Option<String>,
    pub lost: Lost,
}

/// A game that is over, and its events.
pub(crate) type PlayedGame = (GatReferee, Vec<Event>);

#[derive(Debug)]
pub struct GameOutcome {
    number: u32,
    began: Zoned,
    /// `None` when its table has failed.
    played: Option<PlayedGame>,
}

#[derive(Debug)]
pub struct GatSeats {
    settings: Gat,
    queues: [Queue; SEATS],
    current: Match,
    /// That of the match, where there is one match.
    pub(crate) journal: Journal,
}

#[derive(Debug)]
struct Match {
    number: u64,
    /// Set when the first game starts.
    began: Option<Instant>,
    public: Publisher,
    files: GatFiles,
    counts: GameCounts,
    names: [String; SEATS],
    /// Games in a row that were lost on time.
    late: TimeoutPolicy,
    /// Numbers of games that are to be played again, and of the next new one.
    void: Vec<u32>,
    next: u32,
    running: usize,
    /// Why it ends before its last game.
    reason: Option<&'static str>,
}

impl GatSeats {
    pub fn new(settings: Gat) -> GatSeats {
        GatSeats {
            current: Match::new(&settings, 1),
            settings,
            queues: Default::default(),
            journal: Journal::default(),
        }
    }

    /// Logs, before the first game of a match, which player has not come yet.
    fn log_waiting(&self, services: &Services<GatReport>) {
        if self.current.began.is_some() {
            return;
        }
        if let Some(missing) = self.queues.iter().position(Queue::is_empty) {
            let number = self.current.number;
            let port = services.address(missing).map_or(0, |at| at.port());
            log::info!(target: CLIENTS, "match {number} waits for player {missing}, who connects to port {port}");
        }
    }

    /// Logs after the first game of a match that clients must come again for the others: one that plays a single game is gone.
    fn log_more(&self) {
        let (number, games) = (self.current.number, self.settings.games);
        if games > 1 {
            log::info!(
                target: CLIENTS,
                "match {number}: 1 of {games} games is over; the clients connect again for each of the others"
            );
        }
    }
}

impl SeatPolicy for GatSeats {
    /// Clients wait for a game from the moment in which they connect.
    type Client = Infallible;
    type Outcome = GameOutcome;
    type Report = GatReport;

    fn options(&self) -> LobbyOptions<'_> {
        LobbyOptions {
            host: &self.settings.bind,
            ports: self.settings.ports.to_vec(),
            limits: &self.settings.limits,
            tables: self.settings.tables,
        }
    }

    fn is_last(&self, matches: u64) -> bool {
        self.current.number > matches
    }

    fn greet(
        &mut self,
        arrival: Arrival,
        _: &mpsc::Sender<Infallible>,
        services: &Services<GatReport>,
    ) {
        let Arrival {
            port: player,
            socket,
            from,
        } = arrival;
        let most = self.settings.queue.max(self.settings.tables);
        let queue = &mut self.queues[player];
        if queue.len() >= most
            && let Some(silent) = queue.take_silent()
        {
            log::warn!(target: CLIENTS, "a client of player {player} is let go, it says nothing and others come");
            services.closing.spawn(silent.close());
        }
        if queue.len() >= most {
            log::warn!(target: CLIENTS, "{from}: turned away, the queue of player {player} is full");
            services.turn_away(player, socket);
            return;
        }
        log::debug!("{from}: a client for player {player}");
        let names = if self.settings.client_names {
            Names::Optional
        } else {
            Names::Refused
        };
        queue.push(GatClient::greet(socket, names, services.epoch));
        self.log_waiting(services);
    }

    fn seat(&mut self, client: Infallible, _: bool, _: &Services<GatReport>) {
        match client {}
    }

    fn poll_waiting(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        for queue in &mut self.queues {
            queue.poll(cx);
        }
        Poll::Pending
    }

    fn begin(
        &mut self,
        services: &Services<GatReport>,
    ) -> Option<impl Future<Output = GameOutcome> + Send + use<> + 'static> {
        let current = &mut self.current;
        let has_game = !current.void.is_empty() || current.next <= self.settings.games;
        if current.reason.is_some() || !has_game {
            return None;
        }
        let [first, second] = &mut self.queues;
        let clients = Queue::pop_both(first, second)?;
        let began = *current.began.get_or_insert_with(|| {
            current.public = services.watching.table(&current.files.header);
            self.journal.epoch().unwrap_or_else(Instant::now)
        });
        // A match that goes on began before its server.
        let epoch = self.journal.epoch().map_or(services.epoch, |_| began);
        let number = current.void.pop().unwrap_or_else(|| {
            current.next += 1;
            current.next - 1
        });
        current.running += 1;
        let settings = GameSettings::new(&self.settings, number, began - epoch);
        let game = play_game(
            settings,
            clients,
            epoch,
            &services.closing,
            &services.stop,
            &current.public,
            self.journal.clone(),
        );
        let began = Zoned::now();
        Some(async move {
            GameOutcome {
                number,
                began,
                played: guarded(game).await,
            }
        })
    }

    fn end(&mut self, outcome: GameOutcome, services: &Services<GatReport>) {
        let current = &mut self.current;
        let is_first = current.counts.games == 0;
        if self.journal.is_kept() && services.stop.is_cancelled() {
            // The next server continues the game, which is not in the record.
            current.running -= 1;
        } else {
            current.finish(outcome);
        }
        let is_whole = current.counts.games == self.settings.games;
        if !is_whole && current.late.due().next().is_some() {
            let reason = "a player was out of time in too many games in a row";
            current.reason.get_or_insert(reason);
        }
        if is_whole || current.reason.is_some() && current.running == 0 {
            let next = Match::new(&self.settings, current.number + 1);
            std::mem::replace(current, next).report(services);
        } else if is_first && current.counts.games > 0 {
            self.log_more();
        }
    }

    fn close(mut self, services: &Services<GatReport>) {
        self.current.reason.get_or_insert("the server was stopped");
        self.current.report(services);
        for client in self.queues.into_iter().flat_map(|queue| queue.0) {
            services.closing.spawn(client.close());
        }
    }
}

/// Plays one game; `clients` go by player, and `epoch` is the zero of the clock.
pub fn play_game(
    settings: GameSettings,
    clients: [GatClient; SEATS],
    epoch: Instant,
    closing: &TaskTracker,
    stop: &CancellationToken,
    public: &Publisher,
    journal: Journal,
) -> impl Future<Output = PlayedGame> + Send + use<> {
    let [first, second] = clients;
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
        journal,
    };
    async move {
        let mut events = Vec::new();
        let mut audience = |_: &GatReferee, event: &Event| events.push(event.clone());
        let referee = table.play(&mut audience).await;
        (referee, events)
    }
}

impl Match {
    fn new(settings: &Gat, number: u64) -> Match {
        Match {
            number,
            began: None,
            public: Publisher::default(),
            files: GatFiles::create(settings, number),
            counts: GameCounts::default(),
            names: settings.names.clone(),
            late: TimeoutPolicy::new(settings.timeouts, SEATS),
            void: Vec::new(),
            next: 1,
            running: 0,
            reason: None,
        }
    }

    /// Takes in a game that is over. One whose table has failed is our fault: it is played again.
    fn finish(&mut self, outcome: GameOutcome) {
        let GameOutcome {
            number: game,
            began,
            played,
        } = outcome;
        self.running -= 1;
        let Some((referee, events)) = played else {
            self.void.push(game);
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
        self.files.game(&self.names, &began, result, &events);
        self.counts.add(result);
        if result.is_void() {
            self.void.push(game);
        } else {
            let is_late = |kind| matches!(kind, EndKind::Timeout | EndKind::Stall);
            self.late.game(result.kinds.map(is_late));
        }
        log::debug!("match {} game {game}: {result:?}", self.number);
    }

    /// Reports the match, unless none of its games has begun.
    fn report(mut self, services: &Services<GatReport>) {
        let Some(began) = self.began else {
            return;
        };
        let time = began.elapsed();
        let (games, reason) = (count_of_games(self.counts.games), self.reason);
        log::info!(target: CLIENTS, "match {} is over: {games} in {time:.1?}", self.number);
        let ms = time.as_millis() as u64;
        let result = self.counts.result(ms, reason.map(str::to_owned));
        self.public.event(&result);
        services.reporter().report(async move {
            GatReport {
                lost: self.files.close(&self.names, &result).await,
                number: self.number,
                names: self.names,
                counts: self.counts,
                time,
                reason: reason.map(str::to_owned),
            }
        });
    }
}
