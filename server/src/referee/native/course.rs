//! The course of a match: games, moves and ends.

use std::time::Duration;

use protocol::native::ServerMessage;
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::messages::millis;
use super::{GameResult, Outbox, Play, Referee};
use crate::record::{EndKind, What};
use crate::table_game::{Outcome, TableGame};

impl<G: TableGame> Referee<G> {
    /// Begins the next game.
    pub(super) fn begin_game(&mut self, now: Duration, out: &mut Outbox) {
        let seats = G::SEATS as u32;
        let round = if self.settings.swap { seats } else { 1 };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(
            self.settings
                .seed
                .wrapping_add(u64::from(self.number / round)),
        );
        let Some(game) = G::opening(&self.settings.rules, self.settings.opening, &mut rng) else {
            self.finish(Some("there is no opening of so many plies"), now, out);
            return;
        };
        let shift = if self.settings.swap { self.number } else { 0 };
        self.number += 1;
        let number = self.number;
        let player_at: Vec<u8> = (0..seats)
            .map(|seat| ((seat + shift) % seats) as u8)
            .collect();
        for player in &mut self.players {
            player.refused = 0;
            player.retried = 0;
        }
        let position = (self.settings.opening > 0).then(|| game.position());
        let begin = What::Begin {
            game: number,
            seats: player_at.clone(),
            ranks: None,
            hands: Vec::new(),
            position,
        };
        out.event(now, begin);
        let ply = game.ply();
        let missed = self.players.iter().any(|player| player.away.is_some());
        self.history.begin_game(missed);
        self.tell(out, |event, _| ServerMessage::Game {
            event,
            game: number,
            players: player_at.clone(),
            ply,
        });
        self.play = Some(Play {
            game,
            number,
            player_at,
            left: vec![self.settings.budget; G::SEATS],
            asked: now,
        });
        for player in 0..self.players.len() as u8 {
            if self.players[usize::from(player)].away.is_none() {
                out.send(player, self.view(player));
            }
        }
        self.ask(now, out);
    }

    /// Asks the seat to move.
    fn ask(&mut self, now: Duration, out: &mut Outbox) {
        let Some(play) = &mut self.play else {
            return;
        };
        play.asked = now;
        let Some(player) = play.mover() else {
            return;
        };
        if self.players[usize::from(player)].away.is_none() {
            let request = self.request(now);
            out.messages
                .extend(request.map(|request| (player, request)));
        }
    }

    /// A player has made this move.
    pub(super) fn played(&mut self, player: u8, mv: String, now: Duration, out: &mut Outbox) {
        let Some(play) = &mut self.play else {
            return;
        };
        let seat = play.seat_of(player);
        let used = now.saturating_sub(play.asked);
        let left = &mut play.left[usize::from(seat)];
        *left = left.map(|left| left.saturating_sub(used));
        let budget_ms = left.map(millis);
        let (game, ply, used_ms) = (play.number, play.game.ply() - 1, millis(used));
        let seats = (0..play.player_at.len() as u8).map(|player| play.seat_of(player));
        let shown: Vec<String> = seats.map(|seat| play.game.shown(&mv, seat)).collect();
        let outcome = play.game.outcome();
        let what = What::Move {
            player,
            mv,
            fault: None,
            spent: None,
            used: Some(used_ms),
            left: budget_ms,
        };
        out.event(now, what);
        self.tell(out, |event, player| ServerMessage::Moved {
            event,
            game,
            ply,
            seat,
            mv: shown[usize::from(player)].clone(),
            used_ms,
            budget_ms,
        });
        match outcome {
            None => self.ask(now, out),
            Some(outcome) => {
                self.end(&outcome, None, now, out);
                self.go_on(now, out);
            }
        }
    }

    /// A player has lost the game in play by a fault, if there is one; the match goes on.
    pub(super) fn forfeit(
        &mut self,
        player: u8,
        kind: EndKind,
        reason: &str,
        now: Duration,
        out: &mut Outbox,
    ) {
        if self.lost_by(player, kind, reason, now, out) {
            self.go_on(now, out);
        }
    }

    /// A player is gone for good: the match is over.
    pub(super) fn gone(&mut self, player: u8, reason: &str, now: Duration, out: &mut Outbox) {
        self.lost_by(player, EndKind::Disconnect, reason, now, out);
        let kind = &mut self.players[usize::from(player)].kind;
        if *kind == EndKind::Normal {
            *kind = EndKind::Disconnect;
        }
        let reason = format!("player {player} is gone: {reason}");
        let whole = self.number >= self.settings.games;
        self.finish((!whole).then_some(&reason[..]), now, out);
    }

    fn lost_by(
        &mut self,
        player: u8,
        kind: EndKind,
        reason: &str,
        now: Duration,
        out: &mut Outbox,
    ) -> bool {
        let Some(play) = &self.play else {
            return false;
        };
        let seat = play.seat_of(player);
        let mut outcome = play.game.forfeited(seat);
        outcome.reason = Some(reason.to_owned());
        let what = What::Forfeit {
            player,
            kind,
            reason: reason.to_owned(),
        };
        out.event(now, what);
        self.end(&outcome, Some((player, kind)), now, out);
        true
    }

    /// Ends the game in play.
    fn end(
        &mut self,
        outcome: &Outcome,
        fault: Option<(u8, EndKind)>,
        now: Duration,
        out: &mut Outbox,
    ) {
        let Some(play) = self.play.take() else {
            return;
        };
        let players = self.players.len();
        let mut result = GameResult {
            game: play.number,
            player_at: play.player_at.clone(),
            places: vec![0; players],
            points: vec![0.0; players],
            kinds: vec![EndKind::Normal; players],
            rule: outcome.rule,
            plies: play.game.ply(),
        };
        for (seat, &player) in play.player_at.iter().enumerate() {
            let player = usize::from(player);
            result.places[player] = outcome.places[seat];
            result.points[player] = outcome.points[seat];
            self.players[player].points += outcome.points[seat];
        }
        if let Some((player, kind)) = fault {
            result.kinds[usize::from(player)] = kind;
            let first = &mut self.players[usize::from(player)].kind;
            if *first == EndKind::Normal {
                *first = kind;
            }
        }
        self.counted += 1;
        let kind = fault.map_or(EndKind::Normal, |(_, kind)| kind);
        let end = outcome.rule.unwrap_or(kind.as_str());
        let by = fault.map(|(player, _)| play.seat_of(player));
        self.tell(out, |event, _| ServerMessage::Result {
            event,
            game: play.number,
            places: outcome.places.iter().map(|place| place + 1).collect(),
            scores: outcome.points.clone(),
            end: end.to_owned(),
            by,
            reason: outcome.reason.clone(),
        });
        Self::record_end(result, now, out);
    }

    fn record_end(result: GameResult, now: Duration, out: &mut Outbox) {
        let what = What::End {
            game: result.game,
            places: result.places.clone(),
            points: result.points.clone(),
            kinds: result.kinds.clone(),
            rule: result.rule.map(str::to_owned),
        };
        out.event(now, what);
        out.results.push(result);
    }

    /// After a game: the next, or the end.
    fn go_on(&mut self, now: Duration, out: &mut Outbox) {
        if self.number < self.settings.games {
            self.begin_game(now, out);
        } else {
            self.finish(None, now, out);
        }
    }

    /// Stops the match at once: the game in play is void.
    pub fn stop(&mut self, now: Duration, out: &mut Outbox) {
        if self.over {
            return;
        }
        let reason = "the server was stopped";
        if let Some(play) = self.play.take() {
            let seats = self.players.len();
            self.tell(out, |event, _| ServerMessage::Result {
                event,
                game: play.number,
                places: Vec::new(),
                scores: vec![0.0; seats],
                end: EndKind::Void.as_str().to_owned(),
                by: None,
                reason: Some(reason.to_owned()),
            });
            let result = GameResult {
                game: play.number,
                places: Vec::new(),
                points: vec![0.0; seats],
                kinds: vec![EndKind::Void; seats],
                rule: None,
                plies: play.game.ply(),
                player_at: play.player_at,
            };
            Self::record_end(result, now, out);
        }
        self.finish(Some(reason), now, out);
    }

    fn finish(&mut self, reason: Option<&str>, now: Duration, out: &mut Outbox) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        self.reason = reason.map(str::to_owned);
        let points: Vec<f64> = self.players.iter().map(|p| p.points).collect();
        let games = self.counted;
        let reason = self.reason.clone();
        self.tell(out, |event, _| ServerMessage::Over {
            event,
            games,
            scores: points.clone(),
            reason: reason.clone(),
        });
        let result = What::Result {
            games,
            points: points.clone(),
            kinds: self.players.iter().map(|p| p.kind).collect(),
            seed: (self.settings.opening > 0).then_some(self.settings.seed),
            reason: self.reason.clone(),
        };
        out.event(now, result);
        out.close.extend(0..self.players.len() as u8);
    }
}
