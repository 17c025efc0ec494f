//! One match of the bot, and all that was seen.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use games::GameName;
use record::{EndKind, Event, Record, What};
use tokio::time::{Instant, sleep_until, timeout};

use super::plan::CheckPlan;
use super::proxy::{Proxy, Shape};
use crate::process::{Launch, LaunchFailure, Process};
use crate::settings::Settings;
use crate::table_session::{
    Departures, FixtureResult, SessionEnd, SessionOptions, SessionPlan, TableSession,
};

/// What the proxy itself may cost a move.
const PROXY: Duration = Duration::from_secs(1);
/// Time for a game besides the bot's own.
const GAME: Duration = Duration::from_secs(20);
/// Slowest moves in a row for which a game is waited.
const SLOW_MOVES: u32 = 30;

pub(super) struct Trial<'a> {
    plan: &'a CheckPlan,
    games: u32,
    shape: Shape,
    /// Bytes after which the first opponent is lost.
    cut: Option<u64>,
    /// Whether the server of GAT makes its usual pause between messages.
    is_paused: bool,
}

/// A game as the bot has played it.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    /// Its seat, by the order of turns.
    pub(super) seat: usize,
    /// Its first fault, and what the referee says of it.
    pub(super) kind: EndKind,
    pub(super) reason: Option<String>,
    /// Melds and gifts that were refused and cost no more than a pass, with what the referee says of the first.
    pub(super) refused: u32,
    pub(super) refusal: Option<String>,
    pub(super) moves: u32,
    /// Milliseconds of all of them.
    pub(super) used: u64,
    /// Milliseconds of the slowest.
    pub(super) slowest: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Before the match was over.
    Early(ExitStatus),
    /// So long after the match.
    After(ExitStatus, Duration),
    /// It had not by the end of its time.
    Lingers,
}

#[derive(Debug)]
pub(super) struct Observed {
    /// Why it could not be started.
    pub(super) launch: Option<String>,
    /// From its start to its first connection.
    pub(super) connected: Option<Duration>,
    pub(super) connections: u32,
    pub(super) greeted: u32,
    /// Bytes that it has sent, and the first of them.
    pub(super) sent: u64,
    pub(super) beginning: Vec<u8>,
    pub(super) starts: u32,
    pub(super) ended: SessionEnd,
    /// Whether it was stopped because it took too long.
    pub(super) overran: bool,
    /// Whether the opponent that was to vanish has.
    pub(super) has_vanished: bool,
    pub(super) games: Vec<Own>,
    /// What it calls itself, and its protocol or program.
    pub(super) name: Option<String>,
    /// The fault in the game that has no end, and what the referee says of it.
    pub(super) fault: Option<(EndKind, String)>,
    pub(super) exit: Exit,
    pub(super) stderr: String,
    pub(super) last_words: String,
}

impl<'a> Trial<'a> {
    pub(super) const fn new(plan: &'a CheckPlan, games: u32, shape: Shape) -> Trial<'a> {
        Trial {
            plan,
            games,
            shape,
            cut: None,
            // With the usual pause no two messages arrive together.
            is_paused: !matches!(shape, Shape::Glued),
        }
    }

    pub(super) const fn paused(self, is_paused: bool) -> Trial<'a> {
        Trial { is_paused, ..self }
    }

    /// A match in which an opponent vanishes in the middle of the first game.
    pub(super) fn vanishing(plan: &'a CheckPlan) -> Trial<'a> {
        // Behind the greeting and some moves of the shortest game.
        let (games, bytes) = match plan.game() {
            GameName::Daihinmin => (2, 480 * 4),
            GameName::Geister => (1, 60),
            GameName::Blokus | GameName::ScoreFour => (1, 320),
            GameName::Dobutsu => (1, 160),
        };
        Trial {
            games,
            cut: Some(bytes),
            ..Trial::new(plan, games, Shape::Plain)
        }
    }

    fn is_whole(&self, done: &Mutex<Vec<FixtureResult>>) -> bool {
        let done = done.lock().unwrap_or_else(PoisonError::into_inner);
        let games: usize = done.iter().map(|done| done.games.len()).sum();
        games >= self.games as usize
    }

    /// Plays it.
    ///
    /// # Errors
    /// When the check itself cannot go on.
    pub(super) async fn run(&self) -> io::Result<Observed> {
        // A table is much to carry about.
        Box::pin(self.play()).await
    }

    async fn play(&self) -> io::Result<Observed> {
        let plan = self.plan;
        let more = if self.shape == Shape::Plain {
            Duration::ZERO
        } else {
            PROXY
        };
        let (mut settings, fixtures) = plan.league(self.games, more);
        if !self.is_paused && plan.game() == GameName::Geister {
            settings.clocks.wait_ms = Some(0);
        }
        let seats: Vec<Vec<usize>> = fixtures.iter().map(|f| f.seats.clone()).collect();
        let folder = tempfile::Builder::new()
            .prefix("taikyoku-check-")
            .tempdir()?;
        let record = folder.path().join("record.jsonl");
        let session = SessionPlan {
            fixtures,
            players: (0..settings.seats()).collect(),
            record: Some(record.clone()),
            seeds: Vec::new(),
        };
        let port = session.port_of_seat(&settings, 0);
        let session = TableSession::open(&settings, session).await?;
        let addresses = session.addresses().to_vec();
        let mut proxy = Proxy::open(addresses[0], self.shape, None).await?;
        let vanishing = Proxy::open(addresses[1], Shape::Plain, self.cut).await?;
        let others: Vec<SocketAddr> = [vanishing.address]
            .into_iter()
            .chain(addresses[2..].iter().copied())
            .collect();
        let _opponents = self.opponents(&settings, &others)?;
        let mut address = proxy.address;
        address.set_port(port.unwrap_or(address.port()));
        let launch = Launch::of(&settings, 0, address, self.games, plan.seed);
        let began = Instant::now();
        let started = launch.and_then(|launch| launch.start().map(|process| (launch, process)));
        let (launch, mut process) = match started {
            Ok(started) => started,
            Err(failure) => return Ok(Observed::never_started(&failure)),
        };
        process
            .take_port()
            .into_iter()
            .for_each(|port| proxy.enter(port));
        let done = Mutex::new(Vec::new());
        let mut on_done = |one: FixtureResult| {
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(one);
        };
        let options = SessionOptions {
            departures: Departures::of_programs([0]),
            ..SessionOptions::default()
        };
        let per_game = GAME + SLOW_MOVES * (plan.move_limit() + more);
        let deadline = began + plan.start_limit() + self.games * per_game;
        let (mut status, mut overran, mut starts) = (None, false, 1);
        let ended = {
            let mut playing = pin!(session.play(&options, &mut on_done));
            loop {
                tokio::select! {
                    biased;
                    ended = &mut playing => break ended,
                    exited = process.gone(), if status.is_none() => {
                        // In GAT a program may play one game and be started again for the next.
                        let may_come_again = plan.game() == GameName::Geister
                            && exited.success()
                            && starts < self.games
                            && !self.is_whole(&done);
                        if may_come_again && let Ok(again) = launch.start() {
                            process = again;
                            process.take_port().into_iter().for_each(|port| proxy.enter(port));
                            starts += 1;
                            continue;
                        }
                        status = Some(exited);
                        options.departures.note_end(0, exited);
                        if proxy.seen().connections == 0 {
                            options.stop.cancel();
                        }
                    }
                    () = sleep_until(deadline), if !overran => {
                        overran = true;
                        options.stop.cancel();
                    }
                }
            }
        };
        let over = Instant::now();
        let exit = match status {
            Some(status) if self.is_whole(&done) => Exit::After(status, Duration::ZERO),
            Some(status) => Exit::Early(status),
            None => match timeout(plan.leave, process.gone()).await {
                Ok(status) => Exit::After(status, over.elapsed()),
                Err(_) => Exit::Lingers,
            },
        };
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let told = Record::open(&record).ok();
        let seen = proxy.seen();
        let faults = told.as_ref().map(Faults::of).unwrap_or_default();
        let mut games: Vec<Own> = done.iter().flat_map(|done| own(done, &seats)).collect();
        for (number, game) in games.iter_mut().enumerate() {
            // Refused melds are no faults, but one whose numbers mean nothing is no client of the protocol.
            if game.refused > 0 && faults.has(number, EndKind::ProtocolError) {
                game.kind = EndKind::ProtocolError;
            }
            game.reason = faults.reason(number, game.kind);
            game.refusal = faults.reason(number, EndKind::Illegal);
        }
        Ok(Observed {
            launch: None,
            connected: seen.first.map(|first| first.duration_since(began)),
            connections: seen.connections,
            greeted: seen.greeted,
            sent: seen.sent,
            beginning: seen.beginning,
            starts,
            ended,
            overran,
            has_vanished: self.cut.is_some_and(|cut| vanishing.seen().sent >= cut),
            fault: faults.unfinished(games.len()),
            games,
            name: told.as_ref().and_then(name),
            exit,
            stderr: process.stderr(),
            last_words: process.stderr_tail(),
        })
    }

    fn opponents(&self, settings: &Settings, addresses: &[SocketAddr]) -> io::Result<Vec<Process>> {
        let start = |(player, address): (usize, &SocketAddr)| {
            let seed = self.plan.seed.wrapping_add(player as u64);
            Launch::of(settings, player, *address, self.games, seed)
                .and_then(|launch| launch.start())
                .map_err(io::Error::other)
        };
        (1..).zip(addresses).map(start).collect()
    }
}

impl Observed {
    fn never_started(failure: &LaunchFailure) -> Observed {
        let reason = if failure.hint.is_empty() {
            failure.to_string()
        } else {
            // The hint explains paths in a league's file, which `check` does not have.
            failure.reason.clone()
        };
        Observed {
            launch: Some(reason),
            connected: None,
            connections: 0,
            greeted: 0,
            sent: 0,
            beginning: Vec::new(),
            starts: 0,
            ended: SessionEnd::Whole,
            overran: false,
            has_vanished: false,
            games: Vec::new(),
            name: None,
            fault: None,
            exit: Exit::Lingers,
            stderr: String::new(),
            last_words: String::new(),
        }
    }
}

/// The bot's part of the games of a fixture.
fn own(done: &FixtureResult, seats: &[Vec<usize>]) -> Vec<Own> {
    let seat = seats.get(done.number);
    let seat = seat.and_then(|seats| seats.iter().position(|&entrant| entrant == 0));
    let Some(seat) = seat else { return Vec::new() };
    let number = |list: &[u64]| list.get(seat).copied().unwrap_or_default();
    let games = done.games.iter().map(|game| Own {
        seat,
        kind: game.kind(seat),
        reason: None,
        refused: game.refused.get(seat).copied().unwrap_or_default(),
        refusal: None,
        moves: game.moves.get(seat).copied().unwrap_or_default(),
        used: number(&game.used),
        slowest: number(&game.slowest),
    });
    games.collect()
}

fn name(record: &Record) -> Option<String> {
    let player = record.header.players.first()?;
    Some(match &player.client {
        Some(version) if record.header.game == GameName::Daihinmin => {
            format!("`{}`, protocol version {version}", player.name)
        }
        Some(client) => format!("`{}`, {client}", player.name),
        None => format!("`{}`", player.name),
    })
}

/// What was refused, or ended the game for the bot, and why.
#[derive(Clone, Debug)]
struct PlayerFault {
    /// `None` of a message that was refused, which is an illegal move or no message at all.
    kind: Option<EndKind>,
    reason: String,
}

/// Faults of player 0, game by game. What comes behind the end of a game belongs to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults(Vec<Vec<PlayerFault>>);

impl Faults {
    pub(super) fn of(record: &Record) -> Faults {
        Faults::of_events(&record.events)
    }

    fn of_events(events: &[Event]) -> Faults {
        let games = events.split_inclusive(|event| matches!(event.what, What::End { .. }));
        Faults(games.map(faults).collect())
    }

    /// Whether a game from 0 has a fault of this kind.
    pub(super) fn has(&self, game: usize, kind: EndKind) -> bool {
        let mut faults = self.0.get(game).into_iter().flatten();
        faults.any(|fault| fault.kind == Some(kind))
    }

    /// The words on a fault of this kind in a game from 0: those on the first of that kind, or on a message that was
    /// refused.
    pub(super) fn reason(&self, game: usize, kind: EndKind) -> Option<String> {
        let faults = self.0.get(game)?;
        let of = |due| faults.iter().find(|fault| fault.kind == due);
        let fault = of(Some(kind)).or_else(|| match kind {
            EndKind::Illegal | EndKind::ProtocolError => of(None),
            _ => None,
        })?;
        Some(fault.reason.clone())
    }

    /// The first fault behind so many games that have ended; what was refused only if there is no other.
    pub(super) fn unfinished(&self, games: usize) -> Option<(EndKind, String)> {
        let faults = self.0.get(games)?;
        let is_end = |fault: &&PlayerFault| !matches!(fault.kind, None | Some(EndKind::Illegal));
        let fault = faults.iter().find(is_end).or(faults.first())?;
        Some((fault.kind.unwrap_or(EndKind::Illegal), fault.reason.clone()))
    }
}

fn faults(events: &[Event]) -> Vec<PlayerFault> {
    let mut faults: Vec<PlayerFault> = Vec::new();
    for event in events {
        faults.extend(fault(event));
        // In Daihinmin the pass behind a refused meld says what is wrong with it.
        if let What::Move { fault, .. } | What::Give { fault, .. } = &event.what
            && event.what.refused() == Some(0)
            && let Some(last) = faults.last_mut()
        {
            last.kind = *fault;
        }
    }
    faults
}

fn fault(event: &Event) -> Option<PlayerFault> {
    match &event.what {
        What::Forfeit {
            player: 0,
            kind,
            reason,
        } => Some(PlayerFault {
            kind: Some(*kind),
            reason: reason.clone(),
        }),
        What::Refused {
            player: 0,
            sent,
            reason,
        } => Some(PlayerFault {
            kind: None,
            reason: format!("{reason} (sent: {sent})"),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(what: What) -> Event {
        Event { ms: 0, what }
    }

    fn refused(player: u8, reason: &str) -> Event {
        let (sent, reason) = ("x".to_owned(), reason.to_owned());
        event(What::Refused {
            player,
            sent,
            reason,
        })
    }

    fn forfeit(kind: EndKind, reason: &str) -> Event {
        let reason = reason.to_owned();
        event(What::Forfeit {
            player: 0,
            kind,
            reason,
        })
    }

    fn end(game: u32) -> Event {
        event(What::End {
            game,
            places: Vec::new(),
            points: Vec::new(),
            game_points: Vec::new(),
            kinds: Vec::new(),
            rule: None,
        })
    }

    #[test]
    fn each_game_has_its_own_faults() {
        let events = [
            refused(0, "granted a retry"),
            end(1),
            refused(1, "another player"),
            forfeit(EndKind::Timeout, "too late"),
            forfeit(EndKind::Disconnect, "gone"),
            end(2),
            refused(0, "nonsense"),
            end(3),
            forfeit(EndKind::Stall, "silent"),
        ];
        let faults = Faults::of_events(&events);
        let reason = |game, kind| faults.reason(game, kind);
        assert_eq!(reason(0, EndKind::Timeout), None);
        assert_eq!(reason(1, EndKind::Disconnect).unwrap(), "gone");
        assert_eq!(reason(1, EndKind::Timeout).unwrap(), "too late");
        assert_eq!(
            reason(2, EndKind::ProtocolError).unwrap(),
            "nonsense (sent: x)"
        );
        assert_eq!(reason(4, EndKind::Stall), None);
        let silent = (EndKind::Stall, "silent".to_owned());
        assert_eq!(faults.unfinished(3), Some(silent));
        assert_eq!(faults.unfinished(4), None);
    }
}
