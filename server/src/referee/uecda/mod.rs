//! The referee of a `UECda` match: five players, many games of Daihinmin.

use std::time::Duration;

use bytes::BytesMut;
use games::daihinmin::{Cards, Chance, Deal, Dealer, Meld, NO_PLACE, Position, SEATS, Session};
use games::{ByPlayer, Player};
use protocol::uecda::{
    ACK_ACCEPTED, ACK_REFUSED, CardTable, ServerEnd, Standing, Version, WireError, encode_int,
    encode_table,
};

use super::{Outbox, Referee, STOPPED, TimeoutPolicy, forfeited, refused, voided};
use judge::{Fault, Gift, Verdict, describe, judge, judge_gift};
use ledger::{Ledger, Request};
use record::{EndKind, What};
pub use settings::{MatchResult, SessionSettings, UecdaMatchSettings};

mod judge;
mod ledger;
mod settings;
#[cfg(test)]
mod tests;

/// End messages of the last turn of a game and of the match.
const GAME_OVER: i32 = 1;
const MATCH_OVER: i32 = 2;
/// End message of a turn after which the game goes on.
const GOES_ON: i32 = 0;

/// A message to a player, in whatever version the player speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "nearly all of them are tables")]
pub enum UecdaMessage {
    Number(i32),
    Table(CardTable),
}

impl UecdaMessage {
    pub fn encode(&self, version: Version, out: &mut BytesMut) {
        match self {
            UecdaMessage::Number(value) => encode_int(version, *value, out),
            UecdaMessage::Table(table) => encode_table(version, table, out),
        }
    }
}

type UecdaOutbox = Outbox<UecdaMessage>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchPhase {
    /// [`Referee::start`] has not been called.
    Before,
    /// The gift of the player whose last place was this one: 0, then 1.
    Gift(u8),
    Move,
    Over,
}

#[derive(Clone, Copy, Debug)]
enum Answer<'a> {
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
/// what is refused has passed; in the exchange its strongest cards are taken. A player that is silent for too long is
/// given up, and so is one that is out of time in [`UecdaMatchSettings::timeouts`] games in a row. A player that is
/// gone plays on as passes to the end of the session, after which the match is over. The match ends in
/// the middle of a session only when all are gone.
#[derive(Debug)]
pub struct UecdaReferee {
    settings: UecdaMatchSettings,
    session: Session,
    /// Number of the session in play, from 0.
    number: usize,
    /// Games of it and of those before.
    last: u32,
    /// Whether no session follows it.
    finishing: bool,
    composer: ServerEnd,
    players: ByPlayer<Ledger>,
    late: TimeoutPolicy,
    phase: MatchPhase,
    deal: Deal,
    position: Position,
    /// The player of each place, overwritten in place as the official server does.
    ranking: [Player; SEATS],
    asked_at: Duration,
    placings: [[u32; SEATS]; SEATS],
    refused: [u32; SEATS],
    games: u32,
    reason: Option<String>,
}

impl Referee for UecdaReferee {
    type In = Result<CardTable, WireError>;
    type Out = UecdaMessage;

    const TELLS_LOST: bool = true;

    fn start(&mut self, out: &mut UecdaOutbox) {
        if self.phase == MatchPhase::Before {
            self.begin_game(out);
            self.carry_on(out);
        }
    }

    /// Takes a table of the awaited player, or why what it sent is none, which counts as a refused one. From any
    /// other player it is ignored.
    fn receive(
        &mut self,
        player: Player,
        sent: Result<CardTable, WireError>,
        out: &mut UecdaOutbox,
    ) {
        if !self.listens_to(player) {
            return;
        }
        if let Ok(sent) = &sent {
            let (request, compat) = (self.request(), self.settings.compat);
            if self.players[player].is_late(sent, &request, compat) {
                out.event(refused(player, describe(sent), "it came after its time"));
                return;
            }
        }
        let waited = out.now.saturating_sub(self.asked_at);
        self.players[player].spend(waited);
        match sent {
            Ok(sent) => self.answer(player, Answer::Sent(&sent), out),
            Err(e) => self.answer(player, Answer::Unreadable(&e.to_string()), out),
        }
        self.carry_on(out);
    }

    /// The seat plays on as passes; messages for it still come out.
    fn lose(&mut self, player: Player, kind: EndKind, reason: &str, out: &mut UecdaOutbox) {
        let seat = &mut self.players[player];
        if seat.gone.is_some() || self.phase == MatchPhase::Over {
            return;
        }
        seat.gone = Some(kind);
        seat.fault(kind);
        out.event(forfeited(player, kind, reason));
        self.carry_on(out);
    }

    fn wake(&mut self, out: &mut UecdaOutbox) {
        self.carry_on(out);
    }

    fn stop(&mut self, out: &mut UecdaOutbox) {
        if self.phase != MatchPhase::Over {
            self.end_early(STOPPED, out);
        }
    }

    fn finish(&mut self) {
        self.finishing = true;
    }

    fn next_deadline(&self) -> Option<Duration> {
        let player = self.awaited()?;
        let allowance = self.players[player].allowance(self.settings.clocks[player])?;
        Some(self.asked_at + allowance)
    }

    fn listens_to(&self, player: Player) -> bool {
        self.awaited() == Some(player)
    }

    fn is_over(&self) -> bool {
        self.phase == MatchPhase::Over
    }
}

impl UecdaReferee {
    /// A match. `last_profile` is the profile read last, whose unused cells the official server echoes in the first deal; all zero if no
    /// client has sent one.
    pub fn new(settings: UecdaMatchSettings, last_profile: &CardTable) -> UecdaReferee {
        let first = settings.sessions.first();
        let first = *first.unwrap_or(&SessionSettings::new(1, Chance::Plain(0)));
        let mut session = Session::new(settings.rules, Dealer::of(first.chance));
        first.begin(&mut session);
        let mut composer = ServerEnd::new();
        composer.read(last_profile);
        let deal = session.deal();
        UecdaReferee {
            position: Position::new(deal.hands, settings.rules.game),
            late: TimeoutPolicy::new(settings.timeouts, SEATS),
            settings,
            session,
            number: 0,
            last: first.games,
            finishing: false,
            composer,
            players: ByPlayer::from_fn(SEATS, |_| Ledger::new()),
            phase: MatchPhase::Before,
            deal,
            ranking: [0, 1, 2, 3, 4].map(Player::new),
            asked_at: Duration::ZERO,
            placings: [[0; SEATS]; SEATS],
            refused: [0; SEATS],
            games: 0,
            reason: None,
        }
    }

    /// The player whose table is awaited; `None` when the match is over. Tables of other players
    /// must be kept back until they are awaited.
    pub fn awaited(&self) -> Option<Player> {
        match self.phase {
            MatchPhase::Before | MatchPhase::Over => None,
            MatchPhase::Gift(place) => Some(self.player_in(self.deal.seat_of_rank(place))),
            MatchPhase::Move => Some(self.player_in(self.position.table.turn)),
        }
    }

    /// Whether no player is gone or given up.
    pub fn is_complete(&self) -> bool {
        self.players.iter().all(|player| player.gone.is_none())
    }

    /// The result; so far, while the match is not over.
    pub fn result(&self) -> MatchResult {
        MatchResult {
            games: self.games,
            points: self.session.points(),
            placings: self.placings,
            refused: self.refused,
            kinds: std::array::from_fn(|i| self.players[Player::at(i)].end_kind()),
            reason: self.reason.clone(),
        }
    }

    /// The position in play, for those who may see all of it: never for a player.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The hand and the number of cards owed, while a gift is awaited; as secret as
    /// the position.
    pub fn gift_due(&self) -> Option<(Cards, u32)> {
        match self.request() {
            Request::Gift { hand, owed } => Some((hand, owed)),
            Request::Move(_) => None,
        }
    }

    fn player_in(&self, seat: u8) -> Player {
        Player::new(self.deal.player_at[usize::from(seat)])
    }

    /// Passes for players that are gone or out of time until an answer is to be waited for.
    fn carry_on(&mut self, out: &mut UecdaOutbox) {
        while let Some(player) = self.awaited() {
            if self.players.iter().all(|p| p.gone.is_some()) {
                self.end_early("all players are gone", out);
                return;
            }
            let waited = out.now.saturating_sub(self.asked_at);
            let kind = if let Some(kind) = self.players[player].gone {
                kind
            } else {
                match self.players[player].allowance(self.settings.clocks[player]) {
                    Some(allowance) if waited >= allowance => {}
                    _ => return,
                }
                self.time_out(player, waited, out)
            };
            self.answer(player, Answer::Forfeit(kind), out);
        }
    }

    /// Books a request that ran out of time; gives the fault.
    fn time_out(&mut self, player: Player, waited: Duration, out: &mut UecdaOutbox) -> EndKind {
        let request = self.request();
        let seat = &mut self.players[player];
        seat.spend(waited);
        if !seat.miss(request, !waited.is_zero()) {
            return EndKind::Timeout;
        }
        let kind = EndKind::Stall;
        seat.gone = Some(kind);
        out.close.push(player);
        let reason = "several requests in a row went without an answer";
        out.event(forfeited(player, kind, reason));
        kind
    }

    /// The hand of the player with this last place, and the number of cards that it has to give.
    fn owed(&self, place: u8) -> (Cards, u32) {
        let seat = usize::from(self.deal.seat_of_rank(place));
        (self.deal.hands[seat], self.deal.owes[seat])
    }

    fn request(&self) -> Request {
        match self.phase {
            MatchPhase::Gift(place) => {
                let (hand, owed) = self.owed(place);
                Request::Gift { hand, owed }
            }
            _ => Request::Move(self.position),
        }
    }

    fn answer(&mut self, player: Player, answer: Answer, out: &mut UecdaOutbox) {
        match answer {
            Answer::Sent(sent) => self.composer.read(sent),
            _ => self.composer.read(&CardTable::default()),
        }
        match self.phase {
            MatchPhase::Before | MatchPhase::Over => {}
            MatchPhase::Gift(place) => self.gift(player, place, answer, out),
            MatchPhase::Move => self.turn(player, answer, out),
        }
    }

    fn end_game(&mut self, out: &mut UecdaOutbox) {
        let places = self.position.table.places;
        debug_assert!(!places.contains(&NO_PLACE));
        self.session.finish(places);
        self.games += 1;
        self.late
            .game(self.players.iter().map(|player| player.is_late));
        for (seat, &place) in places.iter().enumerate() {
            let player = Player::new(self.deal.player_at[seat]);
            self.ranking[usize::from(place)] = player;
            self.placings[player.index()][usize::from(place)] += 1;
        }
        let places = self.session.places();
        out.event(What::End {
            game: self.deal.game,
            places: places.to_vec(),
            points: places.iter().map(|&p| 5.0 - f64::from(p)).collect(),
            game_points: Vec::new(),
            kinds: self.players.iter().map(|p| p.in_game).collect(),
            rule: None,
        });
        if self.session.games_begun() < self.last || self.begin_session() {
            self.send_ints(GAME_OVER, out);
            self.deal = self.session.deal();
            self.begin_game(out);
        } else {
            self.send_ints(MATCH_OVER, out);
            self.end_match(out);
        }
    }

    /// Goes on to the next session; `false` if none is to be played.
    fn begin_session(&mut self) -> bool {
        let more = self.settings.sessions.get(self.number + 1);
        let Some(next) = more.filter(|_| !self.finishing && self.is_complete()) else {
            return false;
        };
        self.late = TimeoutPolicy::new(self.settings.timeouts, SEATS);
        self.number += 1;
        self.last += next.games;
        next.begin(&mut self.session);
        true
    }

    /// Ends the match in the middle of a game, which is void.
    fn end_early(&mut self, reason: &str, out: &mut UecdaOutbox) {
        self.reason = Some(reason.to_owned());
        if self.phase != MatchPhase::Before {
            out.event(voided(self.deal.game, SEATS));
        }
        self.end_match(out);
    }

    fn end_match(&mut self, out: &mut UecdaOutbox) {
        self.phase = MatchPhase::Over;
        let result = self.result();
        let chance = self.settings.sessions.first().map(|first| first.chance);
        out.close.extend(Player::all(SEATS));
        out.event(What::Result {
            games: result.games,
            points: result.points.iter().map(|&p| f64::from(p)).collect(),
            kinds: result.kinds.to_vec(),
            seed: chance.and_then(|chance| chance.seed()),
            key: chance.and_then(|chance| chance.key()),
            reason: result.reason,
        });
    }

    /// Books what is wrong with an answer, if anything is; gives its kind. What is refused is counted, and is no fault of
    /// the game or the match.
    fn book(
        &mut self,
        player: Player,
        answer: Answer,
        fault: Option<Fault>,
        out: &mut UecdaOutbox,
    ) -> Option<EndKind> {
        let (what, kind) = match answer {
            Answer::Sent(sent) => {
                let Fault { kind, reason } = fault?;
                (refused(player, describe(sent), reason), kind)
            }
            Answer::Unreadable(reason) => (refused(player, "", reason), EndKind::ProtocolError),
            Answer::Forfeit(kind) => {
                self.players[player].fault(kind);
                return Some(kind);
            }
        };
        self.refused[player.index()] += 1;
        out.event(what);
        Some(kind)
    }

    /// Milliseconds used on this decision and left on the game's clock, for the record.
    fn times(&self, player: Player, now: Duration) -> (Option<u64>, Option<u64>) {
        let used = now.saturating_sub(self.asked_at).as_millis() as u64;
        let left = self.players[player].left(self.settings.clocks[player]);
        (Some(used), left.map(|left| left.as_millis() as u64))
    }

    fn send_ints(&self, value: i32, out: &mut UecdaOutbox) {
        for player in self.players.numbers() {
            out.send(player, UecdaMessage::Number(value));
        }
    }

    fn seat_of(&self, player: Player) -> u8 {
        self.deal.seat_of(player.number())
    }

    fn turn(&mut self, player: Player, answer: Answer, out: &mut UecdaOutbox) {
        let empty_field = self.position.table.field.is_pass();
        let verdict = match answer {
            Answer::Sent(sent) => judge(&self.position, sent, self.settings.compat),
            _ => Verdict::Pass(None),
        };
        let (meld, spent, fault, is_refused) = match verdict {
            Verdict::Pass(fault) => (Meld::PASS, Cards::EMPTY, fault, false),
            Verdict::Play { meld, spent } => (meld, spent, None, false),
            Verdict::Refuse(fault) => (Meld::PASS, Cards::EMPTY, Some(fault), true),
        };
        let is_refused = is_refused || matches!(answer, Answer::Unreadable(_));
        let fault = self.book(player, answer, fault, out);
        let (used, left) = self.times(player, out.now);
        out.event(What::Move {
            player: player.number(),
            mv: meld.to_string(),
            fault,
            spent: (spent != meld.cards()).then(|| spent.to_string()),
            used,
            left,
        });

        // A pass fails the comparison with the cards on the field, so it is answered as refused.
        let ack = if is_refused || (meld.is_pass() && !empty_field) {
            ACK_REFUSED
        } else {
            ACK_ACCEPTED
        };
        out.send(player, UecdaMessage::Number(ack));
        self.position.lay(meld, spent);
        if !meld.is_pass() {
            self.composer.accept();
            let place = usize::from(self.position.table.places[usize::from(self.seat_of(player))]);
            if let Some(ranked) = self.ranking.get_mut(place) {
                *ranked = player;
            }
        }
        let standing = self.standing();
        let table = *self.composer.field(&standing);
        for player in self.players.numbers() {
            out.send(player, UecdaMessage::Table(table));
        }
        self.after_move(out);
    }

    /// The second half of a move: the trick's end, the game's end, the next turn.
    fn after_move(&mut self, out: &mut UecdaOutbox) {
        if self.position.table.is_stalled() {
            let alive = self.position.table.alive;
            self.session.settle_stall(&mut self.position);
            let places = self.position.table.places;
            let mut drawn: Vec<usize> = (0..SEATS).filter(|&s| alive >> s & 1 != 0).collect();
            drawn.sort_by_key(|&seat| places[seat]);
            let order = drawn.iter().map(|&s| self.deal.player_at[s]).collect();
            out.event(What::Lot { order });
        } else if !self.position.table.is_over() {
            self.position.table.advance();
            if self.position.table.field.is_pass() {
                self.composer.clear();
            }
            self.send_ints(GOES_ON, out);
            self.send_hands(out);
            self.asked_at = out.now;
            return;
        }
        self.end_game(out);
    }

    fn standing(&self) -> Standing {
        let (table, player_at) = (&self.position.table, self.deal.player_at);
        let mut counts = [0; SEATS];
        for (seat, hand) in self.position.hands.iter().enumerate() {
            counts[usize::from(player_at[seat])] = hand.len() as u8;
        }
        Standing {
            turn: self.player_in(table.turn).number(),
            empty_field: table.field.is_pass(),
            revolution: table.revolution,
            lock: table.lock,
            counts,
            player_at,
            ranking: self.deal.ranked.then(|| self.ranking.map(Player::number)),
        }
    }

    fn send_hands(&mut self, out: &mut UecdaOutbox) {
        let standing = self.standing();
        let composed = self.composer.hands(&standing);
        for (seat, &player) in self.deal.player_at.iter().enumerate() {
            let hand = self.position.hands[seat];
            let table = composed.hand_for(hand, player == standing.turn);
            out.send(Player::new(player), UecdaMessage::Table(table));
        }
    }

    /// Sends the deal, which is in `self.deal`, and asks for the first gift or move.
    fn begin_game(&mut self, out: &mut UecdaOutbox) {
        let deal = self.deal;
        out.event(What::begin(&deal));
        for what in What::tributes(&deal) {
            out.event(what);
        }
        self.set_aside_late(out);
        for player in &mut self.players {
            player.begin_game();
        }
        let exchange = deal.owes.iter().any(|&owed| owed > 0);
        let mut counts = [0; SEATS];
        for (seat, cards) in deal.dealt.iter().enumerate() {
            counts[usize::from(deal.player_at[seat])] = cards.len() as u8;
        }
        let composed = self.composer.deal(&Standing {
            turn: 0,
            empty_field: false,
            revolution: false,
            lock: false,
            counts,
            player_at: deal.player_at,
            ranking: deal.ranked.then(|| self.ranking.map(Player::number)),
        });
        for (seat, &player) in deal.player_at.iter().enumerate() {
            let player = usize::from(player);
            let place = deal.ranks[player];
            // The rich see what they were given, the poor do not see what was taken yet.
            let (hand, give) = match (exchange, place) {
                (false, _) => (deal.hands[seat], 0),
                (true, 0..=2) => (deal.hands[seat], 2 - i32::from(place)),
                (true, _) => (deal.dealt[seat], 2 - i32::from(place)),
            };
            let table = composed.deal_for(hand, give);
            out.send(Player::at(player), UecdaMessage::Table(table));
        }
        if exchange {
            self.phase = MatchPhase::Gift(0);
        } else {
            self.begin_play(out);
        }
        self.asked_at = out.now;
    }

    /// Gives up those that were out of time in too many games in a row: the others wait for them no longer.
    fn set_aside_late(&mut self, out: &mut UecdaOutbox) {
        let reason = format!("it was {}", self.late.reason());
        for player in self.late.due() {
            let seat = &mut self.players[player];
            if seat.gone.is_none() {
                let kind = EndKind::Timeout;
                seat.gone = Some(kind);
                out.close.push(player);
                out.event(forfeited(player, kind, &reason));
            }
        }
    }

    fn begin_play(&mut self, out: &mut UecdaOutbox) {
        self.composer.begin();
        self.position = self.deal.start();
        self.phase = MatchPhase::Move;
        self.send_hands(out);
    }

    fn gift(&mut self, player: Player, place: u8, answer: Answer, out: &mut UecdaOutbox) {
        let seat = self.deal.seat_of_rank(place);
        let (hand, owed) = self.owed(place);
        let gift = match answer {
            Answer::Sent(sent) => judge_gift(hand, owed, sent, self.settings.compat),
            _ => Gift::default(),
        };
        let fault = self.book(player, answer, gift.fault, out);
        let given = self.deal.give(seat, gift.cards);
        self.deal.hands[usize::from(seat)] -= gift.lost;
        let poor = self.deal.seat_of_rank(if place == 0 { 4 } else { 3 });
        let (used, left) = self.times(player, out.now);
        out.event(What::Give {
            from: player.number(),
            to: self.player_in(poor).number(),
            cards: given.to_string(),
            forced: false,
            fault,
            lost: (!gift.lost.is_empty()).then(|| gift.lost.to_string()),
            used,
            left,
        });
        if place == 0 {
            self.phase = MatchPhase::Gift(1);
        } else {
            self.begin_play(out);
        }
        self.asked_at = out.now;
    }
}
