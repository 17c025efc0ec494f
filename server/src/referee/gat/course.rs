//! The course of a game: the beginning, messages that wait for a pause, and the ends.

use std::time::Duration;

use games::geister::{End, Position, SEATS};
use protocol::gat::Outcome;

use super::{Due, GameResult, Outbox, Phase, Referee, UNSET};
use record::{EndKind, What};

impl Referee {
    pub(super) fn event(&self, what: What, now: Duration, out: &mut Outbox) {
        let ms = now.saturating_sub(self.settings.began).as_millis() as u64;
        out.events.push(what.at(ms));
    }

    /// Records what was refused of a seat.
    pub(super) fn refusals(&mut self, seat: usize, now: Duration, out: &mut Outbox) {
        let player = self.settings.player_at[seat];
        for refusal in std::mem::take(&mut self.entrants[seat].refusals) {
            self.event(refusal.event(player), now, out);
        }
    }

    pub(super) fn record_placement(&self, seat: usize, now: Duration, out: &mut Outbox) {
        let entrant = &self.entrants[seat];
        if let Some(placement) = entrant.placement {
            let what = What::Setup {
                player: self.settings.player_at[seat],
                setup: placement.to_string(),
                name: entrant.name.clone(),
            };
            self.event(what, now, out);
        }
    }

    /// Begins to play when both have set up. If one has left, the game ends as soon as the other
    /// has set up.
    pub(super) fn begin_if_set(&mut self, now: Duration, out: &mut Outbox) {
        let set = |seat: usize| self.entrants[seat].placement;
        if let Some(leaver) = self.leaver {
            if set(1 - leaver).is_some() {
                let position = self.shown();
                let kind = EndKind::Disconnect;
                self.end(position, None, Some((leaver, kind)), now, out);
            }
        } else if let (Some(first), Some(second)) = (set(0), set(1)) {
            self.phase = Phase::Play(Position::new([first, second], self.settings.rules));
            self.ask(0, now);
        }
    }

    /// The start position with what is set up, for the end of a game that never began.
    fn shown(&self) -> Position {
        let placement = |seat: usize| self.entrants[seat].placement.unwrap_or(UNSET);
        Position::new([placement(0), placement(1)], self.settings.rules)
    }

    /// Asks a seat for its move, after the pause that it is due.
    pub(super) fn ask(&mut self, seat: usize, now: Duration) {
        self.due[seat] = Some((self.free_from(seat, now), Due::Move));
    }

    /// From when a message may go to a seat.
    fn free_from(&self, seat: usize, now: Duration) -> Duration {
        let wait = self.settings.wait[usize::from(self.settings.player_at[seat])];
        match self.entrants[seat].answered {
            Some(answered) => answered.saturating_add(wait).max(now),
            None => now,
        }
    }

    /// Sends the messages that have been held back long enough: the winner's result before the
    /// loser's, of a draw player 0's before player 1's.
    pub(super) fn release(&mut self, now: Duration, out: &mut Outbox) {
        let last = match &self.phase {
            Phase::Over(
                _,
                GameResult {
                    winner: Some(player),
                    ..
                },
            ) => usize::from(self.settings.player_at[0] == *player),
            _ => 1,
        };
        for seat in [1 - last, last] {
            if let Some((at, due)) = self.due[seat]
                && at <= now
            {
                self.due[seat] = None;
                self.deliver(seat, due, now, out);
            }
        }
    }

    fn deliver(&mut self, seat: usize, due: Due, now: Duration, out: &mut Outbox) {
        let end = &mut self.entrants[seat].end;
        let message = match (&self.phase, due) {
            (Phase::Play(position), Due::Move) => {
                self.asked = now;
                end.move_request(&Referee::board(position, seat, false))
            }
            (Phase::Over(position, result), Due::Result) => {
                out.close[seat] = true;
                let winner = result
                    .winner
                    .map(|player| u8::from(result.player_at[1] == player));
                let outcome = Outcome::of(seat as u8, winner);
                end.result(outcome, &Referee::board(position, seat, true))
            }
            _ => return,
        };
        out.send(seat, message);
    }

    /// Refuses a line of the seat to move.
    pub(super) fn fault(
        &mut self,
        seat: usize,
        kind: EndKind,
        reason: &str,
        now: Duration,
        out: &mut Outbox,
    ) {
        out.send(seat, self.entrants[seat].end.refuse());
        self.entrants[seat].answered = Some(now);
        self.refusals(seat, now, out);
        if self.settings.ng_terminates {
            self.forfeit(seat, kind, reason, now, out);
        }
    }

    /// The time of a placement or of a move is up.
    pub(super) fn run_out(&mut self, now: Duration, out: &mut Outbox) {
        match &self.phase {
            Phase::Play(position) => {
                let Some(seat) = position.to_move() else {
                    return;
                };
                let reason = "its time is up";
                self.forfeit(usize::from(seat), EndKind::Timeout, reason, now, out);
            }
            Phase::SetUp => {
                let missing = |seat: usize| self.entrants[seat].placement.is_none();
                match (self.leaver, missing(0), missing(1)) {
                    (None, true, false) => self.stall(0, now, out),
                    (None, false, true) => self.stall(1, now, out),
                    _ => self.end_void(now, out),
                }
            }
            Phase::Over(..) => {}
        }
    }

    fn stall(&mut self, seat: usize, now: Duration, out: &mut Outbox) {
        let reason = "it has not set up in time";
        self.forfeit(seat, EndKind::Stall, reason, now, out);
    }

    pub(super) fn event_of_forfeit(
        &self,
        seat: usize,
        kind: EndKind,
        reason: &str,
        now: Duration,
        out: &mut Outbox,
    ) {
        let what = What::Forfeit {
            player: self.settings.player_at[seat],
            kind,
            reason: reason.to_owned(),
        };
        self.event(what, now, out);
    }

    /// A seat has lost by a fault.
    pub(super) fn forfeit(
        &mut self,
        seat: usize,
        kind: EndKind,
        reason: &str,
        now: Duration,
        out: &mut Outbox,
    ) {
        self.event_of_forfeit(seat, kind, reason, now, out);
        let position = match &self.phase {
            Phase::Play(position) => *position,
            _ => self.shown(),
        };
        self.end(position, None, Some((seat, kind)), now, out);
    }

    /// Ends the game by the rules or by a fault of a seat.
    pub(super) fn end(
        &mut self,
        position: Position,
        end: Option<End>,
        fault: Option<(usize, EndKind)>,
        now: Duration,
        out: &mut Outbox,
    ) {
        let player_at = self.settings.player_at;
        let mut kinds = [EndKind::Normal; SEATS];
        let mut winner = end.and_then(|end| end.winner).map(usize::from);
        if let Some((seat, kind)) = fault {
            kinds[usize::from(player_at[seat])] = kind;
            winner = Some(1 - seat);
        }
        let winner = winner.map(|seat| player_at[seat]);
        let result = GameResult {
            player_at,
            winner,
            kinds,
            rule: end.map(|end| end.kind.name()),
            plies: position.ply(),
        };
        let places = winner.map_or([0; SEATS], |winner| [winner, 1 - winner]);
        let points = winner.map_or([0.5; SEATS], |winner| [1 - winner, winner].map(f64::from));
        let what = What::End {
            game: self.settings.game,
            places: places.to_vec(),
            points: points.to_vec(),
            game_points: Vec::new(),
            kinds: kinds.to_vec(),
            rule: result.rule.map(str::to_owned),
        };
        self.event(what, now, out);
        self.decide(position, result);
        let at = self.free_from(0, now).max(self.free_from(1, now));
        self.due = [Some((at, Due::Result)); SEATS];
    }

    /// From now on nothing that a player sends means anything, even while the results are held
    /// back.
    fn decide(&mut self, position: Position, result: GameResult) {
        self.phase = Phase::Over(position, result);
        for entrant in &mut self.entrants {
            entrant.end.finish();
        }
    }

    /// Ends the game without a result.
    pub(super) fn end_void(&mut self, now: Duration, out: &mut Outbox) {
        let kinds = [EndKind::Void; SEATS];
        let what = What::End {
            game: self.settings.game,
            places: Vec::new(),
            points: vec![0.0; SEATS],
            game_points: Vec::new(),
            kinds: kinds.to_vec(),
            rule: None,
        };
        self.event(what, now, out);
        let position = match &self.phase {
            Phase::Play(position) | Phase::Over(position, _) => *position,
            Phase::SetUp => self.shown(),
        };
        let result = GameResult {
            player_at: self.settings.player_at,
            winner: None,
            kinds,
            rule: None,
            plies: position.ply(),
        };
        self.decide(position, result);
        self.due = [None; SEATS];
        out.close = [true; SEATS];
    }
}
