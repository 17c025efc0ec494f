//! How games end: for one seat, and for all.

use std::time::Duration;

use games::{Game, Outcome, Seat};
use protocol::native::ServerMessage;

use super::{GameResult, Outbox, Referee, SeatEnd};
use record::{EndKind, What};

impl<G: Game> Referee<G> {
    /// Tells of the seats that the rules have put out since they were last told.
    pub(super) fn tell_outs(&mut self, out: &mut Outbox) {
        for seat in 0..G::SEATS as u8 {
            let Some(play) = &mut self.play else {
                return;
            };
            if let Some(rule) = play.game.out(Seat::new(seat))
                && play.end_seat(seat, SeatEnd::Rule(rule))
            {
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

    /// Takes the game in play from a player, if it has a part in it; gives whether that ended the game.
    pub(super) fn lost_by(
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
        if !play.end_seat(seat, SeatEnd::Fault(kind)) {
            return false;
        }
        let was_its_turn = play.game.to_move() == Some(Seat::new(seat));
        let goes_on = play.game.withdraw(Seat::new(seat));
        let outcome = if goes_on {
            play.game.outcome()
        } else {
            Some(play.game.forfeited(Seat::new(seat)))
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
            if outcome.rule.is_none() {
                outcome.reason.get_or_insert_with(|| reason.to_owned());
            }
            self.end(&outcome, Some((seat, kind)), now, out);
            return true;
        }
        if was_its_turn {
            self.ask(now, out);
        }
        false
    }

    /// Ends the game in play; `fault` is the last that a seat made, if that ended it.
    pub(super) fn end(
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
        let fault = fault.filter(|_| outcome.rule.is_none());
        let kind = fault.map_or(EndKind::Normal, |(_, kind)| kind);
        let mut result = GameResult {
            game: play.number,
            player_at: play.player_at.clone(),
            places: vec![0; players],
            points: vec![0.0; players],
            game_points: vec![0; outcome.game_points.len()],
            kinds: vec![EndKind::Normal; players],
            rule: outcome.rule,
            end: kind,
            plies: play.game.ply(),
        };
        for (seat, &player) in Seat::all(players).zip(&play.player_at) {
            let player = usize::from(player);
            result.places[player] = outcome.places[seat];
            result.points[player] = outcome.points[seat];
            self.players[player].points += outcome.points[seat];
            if let Some(points) = outcome.game_points.get(seat) {
                result.game_points[player] = *points;
            }
            if let Some(SeatEnd::Fault(kind)) = play.ends[seat.index()] {
                result.kinds[player] = kind;
            }
        }
        self.counted += 1;
        let end = result.end_name();
        let by = fault.map(|(seat, _)| seat);
        let ends: Vec<String> = match G::SEATS {
            ..=2 => Vec::new(),
            _ => play.seat_ends(outcome.rule),
        };
        self.tell(out, |event, _| ServerMessage::Result {
            event,
            game: play.number,
            places: outcome.places.iter().map(|place| place + 1).collect(),
            scores: outcome.points.to_vec(),
            end: end.to_owned(),
            by,
            ends: ends.clone(),
            game_points: outcome.game_points.to_vec(),
            reason: outcome.reason.clone(),
        });
        Self::record_end(result, now, out);
    }

    pub(super) fn record_end(result: GameResult, now: Duration, out: &mut Outbox) {
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
}
