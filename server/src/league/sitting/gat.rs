//! Geister: a connection and a game for each fixture, for which the players come again.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use games::geister::{Rules, SEATS};
use protocol::gat::Names;
use tokio::time::{Instant, sleep_until};

use super::collector::Collector;
use super::door::SeatDoor;
use super::entrance::Missing;
use super::{Done, Ended, Fixture, Settings, Sitting, Wishes};
use crate::config::USUAL_WAIT;
use crate::league::journal::Played;
use crate::league::settings::Start;
use crate::lobby::gat::play_game;
use crate::lobby::gat::queue::Guest;
use crate::referee::Lateness;
use crate::referee::gat::{GameResult, GameSettings};
use crate::table::files::MatchRecord;
use crate::table::socket::Socket;
use crate::watch::Publisher;
use record::{EndKind, Event, GeisterRules, What};

/// Plays the sitting with the players that come to these doors.
pub(super) async fn play(
    sitting: &Sitting,
    doors: Vec<Arc<SeatDoor>>,
    rules: GeisterRules,
    wishes: &Wishes,
    on_done: &mut (dyn FnMut(Done) + Send),
) -> Ended {
    let games = sitting.plan.fixtures.len() as u32;
    let header = sitting
        .header("gat", vec![None; SEATS], games)
        .with_rules(&rules);
    let record = match sitting.record(&header, wishes).await {
        Ok(record) => record,
        Err(ended) => return ended,
    };
    let mut public = sitting.watching.table(&header);
    let mut gate = Gate {
        sitting,
        doors: doors
            .try_into()
            .expect("a sitting has a door for each seat"),
        guests: Default::default(),
        epoch: Instant::now(),
    };
    let mut books = Books {
        record,
        collector: sitting.collector(),
        on_done,
        games: 0,
        points: [0.0; SEATS],
        kinds: [EndKind::Normal; SEATS],
        late: Lateness::new(sitting.settings.timeouts, SEATS),
    };
    let mut began = None;
    let mut ended = Ended::Whole;
    for number in 0..sitting.plan.fixtures.len() {
        let guests = match gate.both(wishes).await {
            Ok(guests) => guests,
            Err(Missing::Late(_) | Missing::Departed(_)) if number > 0 => {
                ended = Ended::Gone;
                break;
            }
            Err(missing) => {
                ended = sitting.not_full(&missing, wishes);
                break;
            }
        };
        let began = *began.get_or_insert_with(|| gate.epoch.elapsed());
        let settings = settings(sitting, rules, number, began);
        let (result, events) = gate.play_game(settings, guests, wishes, &public).await;
        books.game(result.as_ref(), &events);
        let end = ends(result.as_ref(), wishes);
        if matches!(end, Some(Ended::Void(_))) && is_lost_by_both(sitting, result.as_ref(), wishes)
        {
            books.lose(&sitting.settings, &sitting.plan.fixtures[number]);
            ended = Ended::Gone;
            break;
        }
        if let Some(end) = end {
            ended = end;
            break;
        }
        if books.late.due().next().is_some() {
            // The runner knows who it is.
            ended = Ended::Gone;
            break;
        }
    }
    let began = began.unwrap_or_default();
    let ms = gate.epoch.elapsed().saturating_sub(began).as_millis() as u64;
    public.event(&books.close(&ended, ms));
    for guest in gate.guests.into_iter().flatten() {
        sitting.closing.spawn(guest.close());
    }
    ended
}

fn settings(
    sitting: &Sitting,
    rules: GeisterRules,
    number: usize,
    began: Duration,
) -> GameSettings {
    GameSettings {
        game: number as u32 + 1,
        began,
        seating: sitting.seating(number),
        rules: Rules {
            ply_limit: rules.ply_limit,
        },
        clocks: sitting.clocks(),
        set_up: sitting.start_limits().into_iter().max(),
        wait: waits(sitting),
        ng_terminates: true,
        closes_second: false,
    }
}

/// The pause of each player: the programs of this project take what they are sent line by line.
fn waits(sitting: &Sitting) -> [Duration; SEATS] {
    std::array::from_fn(|player| {
        let entrant = sitting.entrant(player);
        let wait = sitting.settings.clocks_of(entrant).wait_ms;
        match entrant.start {
            Start::House { .. } => Duration::ZERO,
            _ => Duration::from_millis(wait.unwrap_or(USUAL_WAIT)),
        }
    })
}

fn ends(result: Option<&GameResult>, wishes: &Wishes) -> Option<Ended> {
    let is_gone =
        |kind: &EndKind| matches!(kind, EndKind::Disconnect | EndKind::Crash | EndKind::Stall);
    match result {
        None => Some(Ended::Void("the game broke off".to_owned())),
        Some(result) if result.is_void() && wishes.stop.is_cancelled() => Some(Ended::stopped()),
        Some(result) if result.is_void() => {
            let reason = "both players were gone or silent before the first move";
            Some(Ended::Void(reason.to_owned()))
        }
        Some(result) if result.kinds.iter().any(is_gone) => Some(Ended::Gone),
        Some(_) => None,
    }
}

/// Whether both players lose a game that neither has begun: an entrant that comes itself is no program of the league's,
/// which could be put right.
fn is_lost_by_both(sitting: &Sitting, result: Option<&GameResult>, wishes: &Wishes) -> bool {
    let is_void = result.is_some_and(GameResult::is_void);
    is_void && sitting.has_visitors() && !wishes.stop.is_cancelled()
}

/// The ports, and the players that wait there. A player waits only while the next game is not begun.
struct Gate<'a> {
    sitting: &'a Sitting,
    doors: [Arc<SeatDoor>; SEATS],
    guests: [Option<Guest>; SEATS],
    epoch: Instant,
}

impl Gate<'_> {
    /// Waits until both players are there for the next game.
    async fn both(&mut self, wishes: &Wishes) -> Result<[Guest; SEATS], Missing> {
        let began = Instant::now();
        let limits = self.sitting.start_limits();
        loop {
            // What has come by now counts.
            let _ = poll_left(&mut self.guests, &mut Context::from_waker(Waker::noop()));
            let absent: Vec<usize> = (0..SEATS)
                .filter(|&player| self.guests[player].is_none())
                .collect();
            let Some(&late) = absent.iter().min_by_key(|&&player| limits[player]) else {
                self.doors.iter().for_each(|door| door.note_sat());
                return Ok(self
                    .guests
                    .each_mut()
                    .map(|guest| guest.take().expect("a player that is not absent")));
            };
            let at = began.checked_add(limits[late]).unwrap_or(began);
            let departed = wishes.departures.of(&absent);
            let [first, second] = &self.doors;
            let guests = &mut self.guests;
            let (player, stream) = tokio::select! {
                biased;
                () = wishes.stop.cancelled() => return Err(Missing::Stop),
                () = wishes.finish.cancelled() => return Err(Missing::Finish),
                () = poll_fn(|cx| poll_left(guests, cx)) => continue,
                (stream, _) = comes(first, absent.contains(&0)) => (0, stream),
                (stream, _) = comes(second, absent.contains(&1)) => (1, stream),
                () = sleep_until(at) => return Err(Missing::Late(late)),
                player = departed => return Err(Missing::Departed(player)),
            };
            self.admit(player, stream, wishes);
        }
    }

    fn admit(&mut self, player: usize, stream: Socket, wishes: &Wishes) {
        if self.guests[player].is_some() {
            log::warn!("turned away, player {player} is there");
            self.doors[player].turn_away(stream, &self.sitting.closing);
        } else {
            let stream = stream.with_ending(wishes.departures.ending(player));
            let mut guest = Guest::greet(stream, Names::Refused, self.epoch);
            if self.doors[player].is_of_nobody() {
                guest.entrant = guest.entrant.missing();
            }
            self.guests[player] = Some(guest);
        }
    }

    async fn play_game(
        &self,
        settings: GameSettings,
        guests: [Guest; SEATS],
        wishes: &Wishes,
        public: &Publisher,
    ) -> (Option<GameResult>, Vec<Event>) {
        let closing = &self.sitting.closing;
        let game = play_game(settings, guests, self.epoch, closing, &wishes.stop, public);
        let turn_away = async |player: usize| -> std::convert::Infallible {
            loop {
                let (stream, from) = self.doors[player].superfluous().await;
                log::warn!("{from}: turned away, player {player} is playing");
                self.doors[player].turn_away(stream, closing);
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

/// The next connection at the door of a player that is absent or not.
async fn comes(door: &SeatDoor, is_absent: bool) -> (Socket, SocketAddr) {
    if is_absent {
        door.accept().await
    } else {
        door.superfluous().await
    }
}

/// Answers those that wait. Ready when one of them has left.
fn poll_left(guests: &mut [Option<Guest>; SEATS], cx: &mut Context<'_>) -> Poll<()> {
    let mut polled = Poll::Pending;
    for waiting in guests {
        if let Some(guest) = waiting
            && guest.poll_left(cx).is_ready()
        {
            *waiting = None;
            polled = Poll::Ready(());
        }
    }
    polled
}

struct Books<'a> {
    record: MatchRecord,
    collector: Collector,
    on_done: &'a mut (dyn FnMut(Done) + Send),
    games: u32,
    points: [f64; SEATS],
    kinds: [EndKind; SEATS],
    /// Games in a row that were lost on time.
    late: Lateness,
}

impl Books<'_> {
    fn game(&mut self, result: Option<&GameResult>, events: &[Event]) {
        for event in events {
            self.record.event(event);
            if let What::End { places, points, .. } = &event.what
                && !places.is_empty()
            {
                self.games += 1;
                for (sum, points) in self.points.iter_mut().zip(points) {
                    *sum += points;
                }
            }
            if let Some(done) = self.collector.event(event) {
                (self.on_done)(done);
            }
        }
        if let Some(result) = result.filter(|result| !result.is_void()) {
            let is_late = |kind| kind == EndKind::Timeout;
            self.late.game(result.kinds.map(is_late));
            for (first, kind) in self.kinds.iter_mut().zip(result.kinds) {
                if *first == EndKind::Normal {
                    *first = kind;
                }
            }
        }
    }

    fn lose(&mut self, settings: &Settings, fixture: &Fixture) {
        let games = Played::lost_by_all(settings, fixture).games;
        let done = self.collector.give_up(games);
        (self.on_done)(done);
    }

    /// Writes the last line of the record; gives it.
    fn close(&mut self, ended: &Ended, ms: u64) -> Event {
        let what = What::Result {
            games: self.games,
            points: self.points.to_vec(),
            kinds: self.kinds.to_vec(),
            seed: None,
            key: None,
            reason: match ended {
                Ended::Whole => None,
                Ended::Gone | Ended::Absent => Some("a player is gone".to_owned()),
                Ended::Void(reason) => Some(reason.clone()),
            },
        };
        let result = what.at(ms);
        self.record.event(&result);
        result
    }
}
