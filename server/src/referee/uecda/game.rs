//! The course of a game: deal, exchange, turns, end.

use std::time::Duration;

use games::daihinmin::{Cards, Meld, NO_PLACE, SEATS};
use protocol::uecda::{ACK_ACCEPTED, ACK_REFUSED, Standing, Table, encode_int, encode_table};

use super::judge::{Fault, Gift, Verdict, judge, judge_gift};
use super::player::Request;
use super::{Answer, Outbox, Phase, Referee, refused};
use crate::record::{EndKind, What};

/// End messages.
const GOES_ON: i32 = 0;
const GAME_OVER: i32 = 1;
const MATCH_OVER: i32 = 2;

impl Referee {
    /// Sends the deal, which is in `self.deal`, and asks for the first gift or move.
    pub(super) fn begin_game(&mut self, now: Duration, out: &mut Outbox) {
        let deal = self.deal;
        out.event(now, What::begin(&deal));
        for what in What::tributes(&deal) {
            out.event(now, what);
        }
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
            ranking: deal.ranked.then_some(self.ranking),
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
            encode_table(self.players[player].version, &table, &mut out.bytes[player]);
        }
        if exchange {
            self.phase = Phase::Gift(0);
        } else {
            self.begin_play(out);
        }
        self.asked_at = now;
    }

    fn begin_play(&mut self, out: &mut Outbox) {
        self.composer.begin();
        self.position = self.deal.start();
        self.phase = Phase::Move;
        self.send_hands(out);
    }

    /// Passes for players that are gone or out of time until an answer is to be waited for.
    pub(super) fn carry_on(&mut self, now: Duration, out: &mut Outbox) {
        while let Some(player) = self.awaited() {
            if self.players.iter().all(|p| p.gone.is_some()) {
                self.end_early("all players are gone", now, out);
                return;
            }
            let index = usize::from(player);
            let waited = now.saturating_sub(self.asked_at);
            let kind = if let Some(kind) = self.players[index].gone {
                kind
            } else {
                match self.players[index].allowance(self.settings.clocks) {
                    Some(allowance) if waited >= allowance => {}
                    _ => return,
                }
                self.time_out(player, waited, now, out)
            };
            self.answer(player, Answer::Forfeit(kind), now, out);
        }
    }

    /// Books a request that ran out of time; gives the fault.
    fn time_out(
        &mut self,
        player: u8,
        waited: Duration,
        now: Duration,
        out: &mut Outbox,
    ) -> EndKind {
        let request = self.request();
        let index = usize::from(player);
        let seat = &mut self.players[index];
        seat.spend(waited);
        if !seat.miss(request, !waited.is_zero()) {
            return EndKind::Timeout;
        }
        let kind = EndKind::Stall;
        seat.gone = Some(kind);
        out.close[index] = true;
        let reason = "several requests in a row went without an answer".to_owned();
        out.event(
            now,
            What::Forfeit {
                player,
                kind,
                reason,
            },
        );
        kind
    }

    /// What is asked of the awaited player.
    pub(super) fn request(&self) -> Request {
        match self.phase {
            Phase::Gift(place) => {
                let seat = usize::from(self.deal.seat_of_rank(place));
                Request::Gift {
                    hand: self.deal.hands[seat],
                    owed: self.deal.owes[seat],
                }
            }
            _ => Request::Move(self.position),
        }
    }

    /// Applies the answer of the awaited player.
    pub(super) fn answer(&mut self, player: u8, answer: Answer, now: Duration, out: &mut Outbox) {
        match answer {
            Answer::Sent(sent) => self.composer.read(sent),
            _ => self.composer.read(&Table::default()),
        }
        match self.phase {
            Phase::Before | Phase::Over => {}
            Phase::Gift(place) => self.gift(player, place, answer, now, out),
            Phase::Move => self.turn(player, answer, now, out),
        }
    }

    fn gift(&mut self, player: u8, place: u8, answer: Answer, now: Duration, out: &mut Outbox) {
        let seat = self.deal.seat_of_rank(place);
        let (hand, owed) = (
            self.deal.hands[usize::from(seat)],
            self.deal.owes[usize::from(seat)],
        );
        let gift = match answer {
            Answer::Sent(sent) => judge_gift(hand, owed, sent, self.settings.compat),
            _ => Gift::default(),
        };
        let kind = self.book(player, answer, gift.fault, now, out);
        let given = self.deal.give(seat, gift.cards);
        self.deal.hands[usize::from(seat)] -= gift.lost;
        let poor = self.deal.seat_of_rank(if place == 0 { 4 } else { 3 });
        let mut what = What::give(player, self.player_in(poor), given);
        if let What::Give {
            fault,
            lost,
            used,
            left,
            ..
        } = &mut what
        {
            *fault = kind;
            *lost = (!gift.lost.is_empty()).then(|| gift.lost.to_string());
            (*used, *left) = self.times(player, now);
        }
        out.event(now, what);
        if place == 0 {
            self.phase = Phase::Gift(1);
        } else {
            self.begin_play(out);
        }
        self.asked_at = now;
    }

    fn turn(&mut self, player: u8, answer: Answer, now: Duration, out: &mut Outbox) {
        let empty_field = self.position.table.field.is_pass();
        let verdict = match answer {
            Answer::Sent(sent) => judge(&self.position, sent, self.settings.compat),
            _ => Verdict::Pass(None),
        };
        let (meld, spent, fault, refused) = match verdict {
            Verdict::Pass(fault) => (Meld::PASS, Cards::EMPTY, fault, false),
            Verdict::Play { meld, spent } => (meld, spent, None, false),
            Verdict::Refuse(fault) => (Meld::PASS, Cards::EMPTY, Some(fault), true),
        };
        let refused = refused || matches!(answer, Answer::Unreadable(_));
        let kind = self.book(player, answer, fault, now, out);
        let mut what = What::play(player, meld);
        if let What::Move {
            fault,
            spent: other,
            used,
            left,
            ..
        } = &mut what
        {
            *fault = kind;
            *other = (spent != meld.cards()).then(|| spent.to_string());
            (*used, *left) = self.times(player, now);
        }
        out.event(now, what);

        // A pass fails the comparison with the cards on the field, so it is answered as refused.
        let ack = if refused || (meld.is_pass() && !empty_field) {
            ACK_REFUSED
        } else {
            ACK_ACCEPTED
        };
        let index = usize::from(player);
        encode_int(self.players[index].version, ack, &mut out.bytes[index]);
        self.position.lay(meld, spent);
        if !meld.is_pass() {
            self.composer.accept();
            let place = usize::from(self.position.table.places[usize::from(self.seat_of(player))]);
            if let Some(ranked) = self.ranking.get_mut(place) {
                *ranked = player;
            }
        }
        let standing = self.standing();
        let table = self.composer.field(&standing);
        for (player, bytes) in self.players.iter().zip(&mut out.bytes) {
            encode_table(player.version, table, bytes);
        }
        self.after_move(now, out);
    }

    /// The second half of a move: the trick's end, the game's end, the next turn.
    fn after_move(&mut self, now: Duration, out: &mut Outbox) {
        if self.position.table.is_stalled() {
            let alive = self.position.table.alive;
            self.session.settle_stall(&mut self.position);
            let places = self.position.table.places;
            let mut drawn: Vec<usize> = (0..SEATS).filter(|&s| alive >> s & 1 != 0).collect();
            drawn.sort_by_key(|&seat| places[seat]);
            let order = drawn.iter().map(|&s| self.deal.player_at[s]).collect();
            out.event(now, What::Lot { order });
        } else if !self.position.table.is_over() {
            self.position.table.advance();
            if self.position.table.field.is_pass() {
                self.composer.clear();
            }
            self.send_ints(GOES_ON, out);
            self.send_hands(out);
            self.asked_at = now;
            return;
        }
        self.end_game(now, out);
    }

    fn end_game(&mut self, now: Duration, out: &mut Outbox) {
        let places = self.position.table.places;
        debug_assert!(!places.contains(&NO_PLACE));
        self.session.finish(places);
        self.games += 1;
        for (seat, &place) in places.iter().enumerate() {
            let player = self.deal.player_at[seat];
            self.ranking[usize::from(place)] = player;
            self.placings[usize::from(player)][usize::from(place)] += 1;
        }
        let places = self.session.places();
        out.event(
            now,
            What::End {
                game: self.deal.game,
                places: places.to_vec(),
                points: places.iter().map(|&p| 5.0 - f64::from(p)).collect(),
                kinds: self.players.iter().map(|p| p.in_game).collect(),
            },
        );
        if self.session.games_begun() >= self.settings.games {
            self.send_ints(MATCH_OVER, out);
            self.end_match(now, out);
        } else {
            self.send_ints(GAME_OVER, out);
            self.deal = self.session.deal();
            self.begin_game(now, out);
        }
    }

    /// Ends the match in the middle of a game, which is void.
    pub(super) fn end_early(&mut self, reason: &str, now: Duration, out: &mut Outbox) {
        self.reason = Some(reason.to_owned());
        if self.phase != Phase::Before {
            out.event(
                now,
                What::End {
                    game: self.deal.game,
                    places: Vec::new(),
                    points: vec![0.0; SEATS],
                    kinds: vec![EndKind::Void; SEATS],
                },
            );
        }
        self.end_match(now, out);
    }

    fn end_match(&mut self, now: Duration, out: &mut Outbox) {
        self.phase = Phase::Over;
        let result = self.result();
        out.close = [true; SEATS];
        out.event(
            now,
            What::Result {
                games: result.games,
                points: result.points.iter().map(|&p| f64::from(p)).collect(),
                kinds: result.kinds.to_vec(),
                seed: Some(self.settings.seed),
                reason: result.reason,
            },
        );
    }

    /// Books the fault of an answer, if it has one; gives its kind.
    fn book(
        &mut self,
        player: u8,
        answer: Answer,
        fault: Option<Fault>,
        now: Duration,
        out: &mut Outbox,
    ) -> Option<EndKind> {
        let kind = match answer {
            Answer::Sent(sent) => {
                let Fault { kind, reason } = fault?;
                out.event(now, refused(player, sent, reason));
                kind
            }
            Answer::Unreadable(reason) => {
                let (sent, reason) = (String::new(), reason.to_owned());
                out.event(
                    now,
                    What::Refused {
                        player,
                        sent,
                        reason,
                    },
                );
                EndKind::ProtocolError
            }
            Answer::Forfeit(kind) => kind,
        };
        self.players[usize::from(player)].fault(kind);
        Some(kind)
    }

    /// Milliseconds used on this decision and left on the game's clock, for the record.
    fn times(&self, player: u8, now: Duration) -> (Option<u64>, Option<u64>) {
        let used = now.saturating_sub(self.asked_at).as_millis() as u64;
        let left = self.players[usize::from(player)].left(self.settings.clocks);
        (Some(used), left.map(|left| left.as_millis() as u64))
    }

    fn standing(&self) -> Standing {
        let (table, player_at) = (&self.position.table, self.deal.player_at);
        let mut counts = [0; SEATS];
        for (seat, hand) in self.position.hands.iter().enumerate() {
            counts[usize::from(player_at[seat])] = hand.len() as u8;
        }
        Standing {
            turn: self.player_in(table.turn),
            empty_field: table.field.is_pass(),
            revolution: table.revolution,
            lock: table.lock,
            counts,
            player_at,
            ranking: self.deal.ranked.then_some(self.ranking),
        }
    }

    fn send_hands(&mut self, out: &mut Outbox) {
        let standing = self.standing();
        let composed = self.composer.hands(&standing);
        for (seat, &player) in self.deal.player_at.iter().enumerate() {
            let hand = self.position.hands[seat];
            let table = composed.hand_for(hand, player == standing.turn);
            let player = usize::from(player);
            encode_table(self.players[player].version, &table, &mut out.bytes[player]);
        }
    }

    fn send_ints(&self, value: i32, out: &mut Outbox) {
        for (player, bytes) in self.players.iter().zip(&mut out.bytes) {
            encode_int(player.version, value, bytes);
        }
    }

    fn seat_of(&self, player: u8) -> u8 {
        self.deal.seat_of(player)
    }
}
