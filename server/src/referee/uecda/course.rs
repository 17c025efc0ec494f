//! The course of a match: whose answer counts as what, and the ends of games and of the match.

use std::time::Duration;

use games::daihinmin::{NO_PLACE, SEATS};
use protocol::uecda::CardTable;

use super::judge::Fault;
use super::player::Request;
use super::{Answer, Outbox, Phase, Referee, Told, refused};
use record::{EndKind, What};

/// End messages of the last turn of a game and of the match.
const GAME_OVER: i32 = 1;
const MATCH_OVER: i32 = 2;

impl Referee {
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
        out.close.push(player);
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
            _ => self.composer.read(&CardTable::default()),
        }
        match self.phase {
            Phase::Before | Phase::Over => {}
            Phase::Gift(place) => self.gift(player, place, answer, now, out),
            Phase::Move => self.turn(player, answer, now, out),
        }
    }

    pub(super) fn end_game(&mut self, now: Duration, out: &mut Outbox) {
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
                game_points: Vec::new(),
                kinds: self.players.iter().map(|p| p.in_game).collect(),
                rule: None,
            },
        );
        if self.session.games_begun() < self.last || self.begin_session() {
            self.send_ints(GAME_OVER, out);
            self.deal = self.session.deal();
            self.begin_game(now, out);
        } else {
            self.send_ints(MATCH_OVER, out);
            self.end_match(now, out);
        }
    }

    /// Goes on to the next session; `false` if none is to be played.
    fn begin_session(&mut self) -> bool {
        let more = self.settings.sessions.get(self.number + 1);
        let is_complete = || self.players.iter().all(|player| player.gone.is_none());
        let Some(next) = more.filter(|_| !self.finishing && is_complete()) else {
            return false;
        };
        self.number += 1;
        self.last += next.games;
        next.begin(&mut self.session, self.settings.dealer);
        true
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
                    game_points: Vec::new(),
                    kinds: vec![EndKind::Void; SEATS],
                    rule: None,
                },
            );
        }
        self.end_match(now, out);
    }

    fn end_match(&mut self, now: Duration, out: &mut Outbox) {
        self.phase = Phase::Over;
        let result = self.result();
        out.close.extend(0..SEATS as u8);
        out.event(
            now,
            What::Result {
                games: result.games,
                points: result.points.iter().map(|&p| f64::from(p)).collect(),
                kinds: result.kinds.to_vec(),
                seed: self.settings.sessions.first().map(|first| first.seed),
                reason: result.reason,
            },
        );
    }

    /// Books the fault of an answer, if it has one; gives its kind.
    pub(super) fn book(
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
    pub(super) fn times(&self, player: u8, now: Duration) -> (Option<u64>, Option<u64>) {
        let used = now.saturating_sub(self.asked_at).as_millis() as u64;
        let left = self.players[usize::from(player)].left(self.settings.clocks);
        (Some(used), left.map(|left| left.as_millis() as u64))
    }

    pub(super) fn send_ints(&self, value: i32, out: &mut Outbox) {
        for player in 0..self.players.len() as u8 {
            out.send(player, Told::Number(value));
        }
    }

    pub(super) fn seat_of(&self, player: u8) -> u8 {
        self.deal.seat_of(player)
    }
}
