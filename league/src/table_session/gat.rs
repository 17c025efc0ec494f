//! Geister: a connection and a game for each fixture, for which the players come again.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use games::geister::{Rules, SEATS};
use protocol::gat::Names;
use tokio::time::{Instant, sleep_until};

use super::admission::SeatFailure;
use super::collector::FixtureCollector;
use super::seat_port::SeatPort;
use super::{Fixture, FixtureResult, SessionEnd, SessionOptions, Settings, TableSession};
use crate::journal::Played;
use crate::settings::Start;
use record::{EndKind, Event};
use server::config::USUAL_WAIT;
use server::lobby::gat::queue::GatClient;
use server::lobby::gat::{GameCounts, play_game};
use server::referee::TimeoutPolicy;
use server::referee::gat::{GameSettings, GeisterResult};
use server::table::Journal;
use server::table::files::MatchRecord;
use server::table::socket::Socket;
use server::watch::Publisher;

/// Plays the session with the players that come to these ports.
pub(super) async fn play(
    session: &TableSession,
    ports: Vec<Arc<SeatPort>>,
    rules: Rules,
    options: &SessionOptions,
    on_done: &mut (dyn FnMut(FixtureResult) + Send),
) -> SessionEnd {
    let header = session.header(vec![None; SEATS]);
    let record = match session.record(&header, options).await {
        Ok(record) => record,
        Err(ended) => return ended,
    };
    let mut public = session.public(&header);
    let mut players = PlayerPorts {
        session,
        ports: ports
            .try_into()
            .expect("a session has a port for each seat"),
        clients: Default::default(),
        epoch: Instant::now(),
    };
    let mut books = Books {
        record,
        collector: session.collector(),
        on_done,
        counts: GameCounts::default(),
        late: TimeoutPolicy::new(session.settings.run.timeouts, SEATS),
    };
    let mut began = None;
    let mut ended = SessionEnd::Whole;
    for number in 0..session.plan.fixtures.len() {
        let clients = match players.both(options).await {
            Ok(clients) => clients,
            Err(SeatFailure::Late(_) | SeatFailure::Departed(_)) if number > 0 => {
                ended = SessionEnd::Gone;
                break;
            }
            Err(missing) => {
                ended = session.not_full(&missing, options);
                break;
            }
        };
        let began = *began.get_or_insert_with(|| players.epoch.elapsed());
        let settings = settings(session, rules, number, began);
        let (result, events) = players.play_game(settings, clients, options, &public).await;
        books.game(result.as_ref(), &events);
        let end = ends(result.as_ref(), options);
        if matches!(end, Some(SessionEnd::Void(_)))
            && is_lost_by_both(session, result.as_ref(), options)
        {
            books.lose(&session.settings, &session.plan.fixtures[number]);
            ended = SessionEnd::Gone;
            break;
        }
        if let Some(end) = end {
            ended = end;
            break;
        }
        if books.late.due().next().is_some() {
            // The runner knows who it is.
            ended = SessionEnd::Gone;
            break;
        }
    }
    let began = began.unwrap_or_default();
    let ms = players.epoch.elapsed().saturating_sub(began).as_millis() as u64;
    public.event(&books.close(&ended, ms));
    for client in players.clients.into_iter().flatten() {
        session.closing.spawn(client.close());
    }
    ended
}

fn settings(session: &TableSession, rules: Rules, number: usize, began: Duration) -> GameSettings {
    GameSettings {
        game: number as u32 + 1,
        began,
        seating: session.seating(number),
        rules: Rules {
            ply_limit: rules.ply_limit,
        },
        clocks: session.clocks(),
        set_up: session.start_limits().into_iter().max(),
        wait: waits(session),
        ng_terminates: true,
        closes_second: false,
    }
}

/// The pause of each player: the programs of this project take what they are sent line by line.
fn waits(session: &TableSession) -> [Duration; SEATS] {
    std::array::from_fn(|player| {
        let entrant = session.entrant(player);
        let wait = session.settings.clocks_of(entrant).wait_ms;
        match entrant.start {
            Start::House { .. } => Duration::ZERO,
            _ => Duration::from_millis(wait.unwrap_or(USUAL_WAIT)),
        }
    })
}

fn ends(result: Option<&GeisterResult>, options: &SessionOptions) -> Option<SessionEnd> {
    let is_gone =
        |kind: &EndKind| matches!(kind, EndKind::Disconnect | EndKind::Crash | EndKind::Stall);
    match result {
        None => Some(SessionEnd::Void("the game broke off".to_owned())),
        Some(result) if result.is_void() && options.stop.is_cancelled() => {
            Some(SessionEnd::stopped())
        }
        Some(result) if result.is_void() => {
            let reason = "both players were gone or silent before the first move";
            Some(SessionEnd::Void(reason.to_owned()))
        }
        Some(result) if result.kinds.iter().any(is_gone) => Some(SessionEnd::Gone),
        Some(_) => None,
    }
}

/// Whether both players lose a game that neither has begun: an entrant that comes itself is no program of the league's,
/// which could be put right.
fn is_lost_by_both(
    session: &TableSession,
    result: Option<&GeisterResult>,
    options: &SessionOptions,
) -> bool {
    let is_void = result.is_some_and(GeisterResult::is_void);
    is_void && session.has_remote() && !options.stop.is_cancelled()
}

/// The ports, and the players that wait there. A player waits only while the next game is not begun.
struct PlayerPorts<'a> {
    session: &'a TableSession,
    ports: [Arc<SeatPort>; SEATS],
    clients: [Option<GatClient>; SEATS],
    epoch: Instant,
}

impl PlayerPorts<'_> {
    /// Waits until both players are there for the next game.
    async fn both(&mut self, options: &SessionOptions) -> Result<[GatClient; SEATS], SeatFailure> {
        let began = Instant::now();
        let limits = self.session.start_limits();
        loop {
            // What has come by now counts.
            let _ = poll_left(&mut self.clients, &mut Context::from_waker(Waker::noop()));
            let absent: Vec<usize> = (0..SEATS)
                .filter(|&player| self.clients[player].is_none())
                .collect();
            let Some(&late) = absent.iter().min_by_key(|&&player| limits[player]) else {
                self.ports.iter().for_each(|port| port.note_sat());
                return Ok(self
                    .clients
                    .each_mut()
                    .map(|client| client.take().expect("a player that is not absent")));
            };
            let at = began.checked_add(limits[late]).unwrap_or(began);
            let departed = options.departures.of(&absent);
            let [first, second] = &self.ports;
            let clients = &mut self.clients;
            let (player, stream) = tokio::select! {
                biased;
                () = options.stop.cancelled() => return Err(SeatFailure::Stop),
                () = options.finish.cancelled() => return Err(SeatFailure::Finish),
                () = poll_fn(|cx| poll_left(clients, cx)) => continue,
                (stream, _) = comes(first, absent.contains(&0)) => (0, stream),
                (stream, _) = comes(second, absent.contains(&1)) => (1, stream),
                () = sleep_until(at) => return Err(SeatFailure::Late(late)),
                player = departed => return Err(SeatFailure::Departed(player)),
            };
            self.admit(player, stream, options);
        }
    }

    fn admit(&mut self, player: usize, stream: Socket, options: &SessionOptions) {
        if self.clients[player].is_some() {
            log::warn!("turned away, player {player} is there");
            self.ports[player].turn_away(stream, &self.session.closing);
        } else {
            let stream = stream.with_ending(options.departures.ending(player));
            let mut client = GatClient::greet(stream, Names::Refused, self.epoch);
            client.entrant.is_there = !self.ports[player].is_absent();
            self.clients[player] = Some(client);
        }
    }

    async fn play_game(
        &self,
        settings: GameSettings,
        clients: [GatClient; SEATS],
        options: &SessionOptions,
        public: &Publisher,
    ) -> (Option<GeisterResult>, Vec<Event>) {
        let closing = &self.session.closing;
        let game = play_game(
            settings,
            clients,
            self.epoch,
            closing,
            &options.stop,
            public,
            Journal::default(),
        );
        let turn_away = async |player: usize| -> std::convert::Infallible {
            loop {
                let (stream, from) = self.ports[player].superfluous().await;
                log::warn!("{from}: turned away, player {player} is playing");
                self.ports[player].turn_away(stream, closing);
            }
        };
        // The game comes first: a player that comes again after its end comes for the next.
        let (referee, events) = tokio::select! {
            biased;
            played = game => played,
            never = turn_away(0) => match never {},
            never = turn_away(1) => match never {},
        };
        (referee.result().cloned(), events)
    }
}

/// The next connection at the port of a player that is absent or not.
async fn comes(port: &SeatPort, is_absent: bool) -> (Socket, SocketAddr) {
    if is_absent {
        port.accept().await
    } else {
        port.superfluous().await
    }
}

/// Answers those that wait. Ready when one of them has left.
fn poll_left(clients: &mut [Option<GatClient>; SEATS], cx: &mut Context<'_>) -> Poll<()> {
    let mut polled = Poll::Pending;
    for waiting in clients {
        if let Some(client) = waiting
            && client.poll_left(cx).is_ready()
        {
            *waiting = None;
            polled = Poll::Ready(());
        }
    }
    polled
}

struct Books<'a> {
    record: MatchRecord,
    collector: FixtureCollector,
    on_done: &'a mut (dyn FnMut(FixtureResult) + Send),
    counts: GameCounts,
    /// Games in a row that were lost on time.
    late: TimeoutPolicy,
}

impl Books<'_> {
    fn game(&mut self, result: Option<&GeisterResult>, events: &[Event]) {
        for event in events {
            self.record.event(event);
            if let Some(done) = self.collector.event(event) {
                (self.on_done)(done);
            }
        }
        if let Some(result) = result {
            self.counts.add(result);
            if !result.is_void() {
                let is_late = |kind| kind == EndKind::Timeout;
                self.late.game(result.kinds.map(is_late));
            }
        }
    }

    fn lose(&mut self, settings: &Settings, fixture: &Fixture) {
        let games = Played::lost_by_all(settings, fixture).games;
        let done = self.collector.give_up(games);
        (self.on_done)(done);
    }

    /// Writes the last line of the record; gives it.
    fn close(&mut self, ended: &SessionEnd, ms: u64) -> Event {
        let reason = match ended {
            SessionEnd::Whole => None,
            SessionEnd::Gone | SessionEnd::Absent => Some("a player is gone".to_owned()),
            SessionEnd::Void(reason) => Some(reason.clone()),
        };
        let result = self.counts.result(ms, reason);
        self.record.event(&result);
        result
    }
}
