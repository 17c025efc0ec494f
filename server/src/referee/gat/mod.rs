//! The referee of a game of Geister in the GAT protocol: two players, one game.
//!
//! Players are numbered by their port, seats by who moves first; the two go together as
//! [`GameSettings::seating`] says. Nothing on the wire names a seat.
//!
//! # What a fault costs
//! | what | costs |
//! |---|---|
//! | a refused placement, a line out of turn | an `NG `, nothing else |
//! | an illegal move on one's turn | the game, [`EndKind::Illegal`] |
//! | any other line on one's turn | the game, [`EndKind::ProtocolError`] |
//! | no move in time | the game, [`EndKind::Timeout`] |
//! | no placement in time | the game, [`EndKind::Stall`] |
//! | leaving before the end | the game, [`EndKind::Disconnect`], or [`EndKind::Crash`] where its program has ended |
//!
//! The timer decides what is late, not the clock: a move that is read before the timer has woken the
//! referee counts, however late the server is, and costs no more than the time that the player had.
//!
//! When one leaves before the game began, the other has won at once, though it has not set up.
//!
//! From the moment that the game is decided nothing that a player does costs anything or is
//! answered, though its result may be held back for a pause.
//!
//! With [`GameSettings::ng_terminates`] off the second and third cost an `NG ` only. A game for which neither player sets up in
//! time, or that the server stops, is void.

use std::time::Duration;

use bytes::Bytes;
use games::geister::{End, Move, Placement, Position, Rules, SEATS};
use games::{ByPlayer, BySeat, Player, Seat, Seating};
use protocol::gat::{Board, Outcome, Request};

use super::{Outbox, Referee, forfeited, refused, voided};
use crate::config::{Gat, USUAL_WAIT};
use record::{Clocks, EndKind, What};

pub use entrant::Entrant;
use entrant::RefusedLine;

mod entrant;
#[cfg(test)]
mod tests;

/// The seat that moves first, and the other.
const FIRST: Seat = Seat::new(0);
const SECOND: Seat = Seat::new(1);

/// Time of a player without a limit: about a hundred years.
const UNLIMITED: Duration = Duration::from_secs(u32::MAX as u64);

/// Shown of a player that never set up, when the game ends without it.
const UNSET: Placement = Placement::ALL[0];

/// The reason of a time-out behind messages that came without the usual pause.
const HURRIED: &str = "its time is up, and `MOV?` came right behind another message: \
                       a client that takes one read for one message needs `wait-ms`";

/// What waits to be sent to a seat.
#[derive(Clone, Copy, Debug)]
enum PendingMessage {
    Move,
    Result,
}

#[derive(Clone, Debug)]
enum GamePhase {
    /// [`Referee::start`] has not been called, or a placement is missing.
    SetUp,
    Play(Position),
    Over(Position, GeisterResult),
}

/// The state machine of one game, from the moment that two players sit until the result. See [the
/// module above](crate::referee) for how time and bytes go in and out.
///
/// Times are on one clock of the caller's, which need not begin with the game.
#[derive(Clone, Debug)]
pub struct GatReferee {
    settings: GameSettings,
    entrants: BySeat<Entrant>,
    phase: GamePhase,
    /// When the time to set up is up.
    set_up_by: Option<Duration>,
    left: BySeat<Duration>,
    asked: Duration,
    /// Messages held back for a pause, by seat, and when they are due.
    due: BySeat<Option<(Duration, PendingMessage)>>,
}

impl Referee for GatReferee {
    type In = Bytes;
    type Out = Bytes;

    fn start(&mut self, out: &mut Outbox<Bytes>) {
        for entrant in &mut self.entrants {
            // A game that happens again has set up after its time.
            entrant.told = entrant.told.min(Some(out.now));
        }
        self.set_up_by = self
            .settings
            .set_up
            .and_then(|time| out.now.checked_add(time));
        let seats = self.settings.seating.players();
        let begin = What::Begin {
            game: self.settings.game,
            seats: seats.iter().map(|player| player.number()).collect(),
            ranks: None,
            hands: Vec::new(),
            position: None,
        };
        self.event(begin, out);
        for seat in Seat::all(SEATS) {
            self.refusals(seat, out);
            self.record_placement(seat, out);
        }
        self.begin_if_set(out.now);
        self.wake(out);
    }

    fn receive(&mut self, player: Player, bytes: Bytes, out: &mut Outbox<Bytes>) {
        let seat = self.settings.seating.seat_of(player);
        self.entrants[seat].end.receive(&bytes);
        while let Some(request) = self.entrants[seat].end.next_request() {
            self.take(seat, request, out);
            self.release(out);
        }
    }

    fn lose(&mut self, player: Player, kind: EndKind, reason: &str, out: &mut Outbox<Bytes>) {
        if !self.is_decided() {
            let seat = self.settings.seating.seat_of(player);
            self.forfeit(seat, kind, reason, out);
        }
        self.release(out);
    }

    fn wake(&mut self, out: &mut Outbox<Bytes>) {
        if self.time_up().is_some_and(|at| at <= out.now) {
            self.run_out(out);
        }
        self.release(out);
    }

    fn stop(&mut self, out: &mut Outbox<Bytes>) {
        if !self.is_decided() {
            self.end_void(out);
        }
        self.due = BySeat::of(SEATS, None);
        self.close_all(out);
    }

    fn next_deadline(&self) -> Option<Duration> {
        self.holds_until().into_iter().chain(self.time_up()).min()
    }

    fn holds_until(&self) -> Option<Duration> {
        self.due.iter().flatten().map(|(at, _)| *at).min()
    }

    /// Whether the result stands and has been sent.
    fn is_over(&self) -> bool {
        self.is_decided() && self.due.iter().all(Option::is_none)
    }
}

impl GatReferee {
    /// A game between these players, by player (not by seat).
    pub fn new(settings: GameSettings, entrants: [Entrant; SEATS]) -> GatReferee {
        let entrants = settings.seating.by_seat(&ByPlayer::from(entrants));
        GatReferee {
            left: settings.seating.by_seat(&settings.clocks).map(budget),
            settings,
            entrants,
            phase: GamePhase::SetUp,
            set_up_by: None,
            asked: Duration::ZERO,
            due: BySeat::of(SEATS, None),
        }
    }

    fn take(&mut self, seat: Seat, request: Request, out: &mut Outbox<Bytes>) {
        if self.is_decided() {
            return;
        }
        match request {
            Request::Move(mv) => self.play(seat, mv, out),
            Request::Fault(line) => {
                let reason = self.entrants[seat].why(&line);
                self.entrants[seat].refuse(line.to_string(), reason.clone());
                self.fault(seat, EndKind::ProtocolError, &reason, out);
            }
            request => {
                if let Some(answer) = self.entrants[seat].set_up(&request, out.now) {
                    self.send(seat, answer, out);
                }
                self.refusals(seat, out);
                if let Request::Placement { .. } = request {
                    self.record_placement(seat, out);
                    self.begin_if_set(out.now);
                }
            }
        }
    }

    /// When the time of a placement or of the move is up.
    fn time_up(&self) -> Option<Duration> {
        match &self.phase {
            GamePhase::SetUp => self.set_up_by,
            GamePhase::Play(position) => {
                let seat = Seat::new(position.to_move()?);
                if self.due[seat].is_some() {
                    return None;
                }
                self.asked.checked_add(self.allowance(seat))
            }
            GamePhase::Over(..) => None,
        }
    }

    /// The time that a seat has for its move.
    fn allowance(&self, seat: Seat) -> Duration {
        let per_move = self.settings.clocks[self.player_at(seat)].move_ms;
        self.left[seat].saturating_add(Duration::from_millis(per_move.unwrap_or_default()))
    }

    fn is_decided(&self) -> bool {
        matches!(self.phase, GamePhase::Over(..))
    }

    /// The result, once the game is decided.
    pub fn result(&self) -> Option<&GeisterResult> {
        match &self.phase {
            GamePhase::Over(_, result) => Some(result),
            _ => None,
        }
    }

    /// The position in play or of the end, for those who may see all of it: never for a player.
    pub fn position(&self) -> Option<&Position> {
        match &self.phase {
            GamePhase::SetUp => None,
            GamePhase::Play(position) | GamePhase::Over(position, _) => Some(position),
        }
    }

    /// What the player in a seat has called itself.
    pub fn name(&self, seat: Seat) -> Option<&str> {
        self.entrants[seat].name.as_deref()
    }

    /// What the player in a seat has set up, as secret as its position.
    pub fn placement(&self, seat: Seat) -> Option<Placement> {
        self.entrants[seat].placement
    }

    fn play(&mut self, seat: Seat, mv: Move, out: &mut Outbox<Bytes>) {
        let GamePhase::Play(position) = &mut self.phase else {
            return;
        };
        let played = match position.play(mv) {
            Ok(played) => played,
            Err(reason) => {
                let reason = reason.to_string();
                self.entrants[seat].refuse(format!("MOV:{mv}"), reason.clone());
                self.fault(seat, EndKind::Illegal, &reason, out);
                return;
            }
        };
        let (next, end, after) = (position.to_move(), position.end(), *position);
        let colour = played.captured.map(|(_, colour)| colour);
        let answer = self.entrants[seat].end.accept_move(colour);
        self.send(seat, answer, out);
        self.entrants[seat].told = Some(out.now);
        let used = out.now.saturating_sub(self.asked).min(self.allowance(seat));
        self.left[seat] = self.left[seat].saturating_sub(used);
        let what = What::Move {
            player: self.player_at(seat).number(),
            mv: mv.to_string(),
            fault: None,
            spent: None,
            used: Some(used.as_millis() as u64),
            left: Some(self.left[seat].as_millis() as u64),
        };
        self.event(what, out);
        match (next, end) {
            (Some(next), None) => self.ask(Seat::new(next), out.now),
            (_, end) => self.end(after, end, None, out),
        }
    }

    /// The board of a message to a seat.
    fn board(position: &Position, seat: Seat, last: bool) -> Board {
        let seat = seat.number();
        Board::from(&if last {
            position.final_view(seat)
        } else {
            position.view(seat)
        })
    }

    fn send(&self, seat: Seat, message: Bytes, out: &mut Outbox<Bytes>) {
        out.send(self.player_at(seat), message);
    }

    /// Closes both connections. The official server closes first after a time-out.
    fn close_all(&self, out: &mut Outbox<Bytes>) {
        for seat in Seat::all(SEATS) {
            self.close(seat, out);
        }
    }

    fn close(&self, seat: Seat, out: &mut Outbox<Bytes>) {
        let is_timeout = |result: &GeisterResult| result.kinds.contains(&EndKind::Timeout);
        out.close_second = self.settings.closes_second && !self.result().is_some_and(is_timeout);
        out.close.push(self.player_at(seat));
    }

    fn player_at(&self, seat: Seat) -> Player {
        self.settings.seating.player_at(seat)
    }

    fn event(&self, what: What, out: &mut Outbox<Bytes>) {
        let time = out.now.saturating_sub(self.settings.began);
        out.events.push(what.at(time.as_millis() as u64));
    }

    fn refusals(&mut self, seat: Seat, out: &mut Outbox<Bytes>) {
        let player = self.player_at(seat);
        for RefusedLine { sent, reason } in std::mem::take(&mut self.entrants[seat].refusals) {
            self.event(refused(player, sent, reason), out);
        }
    }

    fn record_placement(&self, seat: Seat, out: &mut Outbox<Bytes>) {
        let entrant = &self.entrants[seat];
        if let Some(placement) = entrant.placement {
            let what = What::Setup {
                player: self.player_at(seat).number(),
                setup: placement.to_string(),
                name: entrant.name.clone(),
            };
            self.event(what, out);
        }
    }

    fn begin_if_set(&mut self, now: Duration) {
        let set = |seat: Seat| self.entrants[seat].placement;
        if let (Some(first), Some(second)) = (set(FIRST), set(SECOND)) {
            self.phase = GamePhase::Play(Position::new([first, second], self.settings.rules));
            self.ask(FIRST, now);
        }
    }

    /// The start position with what is set up, for the end of a game that never began.
    fn shown(&self) -> Position {
        let placement = |seat: Seat| self.entrants[seat].placement.unwrap_or(UNSET);
        Position::new([placement(FIRST), placement(SECOND)], self.settings.rules)
    }

    /// Asks a seat for its move, after the pause that it is due.
    fn ask(&mut self, seat: Seat, now: Duration) {
        self.due[seat] = Some((self.free_from(seat, now), PendingMessage::Move));
    }

    /// From when a message may go to a seat.
    fn free_from(&self, seat: Seat, now: Duration) -> Duration {
        let wait = self.settings.wait[self.player_at(seat).index()];
        match self.entrants[seat].told {
            Some(told) => told.saturating_add(wait).max(now),
            None => now,
        }
    }

    /// Sends the messages that have been held back long enough: the winner's result before the
    /// loser's, of a draw player 0's before player 1's.
    fn release(&mut self, out: &mut Outbox<Bytes>) {
        let last = match &self.phase {
            GamePhase::Over(
                _,
                GeisterResult {
                    winner: Some(player),
                    ..
                },
            ) => other(self.settings.seating.seat_of(*player)),
            _ => SECOND,
        };
        for seat in [other(last), last] {
            if let Some((at, due)) = self.due[seat]
                && at <= out.now
            {
                self.due[seat] = None;
                self.deliver(seat, due, out);
            }
        }
    }

    fn deliver(&mut self, seat: Seat, due: PendingMessage, out: &mut Outbox<Bytes>) {
        let Entrant {
            end,
            told,
            is_hurried,
            ..
        } = &mut self.entrants[seat];
        let message = match (&self.phase, due) {
            (GamePhase::Play(position), PendingMessage::Move) => {
                self.asked = out.now;
                let usual = Duration::from_millis(USUAL_WAIT);
                let last = told.replace(out.now);
                *is_hurried = last.is_some_and(|last| out.now.saturating_sub(last) < usual);
                end.move_request(&GatReferee::board(position, seat, false))
            }
            (GamePhase::Over(position, result), PendingMessage::Result) => {
                let winner = result.winner.map(|player| result.seating.seat_of(player));
                let outcome = Outcome::of(seat.number(), winner.map(Seat::number));
                let message = end.result(outcome, &GatReferee::board(position, seat, true));
                self.close(seat, out);
                message
            }
            _ => return,
        };
        self.send(seat, message, out);
    }

    fn fault(&mut self, seat: Seat, kind: EndKind, reason: &str, out: &mut Outbox<Bytes>) {
        self.send(seat, self.entrants[seat].end.refuse(), out);
        self.entrants[seat].told = Some(out.now);
        self.refusals(seat, out);
        if self.settings.ng_terminates {
            self.forfeit(seat, kind, reason, out);
        }
    }

    /// The time of a placement or of a move is up.
    fn run_out(&mut self, out: &mut Outbox<Bytes>) {
        match &self.phase {
            GamePhase::Play(position) => {
                let Some(seat) = position.to_move().map(Seat::new) else {
                    return;
                };
                let reason = if self.entrants[seat].is_hurried {
                    HURRIED
                } else {
                    "its time is up"
                };
                self.forfeit(seat, EndKind::Timeout, reason, out);
            }
            GamePhase::SetUp => {
                let missing = |seat: Seat| self.entrants[seat].placement.is_none();
                match (missing(FIRST), missing(SECOND)) {
                    (true, false) => self.stall(FIRST, out),
                    (false, true) => self.stall(SECOND, out),
                    _ => self.end_void(out),
                }
            }
            GamePhase::Over(..) => {}
        }
    }

    fn stall(&mut self, seat: Seat, out: &mut Outbox<Bytes>) {
        let (kind, reason) = self.entrants[seat].not_set_up();
        self.forfeit(seat, kind, reason, out);
    }

    fn forfeit(&mut self, seat: Seat, kind: EndKind, reason: &str, out: &mut Outbox<Bytes>) {
        self.event(forfeited(self.player_at(seat), kind, reason), out);
        let position = match &self.phase {
            GamePhase::Play(position) => *position,
            _ => self.shown(),
        };
        self.end(position, None, Some((seat, kind)), out);
    }

    /// Ends the game by the rules or by a fault of a seat.
    fn end(
        &mut self,
        position: Position,
        end: Option<End>,
        fault: Option<(Seat, EndKind)>,
        out: &mut Outbox<Bytes>,
    ) {
        let seating = self.settings.seating.clone();
        let mut kinds = [EndKind::Normal; SEATS];
        let mut winner = end.and_then(|end| end.winner).map(Seat::new);
        if let Some((seat, kind)) = fault {
            kinds[seating.player_at(seat).index()] = kind;
            winner = Some(other(seat));
        }
        let winner = winner.map(|seat| seating.player_at(seat));
        let result = GeisterResult {
            seating,
            winner,
            kinds,
            rule: end.map(|end| end.kind.name()),
            plies: position.ply(),
        };
        let places = winner.map_or([0; SEATS], |winner| [winner.number(), 1 - winner.number()]);
        let points = winner.map_or([0.5; SEATS], |winner| {
            [1 - winner.number(), winner.number()].map(f64::from)
        });
        let what = What::End {
            game: self.settings.game,
            places: places.to_vec(),
            points: points.to_vec(),
            game_points: Vec::new(),
            kinds: kinds.to_vec(),
            rule: result.rule.map(str::to_owned),
        };
        self.event(what, out);
        self.decide(position, result);
        let at = self
            .free_from(FIRST, out.now)
            .max(self.free_from(SECOND, out.now));
        self.due = BySeat::of(SEATS, Some((at, PendingMessage::Result)));
    }

    /// From now on nothing that a player sends means anything, even while the results are held
    /// back.
    fn decide(&mut self, position: Position, result: GeisterResult) {
        self.phase = GamePhase::Over(position, result);
        for entrant in &mut self.entrants {
            entrant.end.finish();
        }
    }

    fn end_void(&mut self, out: &mut Outbox<Bytes>) {
        self.event(voided(self.settings.game, SEATS), out);
        let position = match &self.phase {
            GamePhase::Play(position) | GamePhase::Over(position, _) => *position,
            GamePhase::SetUp => self.shown(),
        };
        let result = GeisterResult {
            seating: self.settings.seating.clone(),
            winner: None,
            kinds: [EndKind::Void; SEATS],
            rule: None,
            plies: position.ply(),
        };
        self.decide(position, result);
        self.due = BySeat::of(SEATS, None);
        self.close_all(out);
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSettings {
    /// Number of the game in its match, from 1.
    pub game: u32,
    /// When the match began, on the clock that the referee is given: the zero of the record's times.
    pub began: Duration,
    /// The player in each seat; seat 0 moves first.
    pub seating: Seating,
    pub rules: Rules,
    /// Time limits of each player, without an increment: for the whole game, and for each move after that time is used up.
    pub clocks: ByPlayer<Clocks>,
    /// Time to set up, from the moment that both are connected; `None` is no limit.
    pub set_up: Option<Duration>,
    /// Least time between a message and the next one that answers nothing, by player.
    pub wait: [Duration; SEATS],
    /// Whether a refused move loses the game.
    pub ng_terminates: bool,
    /// Whether it is left to clients to close first, unless the time of one was up.
    pub closes_second: bool,
}

impl GameSettings {
    /// Those of game number `game` on a server with these settings. If the settings swap seats the players change
    /// them after every game; else player 0 is always the first to move.
    pub fn new(settings: &Gat, game: u32, began: Duration) -> GameSettings {
        let ms = Duration::from_millis;
        GameSettings {
            game,
            began,
            seating: Seating::rotation(SEATS, usize::from(settings.swap && game.is_multiple_of(2))),
            rules: Rules {
                ply_limit: settings.ply_limit,
            },
            clocks: ByPlayer::of(
                SEATS,
                Clocks {
                    move_ms: Some(settings.move_ms),
                    game_ms: Some(settings.budget_ms),
                    increment_ms: None,
                },
            ),
            set_up: (settings.seat_timeout_ms > 0).then(|| ms(settings.seat_timeout_ms)),
            wait: settings.wait_ms.map(ms),
            ng_terminates: settings.ng_terminates,
            closes_second: settings.strict,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeisterResult {
    pub seating: Seating,
    /// The player that won; `None` for a draw and for a void game.
    pub winner: Option<Player>,
    /// How it ended for each player. Both are void in a game that does not count.
    pub kinds: [EndKind; SEATS],
    /// The rule that ended it: the name of a [`games::geister::EndKind`]; `None` after a fault.
    pub rule: Option<&'static str>,
    pub plies: u16,
}

impl GeisterResult {
    /// Whether the game does not count.
    pub fn is_void(&self) -> bool {
        self.kinds[0] == EndKind::Void
    }
}

/// Time for the whole game; [`UNLIMITED`] without a limit.
fn budget(clocks: &Clocks) -> Duration {
    match (clocks.game_ms, clocks.move_ms) {
        (Some(budget), _) => Duration::from_millis(budget),
        (None, Some(_)) => Duration::ZERO,
        (None, None) => UNLIMITED,
    }
}

fn other(seat: Seat) -> Seat {
    if seat == FIRST { SECOND } else { FIRST }
}
