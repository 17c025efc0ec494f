//! The referee of a `UECda` match: five players, many games of Daihinmin.

mod course;
mod exchange;
mod judge;
mod player;
#[cfg(test)]
mod tests;
mod turn;

use std::time::Duration;

use bytes::BytesMut;
use games::daihinmin::{Cards, Deal, Dealer, DealerKind, Position, SEATS, Session, SessionRules};
use protocol::uecda::{CardTable, ServerEnd, Version, encode_int, encode_table};

use crate::config::{Compat, Uecda};
use record::{Clocks, EndKind, What};

use player::{Player, Request};

/// What a referee gives out.
pub type Outbox = super::Outbox<Told>;

/// A message to a player, in whatever version the player speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "nearly all of them are tables")]
pub enum Told {
    /// A single number.
    Number(i32),
    /// A table.
    Table(CardTable),
}

impl Told {
    /// Appends its bytes.
    pub fn encode(&self, version: Version, out: &mut BytesMut) {
        match self {
            Told::Number(value) => encode_int(version, *value, out),
            Told::Table(table) => encode_table(version, table, out),
        }
    }
}

/// Games in which ranks carry over. Each session has a fresh dealer and begins without ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionSettings {
    /// Games to play, at least one.
    pub games: u32,
    /// Seed of the dealer.
    pub seed: u64,
    /// The player of each number that the dealer draws.
    pub order: [u8; SEATS],
    /// Whether others play its deals too: the dealer is a modern one then, see [`Session::begin_duplicate`].
    pub duplicate: bool,
}

/// Settings of one match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSettings {
    /// What is played, one after the other; at least one.
    pub sessions: Vec<SessionSettings>,
    /// Rules.
    pub rules: SessionRules,
    /// Generator of the deals.
    pub dealer: DealerKind,
    /// Faults of the official server to keep.
    pub compat: Compat,
    /// Limits of time.
    pub clocks: Clocks,
}

impl SessionSettings {
    /// A session whose players have the numbers that the dealer draws.
    pub const fn new(games: u32, seed: u64) -> SessionSettings {
        SessionSettings {
            games,
            seed,
            order: [0, 1, 2, 3, 4],
            duplicate: false,
        }
    }
}

impl SessionSettings {
    fn begin(&self, session: &mut Session, kind: DealerKind) {
        if self.duplicate {
            session.begin_duplicate(self.seed, self.order);
        } else {
            session.begin_anew(Dealer::new(kind, self.seed), self.order);
        }
    }
}

impl MatchSettings {
    /// Games of all sessions.
    pub fn games(&self) -> u32 {
        self.sessions.iter().map(|session| session.games).sum()
    }

    /// Those of a match with this seed on a server with these settings.
    pub fn new(settings: &Uecda, seed: u64) -> MatchSettings {
        MatchSettings {
            sessions: vec![SessionSettings::new(settings.games, seed)],
            rules: settings.rules,
            dealer: settings.dealer,
            compat: settings.compat,
            clocks: Clocks {
                move_ms: settings.move_ms,
                game_ms: settings.game_ms,
                increment_ms: None,
            },
        }
    }
}

/// How a match ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchResult {
    /// Games that counted.
    pub games: u32,
    /// Points by player.
    pub points: [u32; SEATS],
    /// How often each player took each place: `placings[player][place]`.
    pub placings: [[u32; SEATS]; SEATS],
    /// How the match ended for each player: the fault that cost it its seat, else its first.
    pub kinds: [EndKind; SEATS],
    /// Why the match ended before its last game.
    pub reason: Option<String>,
}

/// What a referee waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// [`Referee::start`] has not been called.
    Before,
    /// The gift of the player whose last place was this one: 0, then 1.
    Gift(u8),
    /// The move of the seat to move.
    Move,
    /// Nothing more.
    Over,
}

/// What comes of a request.
#[derive(Clone, Copy, Debug)]
enum Answer<'a> {
    /// The player's table.
    Sent(&'a CardTable),
    /// The player's bytes are no table, for this reason: refused.
    Unreadable(&'a str),
    /// Nothing: the player is gone or out of time. The empty table stands for its answer.
    Forfeit(EndKind),
}

/// The state machine of one match, from the first deal to the result. See [the module
/// above](crate::referee) for how time and bytes go in and out.
///
/// It waits for one player at a time. A player whose time runs out, that is gone, or that sends
/// what is refused has passed; in the exchange its strongest cards are taken. A player that is
/// gone plays on as passes to the end of the session, after which the match is over. The match ends in
/// the middle of a session only when all are gone.
#[derive(Debug)]
pub struct Referee {
    settings: MatchSettings,
    session: Session,
    /// Number of the session in play, from 0.
    number: usize,
    /// Games of it and of those before.
    last: u32,
    /// Whether no session follows it.
    finishing: bool,
    composer: ServerEnd,
    players: [Player; SEATS],
    phase: Phase,
    deal: Deal,
    position: Position,
    /// The player of each place, overwritten in place as the official server does.
    ranking: [u8; SEATS],
    asked_at: Duration,
    placings: [[u32; SEATS]; SEATS],
    games: u32,
    reason: Option<String>,
}

impl Referee {
    /// A match. `last_profile` is the profile read last, whose unused cells the official server echoes in the first deal; all zero if no
    /// client has sent one.
    pub fn new(settings: MatchSettings, last_profile: &CardTable) -> Referee {
        let first = settings.sessions.first();
        let first = *first.unwrap_or(&SessionSettings::new(1, 0));
        let dealer = Dealer::new(settings.dealer, first.seed);
        let mut session = Session::new(settings.rules, dealer);
        first.begin(&mut session, settings.dealer);
        let mut composer = ServerEnd::new();
        composer.read(last_profile);
        let deal = session.deal();
        Referee {
            position: Position::new(deal.hands, settings.rules.game),
            settings,
            session,
            number: 0,
            last: first.games,
            finishing: false,
            composer,
            players: std::array::from_fn(|_| Player::new()),
            phase: Phase::Before,
            deal,
            ranking: [0, 1, 2, 3, 4],
            asked_at: Duration::ZERO,
            placings: [[0; SEATS]; SEATS],
            games: 0,
            reason: None,
        }
    }

    /// Starts the first game. Call it once, before anything else.
    pub fn start(&mut self, now: Duration, out: &mut Outbox) {
        if self.phase == Phase::Before {
            self.begin_game(now, out);
            self.carry_on(now, out);
        }
    }

    /// The player whose table is awaited; `None` when the match is over. Tables of other players
    /// must be kept back until they are awaited.
    pub fn awaited(&self) -> Option<u8> {
        match self.phase {
            Phase::Before | Phase::Over => None,
            Phase::Gift(place) => Some(self.player_in(self.deal.seat_of_rank(place))),
            Phase::Move => Some(self.player_in(self.position.table.turn)),
        }
    }

    /// When the awaited player's time is up and [`Referee::wake`] is due; `None` without a limit.
    pub fn next_deadline(&self) -> Option<Duration> {
        let player = self.awaited()?;
        let allowance = self.players[usize::from(player)].allowance(self.settings.clocks)?;
        Some(self.asked_at + allowance)
    }

    /// Takes a table of the awaited player. From any other player it is ignored.
    pub fn receive(&mut self, player: u8, sent: &CardTable, now: Duration, out: &mut Outbox) {
        if self.awaited() != Some(player) {
            return;
        }
        let request = self.request();
        let compat = self.settings.compat;
        if self.players[usize::from(player)].is_late(sent, &request, compat) {
            out.event(now, refused(player, sent, "it came after its time"));
            return;
        }
        self.spend(player, now);
        self.answer(player, Answer::Sent(sent), now, out);
        self.carry_on(now, out);
    }

    /// The awaited player has sent what cannot be read as a table: it counts as a refused one.
    pub fn receive_unreadable(
        &mut self,
        player: u8,
        reason: &str,
        now: Duration,
        out: &mut Outbox,
    ) {
        if self.awaited() != Some(player) {
            return;
        }
        self.spend(player, now);
        self.answer(player, Answer::Unreadable(reason), now, out);
        self.carry_on(now, out);
    }

    /// A player will send nothing any more. Its seat plays on as passes; bytes for it still come
    /// out, since it may yet read.
    pub fn lose(
        &mut self,
        player: u8,
        kind: EndKind,
        reason: &str,
        now: Duration,
        out: &mut Outbox,
    ) {
        let Some(seat) = self.players.get_mut(usize::from(player)) else {
            return;
        };
        if seat.gone.is_some() || self.phase == Phase::Over {
            return;
        }
        seat.gone = Some(kind);
        seat.fault(kind);
        let reason = reason.to_owned();
        out.event(
            now,
            What::Forfeit {
                player,
                kind,
                reason,
            },
        );
        self.carry_on(now, out);
    }

    /// Does what is due at `now`: a player whose time is up has passed.
    pub fn wake(&mut self, now: Duration, out: &mut Outbox) {
        self.carry_on(now, out);
    }

    /// Ends the match at once. The game in play is void.
    pub fn stop(&mut self, reason: &str, now: Duration, out: &mut Outbox) {
        if self.phase != Phase::Over {
            self.end_early(reason, now, out);
        }
    }

    /// Ends the match after the session in play.
    pub fn finish(&mut self) {
        self.finishing = true;
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Games that have ended and count.
    pub fn games_played(&self) -> u32 {
        self.games
    }

    /// The result; so far, while the match is not over.
    pub fn result(&self) -> MatchResult {
        MatchResult {
            games: self.games,
            points: self.session.points(),
            placings: self.placings,
            kinds: std::array::from_fn(|i| self.players[i].end_kind()),
            reason: self.reason.clone(),
        }
    }

    /// The position in play, for those who may see all of it: never for a player.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The hand and the number of cards owed, while a gift is awaited; as secret as
    /// [`Referee::position`].
    pub fn gift_due(&self) -> Option<(Cards, u32)> {
        match self.request() {
            Request::Gift { hand, owed } => Some((hand, owed)),
            Request::Move(_) => None,
        }
    }

    fn player_in(&self, seat: u8) -> u8 {
        self.deal.player_at[usize::from(seat)]
    }

    fn spend(&mut self, player: u8, now: Duration) {
        let time = now.saturating_sub(self.asked_at);
        self.players[usize::from(player)].spend(time);
    }
}

/// The record's line for something refused.
fn refused(player: u8, sent: &CardTable, reason: impl Into<String>) -> What {
    What::Refused {
        player,
        sent: judge::describe(sent),
        reason: reason.into(),
    }
}
