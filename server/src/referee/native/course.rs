//! The course of a match: games, moves and ends.

use std::time::Duration;

use games::{Game, Seat};
use protocol::native::ServerMessage;

use super::messages::millis;
use super::{GameResult, Outbox, Play, Referee};
use record::{EndKind, What};

impl<G: Game> Referee<G> {
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
    pub(super) fn ask(&mut self, now: Duration, out: &mut Outbox) {
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

    /// A player has made this move; `before` is the game before it.
    pub(super) fn played(
        &mut self,
        player: u8,
        before: &G,
        mv: G::Move,
        now: Duration,
        out: &mut Outbox,
    ) {
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
        let shown: Vec<String> = seats
            .map(|seat| before.shown(mv, Seat::new(seat)))
            .collect();
        let outcome = play.game.outcome();
        let what = What::Move {
            player,
            mv: mv.to_string(),
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

    /// After a game: the next, or the end.
    pub(super) fn go_on(&mut self, now: Duration, out: &mut Outbox) {
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
                end: EndKind::Void,
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
            seed: self.settings.seed_used(),
            reason: self.reason.clone(),
        };
        out.event(now, result);
        out.close.extend(0..self.players.len() as u8);
    }
}
