//! The course of a match: games, moves and ends.

use std::time::Duration;

use protocol::native::ServerMessage;

use super::messages::millis;
use super::{GameResult, Outbox, Play, Referee, SeatEnd};
use crate::record::{EndKind, What};
use crate::table_game::{Outcome, TableGame};

impl<G: TableGame> Referee<G> {
    /// Begins the next game.
    pub(super) fn begin_game(&mut self, now: Duration, out: &mut Outbox) {
        let Some(game) = self.settings.opening_of::<G>(self.number) else {
            self.finish(Some("there is no opening of so many plies"), now, out);
            return;
        };
        let player_at = self.settings.seating(self.number, G::SEATS as u32);
        self.number += 1;
        let number = self.number;
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
            ends: vec![None; G::SEATS],
            asked: now,
        });
        for player in 0..self.players.len() as u8 {
            if self.players[usize::from(player)].away.is_none() {
                out.send(player, self.view(player));
            }
        }
        self.tell_outs(out);
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
        let increment = self.settings.increment;
        *left = left.map(|left| left.saturating_sub(used).saturating_add(increment));
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
        self.tell_outs(out);
        match outcome {
            None => self.ask(now, out),
            Some(outcome) => {
                self.end(&outcome, None, now, out);
                self.go_on(now, out);
            }
        }
    }

    /// Tells of the seats that the rules have put out since they were last told.
    fn tell_outs(&mut self, out: &mut Outbox) {
        for seat in 0..G::SEATS as u8 {
            let Some(play) = &mut self.play else {
                return;
            };
            let end = &mut play.ends[usize::from(seat)];
            if let (None, Some(rule)) = (&end, play.game.out(seat)) {
                *end = Some(SeatEnd::Rule(rule));
                self.tell_out(seat, rule, None, out);
            }
        }
    }

    fn tell_out(&mut self, seat: u8, end: &str, reason: Option<&str>, out: &mut Outbox) {
        let game = self.number;
        self.tell(out, |event, _| ServerMessage::Out {
            event,
            game,
            seat,
            end: end.to_owned(),
            reason: reason.map(str::to_owned),
        });
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

    /// A player is gone for good: the match is over, or will be after the game that the others play.
    pub(super) fn gone(&mut self, player: u8, reason: &str, now: Duration, out: &mut Outbox) {
        self.lost_by(player, EndKind::Disconnect, reason, now, out);
        let gone = &mut self.players[usize::from(player)];
        gone.gone = true;
        if gone.kind == EndKind::Normal {
            gone.kind = EndKind::Disconnect;
        }
        let is_here = gone.away.is_none();
        let reason = format!("player {player} is gone: {reason}");
        self.ending.get_or_insert(reason);
        if self.play.is_none() {
            self.go_on(now, out);
        } else if is_here {
            self.players[usize::from(player)].away = Some(now);
            self.tell_presence(player, false, out);
            out.close.push(player);
        }
    }

    /// Takes the game in play from a player, if it has a part in it; gives whether that ended the game.
    fn lost_by(
        &mut self,
        player: u8,
        kind: EndKind,
        reason: &str,
        now: Duration,
        out: &mut Outbox,
    ) -> bool {
        let Some(play) = &mut self.play else {
            return false;
        };
        let seat = play.seat_of(player);
        let end = &mut play.ends[usize::from(seat)];
        if end.is_some() {
            return false;
        }
        *end = Some(SeatEnd::Fault(kind));
        let was_its_turn = play.game.to_move() == Some(seat);
        let goes_on = play.game.withdraw(seat);
        let outcome = if goes_on {
            play.game.outcome()
        } else {
            Some(play.game.forfeited(seat))
        };
        let first = &mut self.players[usize::from(player)].kind;
        if *first == EndKind::Normal {
            *first = kind;
        }
        let what = What::Forfeit {
            player,
            kind,
            reason: reason.to_owned(),
        };
        out.event(now, what);
        if goes_on {
            self.tell_out(seat, kind.as_str(), Some(reason), out);
        }
        if let Some(mut outcome) = outcome {
            outcome.reason.get_or_insert_with(|| reason.to_owned());
            self.end(&outcome, Some((seat, kind)), now, out);
            return true;
        }
        if was_its_turn {
            self.ask(now, out);
        }
        false
    }

    /// Ends the game in play; `fault` is the last that a seat made, if that ended it.
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
            game_points: vec![0; outcome.game_points.len()],
            kinds: vec![EndKind::Normal; players],
            rule: outcome.rule,
            plies: play.game.ply(),
        };
        for (seat, &player) in play.player_at.iter().enumerate() {
            let player = usize::from(player);
            result.places[player] = outcome.places[seat];
            result.points[player] = outcome.points[seat];
            self.players[player].points += outcome.points[seat];
            if let Some(points) = outcome.game_points.get(seat) {
                result.game_points[player] = *points;
            }
            if let Some(SeatEnd::Fault(kind)) = play.ends[seat] {
                result.kinds[player] = kind;
            }
        }
        self.counted += 1;
        let fault = fault.filter(|_| outcome.rule.is_none());
        let kind = fault.map_or(EndKind::Normal, |(_, kind)| kind);
        let end = outcome.rule.unwrap_or(kind.as_str());
        let by = fault.map(|(seat, _)| seat);
        let ends: Vec<String> = match G::SEATS {
            ..=2 => Vec::new(),
            _ => play.seat_ends(outcome.rule),
        };
        self.tell(out, |event, _| ServerMessage::Result {
            event,
            game: play.number,
            places: outcome.places.iter().map(|place| place + 1).collect(),
            scores: outcome.points.clone(),
            end: end.to_owned(),
            by,
            ends: ends.clone(),
            game_points: outcome.game_points.clone(),
            reason: outcome.reason.clone(),
        });
        Self::record_end(result, now, out);
    }

    fn record_end(result: GameResult, now: Duration, out: &mut Outbox) {
        let what = What::End {
            game: result.game,
            places: result.places.clone(),
            points: result.points.clone(),
            game_points: result.game_points.clone(),
            kinds: result.kinds.clone(),
            rule: result.rule.map(str::to_owned),
        };
        out.event(now, what);
        out.results.push(result);
    }

    /// After a game: the next, or the end.
    fn go_on(&mut self, now: Duration, out: &mut Outbox) {
        let more = self.number < self.settings.games;
        match self.ending.take() {
            None if more => self.begin_game(now, out),
            // After the last game nothing is missing.
            ending => self.finish(ending.as_deref().filter(|_| more), now, out),
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
                ends: Vec::new(),
                game_points: Vec::new(),
                reason: Some(reason.to_owned()),
            });
            let result = GameResult {
                game: play.number,
                places: Vec::new(),
                points: vec![0.0; seats],
                game_points: Vec::new(),
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
