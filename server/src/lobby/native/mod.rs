//! Seats of the native protocol: one port, tables for as many players as the game has seats.
//!
//! Clients are seated in the order in which they say hello, and a match begins when a table is full.
//! A client that comes with a token goes to the seat of that token.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use games::{ByPlayer, Game, count_of_games};
use protocol::native::{ErrorCode, Hello, RateLimit, ServerEnd, ServerMessage, name_of};
use protocol::tls::ServerConfig;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::seats::MatchSeats;
use super::{
    Arrival, CLIENTS, GameCounts, GatReport, LobbyOptions, SeatPolicy, Services, drawn_key,
};
use crate::config::Native;
use crate::config::limits::READY_WAIT;
use crate::referee::native::{GameResult, MatchSettings, NativeReferee};
use crate::referee::{Referee as _, gat};
use crate::table::files::Lost;
use crate::table::interpreter::AnimalShogi;
use crate::table::{Audience, Connection as _, FAILED, Journal, Refusal, Return, Table, guarded};
use connection::{NativeConnection, greet_other};
use files::{NativeFiles, clocks, header};
use greeting::{Purpose, greet_until, is_same, new_token};
use record::{Event, Player};
use waiting::{Waiting, welcome};

pub mod connection;
pub mod files;
pub mod greeting;
#[cfg(test)]
mod tests;
pub mod waiting;

/// The result of one match. Lists go by player.
#[derive(Clone, Debug)]
pub struct NativeReport {
    /// Number of the match on this server, from 1.
    pub number: u64,
    pub names: Vec<String>,
    /// Games, void ones included, in order.
    pub results: Vec<GameResult>,
    /// Players that have given their seats up, or stayed away too long.
    pub gone: Vec<games::Player>,
    /// Options of the rules, as records have them.
    pub rules: Value,
    /// Seed of the openings and of drawn seats, if there are any.
    pub seed: Option<u64>,
    /// From the first game's start to the last one's end.
    pub time: Duration,
    /// Why it ended before its last game.
    pub reason: Option<String>,
    pub lost: Lost,
}

impl NativeReport {
    /// The report of a match for two as that of Geister; `None` of a match for more.
    pub(crate) fn of_two(&self) -> Option<GatReport> {
        let mut counts = GameCounts::default();
        let names = self.names.clone().try_into().ok()?;
        for result in &self.results {
            counts.add(&of_two(result));
        }
        Some(GatReport {
            number: self.number,
            names,
            counts,
            time: self.time,
            reason: self.reason.clone(),
            lost: self.lost,
        })
    }
}

/// The result of a game for two as the standings of Geister take it.
fn of_two(result: &GameResult) -> gat::GeisterResult {
    let winner = match result.places.to_vec()[..] {
        [0, 1] => Some(games::Player::new(0)),
        [1, 0] => Some(games::Player::new(1)),
        _ => None,
    };
    gat::GeisterResult {
        seating: result.seating.clone(),
        winner,
        kinds: [0, 1].map(|player| result.kinds[games::Player::new(player)]),
        rule: result.rule,
        plies: result.plies as u16,
    }
}

/// A port for clients of another protocol, and what makes their interpreters.
pub(crate) type OtherPort = (u16, Box<dyn Fn() -> AnimalShogi + Send>);

/// Seats of the native protocol: by arrival, and by token for those that come back.
pub struct NativeSeats<G: Game> {
    settings: Native,
    rules: G::Rules,
    /// Seed of the first match; `None` draws one for each.
    seed: Option<u64>,
    /// `None` speaks plain text.
    pub(crate) tls: Option<Arc<ServerConfig>>,
    /// Ports at which clients of other protocols come. A match with such a client is one game, with drawn seats, from the first
    /// position, and no fault is free.
    pub(crate) others: Vec<OtherPort>,
    seats: MatchSeats<Waiting>,
    running: Vec<RunningMatch>,
    /// That of the next match.
    pub(crate) journal: Journal,
}

/// A match in play, for players that come back.
#[derive(Debug)]
struct RunningMatch {
    number: u64,
    tokens: Vec<String>,
    /// By player, how often it may come back.
    rates: Vec<RateLimit>,
    returns: mpsc::Sender<Return<NativeConnection>>,
}

#[derive(Debug)]
pub struct PlayedMatch {
    pub results: Vec<GameResult>,
    /// Why it ended before its last game.
    pub reason: Option<String>,
    /// Players that gave up their seats.
    pub gone: Vec<games::Player>,
    pub time: Duration,
}

pub async fn play<G: Game>(
    table: Table<NativeReferee<G>, NativeConnection>,
    audience: &mut Audience<'_, NativeReferee<G>>,
) -> PlayedMatch {
    let began = Instant::now();
    let referee = table.play(audience).await;
    PlayedMatch {
        results: referee.results().to_vec(),
        reason: referee.reason().map(str::to_owned),
        gone: games::Player::all(G::SEATS)
            .filter(|&player| referee.is_gone(player))
            .collect(),
        time: began.elapsed(),
    }
}

impl<G: Game> NativeSeats<G> {
    /// The first match has its openings from `seed`, each later one from another that follows from it; without a seed each
    /// match draws its own from the system's randomness. Its record names it at the end.
    pub fn new(settings: Native, rules: G::Rules, seed: Option<u64>) -> NativeSeats<G> {
        NativeSeats {
            settings,
            rules,
            seed,
            tls: None,
            others: Vec::new(),
            seats: MatchSeats::new(G::SEATS),
            running: Vec::new(),
            journal: Journal::default(),
        }
    }

    /// The settings of a match, and those of its referee.
    fn settings(&self, number: u64, has_other: bool) -> (Native, MatchSettings<G::Rules>) {
        let mut terms = self.settings.clone();
        if has_other {
            terms.games = 1;
            terms.draw_seats = true;
            terms.random_plies = 0;
            terms.position.clear();
            terms.retries = 0;
            terms.draws = false;
        }
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
            draws: terms.draws,
            opening: terms.random_plies,
            position: terms.position.clone(),
            seed: match self.seed {
                // Far apart, so that no two matches share an opening: the games of one count up from its seed.
                Some(first) => first.wrapping_add((number - 1).wrapping_mul(0xd6e8_feb8_6659_fd93)),
                None => self.journal.key().unwrap_or_else(drawn_key).seed(),
            },
            given: Vec::new(),
        };
        (terms, settings)
    }
}

impl<G: Game> SeatPolicy for NativeSeats<G> {
    type Client = (NativeConnection, Box<Hello>);
    type Outcome = ();
    type Report = NativeReport;

    fn options(&self) -> LobbyOptions<'_> {
        let others = self.others.iter().map(|(port, _)| *port);
        LobbyOptions {
            host: &self.settings.bind,
            ports: std::iter::once(self.settings.port).chain(others).collect(),
            limits: &self.settings.limits,
            tables: self.settings.tables,
        }
    }

    fn farewell(port: usize) -> Vec<u8> {
        if port > 0 {
            return Vec::new();
        }
        let full = ServerMessage::error(ErrorCode::Rate, "too many connections: try again");
        ServerEnd::default().send(&full).into()
    }

    fn is_last(&self, matches: u64) -> bool {
        self.seats.number > matches
    }

    fn greet(
        &mut self,
        arrival: Arrival,
        greeted: &mpsc::Sender<(NativeConnection, Box<Hello>)>,
        services: &Services<NativeReport>,
    ) {
        let Arrival { port, socket, from } = arrival;
        let (epoch, tls) = (services.epoch, self.tls.clone());
        let other = port.checked_sub(1).map(|other| (self.others[other].1)());
        services.handshake(from.ip(), greeted, |called_off| async move {
            let called_off = called_off.cancelled_owned();
            let (guest, hello) = if let Some(interpreter) = other {
                greet_other(socket, interpreter, epoch, called_off).await?
            } else {
                let purpose = Purpose::Play(G::NAME.as_str());
                greet_until(socket, tls.as_ref(), purpose, epoch, called_off).await?
            };
            Some((guest, Box::new(hello)))
        });
    }

    fn seat(
        &mut self,
        (mut guest, hello): (NativeConnection, Box<Hello>),
        is_open: bool,
        services: &Services<NativeReport>,
    ) {
        if let Some(token) = hello.token {
            self.bring_back(guest, &token, hello.last, services);
            return;
        }
        let Some(seat) = self.seats.free().filter(|_| is_open) else {
            let reason = "every seat is taken";
            let turned_away = guest.turn_away(ErrorCode::Full, reason);
            services.closing.spawn(turned_away);
            return;
        };
        let name = name_of(&hello.name, &format!("player {seat}"));
        let client = hello.client.map(|client| name_of(&client, "unknown"));
        let token = new_token();
        let player = games::Player::at(seat);
        guest.tell(&welcome::<G>(self.seats.number, player, &token, false));
        log::info!(target: CLIENTS, "player {seat}: {name} has come");
        let waiting = Waiting {
            guest,
            player: Player { name, client },
            token,
        };
        self.seats.sit(seat, waiting);
    }

    fn poll_waiting(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.seats.poll_left(cx)
    }

    fn begin(
        &mut self,
        services: &Services<NativeReport>,
    ) -> Option<impl Future<Output = ()> + Send + use<G> + 'static> {
        let (number, waiting) = self.seats.take_full()?;
        let has_other = waiting.iter().any(|one| one.guest.is_other());
        let players: Vec<Player> = waiting.iter().map(Waiting::player).collect();
        let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
        log::info!(target: CLIENTS, "match {number} begins: {}", names.join(" against "));
        let (terms, settings) = self.settings(number, has_other);
        let journal = std::mem::take(&mut self.journal);
        let journal_is_kept = journal.is_kept();
        let seed = settings.seed_used();
        let header = header::<G>(&terms, &self.rules, number, players);
        let public = services.watching.table(&header);
        let mut files = NativeFiles::<G>::create(&terms, &self.rules, number, header);
        let (returns, back) = mpsc::channel(8);
        let (tokens, guests): (_, Vec<_>) = waiting
            .into_iter()
            .map(|one| (one.token, Some(one.guest)))
            .unzip();
        self.running.retain(|one| !one.returns.is_closed());
        self.running.push(RunningMatch {
            number,
            tokens,
            rates: vec![RateLimit::default(); G::SEATS],
            returns,
        });
        let table = Table {
            referee: NativeReferee::<G>::new(settings, &names),
            connections: guests.into(),
            returns: Some(back),
            epoch: journal.epoch().unwrap_or_else(Instant::now),
            names: names.clone(),
            closing: services.closing.clone(),
            finish: CancellationToken::new(),
            stop: services.stop.clone(),
            public,
            journal,
        };
        let goes_on = journal_is_kept.then(|| services.stop.clone());
        let rules = serde_json::to_value(&self.rules).expect("options of rules are an object");
        let reporter = services.reporter();
        Some(async move {
            let mut audience = |_: &NativeReferee<G>, event: &Event| files.event(event);
            let played = guarded(play(table, &mut audience)).await;
            if goes_on.is_some_and(|stop| stop.is_cancelled()) {
                files.discard();
            }
            let PlayedMatch {
                results,
                reason,
                gone,
                time,
            } = played.unwrap_or_else(|| PlayedMatch {
                results: Vec::new(),
                reason: Some(FAILED.to_owned()),
                gone: Vec::new(),
                time: Duration::ZERO,
            });
            let counted = results.iter().filter(|game| !game.is_void()).count();
            let games = count_of_games(counted as u64);
            log::info!(target: CLIENTS, "match {number} is over: {games} in {time:.1?}");
            reporter.report(async move {
                NativeReport {
                    number,
                    names,
                    results,
                    gone,
                    rules,
                    seed,
                    time,
                    reason,
                    lost: files.close().await,
                }
            });
        })
    }

    fn end(&mut self, (): (), _: &Services<NativeReport>) {}

    fn close(mut self, services: &Services<NativeReport>) {
        for waiting in self.seats.take() {
            let reason = "the server has been stopped";
            let turned_away = waiting.guest.turn_away(ErrorCode::Stopped, reason);
            services.closing.spawn(turned_away);
        }
    }
}

/// What a return to a seat costs of a rate of its own: 32 may come at once, 8 more each second. Everyone at
/// the table is told of each.
const RETURN_COST: usize = 2048;

impl<G: Game> NativeSeats<G> {
    /// Brings a client back to the seat of its token.
    fn bring_back(
        &mut self,
        mut guest: NativeConnection,
        token: &str,
        last: Option<u64>,
        services: &Services<NativeReport>,
    ) {
        let turn_away = |guest: NativeConnection, code, reason| {
            services.closing.spawn(guest.turn_away(code, reason));
        };
        let refuse = |guest: NativeConnection, why| {
            services.closing.spawn(guest.refuse(why));
        };
        let now = services.epoch.elapsed();
        let running = self.running.iter_mut().find_map(|one| {
            let player = one.tokens.iter().position(|own| is_same(own, token))?;
            Some((one, games::Player::at(player)))
        });
        let number = self.seats.number;
        if let Some((running, player)) = running {
            if !running.rates[player.index()].spend(RETURN_COST, now) {
                let reason = "too many returns to this seat: try again in a second";
                turn_away(guest, ErrorCode::Rate, reason);
                return;
            }
            match running.returns.try_reserve() {
                Ok(place) => place.send(Return {
                    player,
                    connection: guest,
                    last,
                    welcome: welcome::<G>(running.number, player, token, true),
                }),
                Err(TrySendError::Full(())) => {
                    let reason = "too many come back at once: try again";
                    turn_away(guest, ErrorCode::Rate, reason);
                }
                Err(TrySendError::Closed(())) => refuse(guest, Refusal::Over),
            }
        } else if let Some((seat, one)) = self
            .seats
            .taken()
            .find(|(_, one)| is_same(&one.token, token))
        {
            guest.tell(&welcome::<G>(number, games::Player::at(seat), token, true));
            refuse(std::mem::replace(&mut one.guest, guest), Refusal::Replaced);
        } else {
            let reason = "this token has no seat here: the match is over, or never was";
            turn_away(guest, ErrorCode::Token, reason);
        }
    }
}
