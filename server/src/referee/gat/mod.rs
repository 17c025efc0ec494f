//! The referee of a game of Geister in the GAT protocol: two players, one game.
//!
//! Players are numbered by their port, seats by who moves first; the two go together as
//! [`GameSettings::player_at`] says. Nothing on the wire names a seat.
//!
//! # What a fault costs
//! | what | costs |
//! |---|---|
//! | a refused placement, a line out of turn | an `NG `, nothing else |
//! | a second placement, on one's turn too | an `NG `, nothing else |
//! | an illegal move on one's turn | the game, [`EndKind::Illegal`] |
//! | any other line on one's turn | the game, [`EndKind::ProtocolError`] |
//! | no move in time | the game, [`EndKind::Timeout`] |
//! | no placement in time | the game, [`EndKind::Stall`] |
//! | leaving before the end | the game, [`EndKind::Disconnect`] |
//!
//! The timer decides what is late, not the clock: a move that is read before the timer has woken the
//! referee counts, however late the server is, and costs no more than the time that the player had.
//!
//! When one has left before the game began, the other has a minute to set up and win, even if there is
//! no limit else.
//!
//! From the moment that the game is decided nothing that a player does costs anything or is
//! answered, though its result may be held back for a pause.
//!
//! With [`GameSettings::ng_terminates`] off the second and third cost an `NG ` only. A game that both
//! players fail before it has begun, or that the server stops, is void.

mod course;
mod entrant;
mod outbox;
#[cfg(test)]
mod record_tests;
mod settings;
#[cfg(test)]
mod tests;

use std::time::Duration;

use games::geister::{Move, Placement, Position, SEATS};
use protocol::gat::{Board, Request};

use record::{EndKind, What};

pub use entrant::Entrant;
pub use outbox::Outbox;
pub use settings::{GameResult, GameSettings};

/// Shown of a player that never set up, when the game ends without it.
const UNSET: Placement = Placement::ALL[0];

/// Time to set up for the one that stays when the other has left, where there is no limit else: it
/// may be gone as well, and the table is not to wait for ever.
const ALONE: Duration = Duration::from_mins(1);

/// What waits to be sent to a seat.
#[derive(Clone, Copy, Debug)]
enum Due {
    Move,
    Result,
}

/// How far the game is.
#[derive(Clone, Debug)]
enum Phase {
    /// [`Referee::start`] has not been called, or a placement is missing.
    SetUp,
    /// Moves are played.
    Play(Position),
    /// The game is over.
    Over(Position, GameResult),
}

/// The state machine of one game, from the moment that two players sit until the result. See [the
/// module above](crate::referee) for how time and bytes go in and out.
///
/// Times are on one clock of the caller's, which need not begin with the game.
#[derive(Clone, Debug)]
pub struct Referee {
    settings: GameSettings,
    entrants: [Entrant; SEATS],
    phase: Phase,
    /// When the time to set up is up.
    set_up_by: Option<Duration>,
    /// Time left of each seat's budget.
    left: [Duration; SEATS],
    /// When the mover was asked.
    asked: Duration,
    /// Messages held back for a pause, by seat, and when they are due.
    due: [Option<(Duration, Due)>; SEATS],
    /// A seat that left before it was decided what that costs.
    leaver: Option<usize>,
}

impl Referee {
    /// A game between these players, by player (not by seat).
    pub fn new(settings: GameSettings, entrants: [Entrant; SEATS]) -> Referee {
        let mut entrants = entrants;
        if settings.player_at == [1, 0] {
            entrants.swap(0, 1);
        }
        Referee {
            left: [settings.budget; SEATS],
            settings,
            entrants,
            phase: Phase::SetUp,
            set_up_by: None,
            asked: Duration::ZERO,
            due: [None; SEATS],
            leaver: None,
        }
    }

    /// Starts the game. Call it once, before anything else.
    pub fn start(&mut self, now: Duration, out: &mut Outbox) {
        self.set_up_by = self.settings.set_up.and_then(|time| now.checked_add(time));
        let seats = self.settings.player_at.to_vec();
        let begin = What::Begin {
            game: self.settings.game,
            seats,
            ranks: None,
            hands: Vec::new(),
            position: None,
        };
        self.event(begin, now, out);
        for seat in 0..SEATS {
            self.refusals(seat, now, out);
            self.record_placement(seat, now, out);
        }
        self.begin_if_set(now, out);
        self.wake(now, out);
    }

    /// Takes bytes of the player in a seat, in any cuts.
    pub fn receive(&mut self, seat: u8, bytes: &[u8], now: Duration, out: &mut Outbox) {
        let seat = usize::from(seat);
        self.entrants[seat].end.receive(bytes);
        while let Some(request) = self.entrants[seat].end.next_request() {
            self.take(seat, request, now, out);
            self.release(now, out);
        }
        // One that never stops sending must not stop the clocks.
        self.wake(now, out);
    }

    fn take(&mut self, seat: usize, request: Request, now: Duration, out: &mut Outbox) {
        if self.is_decided() {
            return;
        }
        match request {
            Request::Move(mv) => self.play(seat, mv, now, out),
            Request::Fault(line) => {
                let reason = self.entrants[seat].why(&line);
                self.entrants[seat].refuse(line.to_string(), reason.clone());
                self.fault(seat, EndKind::ProtocolError, &reason, now, out);
            }
            request => {
                if let Some(answer) = self.entrants[seat].set_up(&request, now) {
                    out.send(seat, answer);
                }
                self.refusals(seat, now, out);
                if let Request::Placement { .. } = request {
                    self.record_placement(seat, now, out);
                    self.begin_if_set(now, out);
                }
            }
        }
    }

    /// The connection of the player in a seat is lost.
    pub fn lose(&mut self, seat: u8, reason: &str, now: Duration, out: &mut Outbox) {
        let seat = usize::from(seat);
        let kind = EndKind::Disconnect;
        match self.phase {
            Phase::Over(..) => {}
            Phase::Play(_) => self.forfeit(seat, kind, reason, now, out),
            // The one that stays is owed the answer to its placement before the result.
            Phase::SetUp => match self.leaver {
                None => {
                    self.leaver = Some(seat);
                    self.set_up_by = self.set_up_by.or(now.checked_add(ALONE));
                    self.event_of_forfeit(seat, kind, reason, now, out);
                    self.begin_if_set(now, out);
                }
                Some(other) if other != seat => self.end_void(now, out),
                Some(_) => {}
            },
        }
        self.wake(now, out);
    }

    /// When [`Referee::wake`] is due.
    pub fn next_deadline(&self) -> Option<Duration> {
        let held = self.due.iter().flatten().map(|(at, _)| *at);
        held.chain(self.time_up()).min()
    }

    /// When the time of a placement or of the move is up.
    fn time_up(&self) -> Option<Duration> {
        match &self.phase {
            Phase::SetUp => self.set_up_by,
            Phase::Play(position) => {
                let seat = usize::from(position.to_move()?);
                if self.due[seat].is_some() {
                    return None;
                }
                self.asked.checked_add(self.allowance(seat))
            }
            Phase::Over(..) => None,
        }
    }

    /// The time that a seat has for its move.
    fn allowance(&self, seat: usize) -> Duration {
        self.left[seat].saturating_add(self.settings.per_move)
    }

    /// Does what is due at `now`.
    pub fn wake(&mut self, now: Duration, out: &mut Outbox) {
        if self.time_up().is_some_and(|at| at <= now) {
            self.run_out(now, out);
        }
        self.release(now, out);
    }

    /// Stops the game at once: it is void.
    pub fn stop(&mut self, now: Duration, out: &mut Outbox) {
        if !self.is_decided() {
            self.end_void(now, out);
        }
        self.due = [None; SEATS];
        out.close = [true; SEATS];
    }

    /// Whether the result stands and has been sent.
    pub fn is_over(&self) -> bool {
        self.is_decided() && self.due.iter().all(Option::is_none)
    }

    fn is_decided(&self) -> bool {
        matches!(self.phase, Phase::Over(..))
    }

    /// The result, once the game is decided.
    pub fn result(&self) -> Option<GameResult> {
        match self.phase {
            Phase::Over(_, result) => Some(result),
            _ => None,
        }
    }

    /// The position in play or of the end, for those who may see all of it: never for a player.
    pub fn position(&self) -> Option<&Position> {
        match &self.phase {
            Phase::SetUp => None,
            Phase::Play(position) | Phase::Over(position, _) => Some(position),
        }
    }

    /// What the player in a seat has called itself.
    pub fn name(&self, seat: u8) -> Option<&str> {
        self.entrants[usize::from(seat)].name.as_deref()
    }

    /// What the player in a seat has set up, as secret as [`Referee::position`].
    pub fn placement(&self, seat: u8) -> Option<Placement> {
        self.entrants[usize::from(seat)].placement
    }

    fn play(&mut self, seat: usize, mv: Move, now: Duration, out: &mut Outbox) {
        let Phase::Play(position) = &mut self.phase else {
            return;
        };
        let played = match position.play(mv) {
            Ok(played) => played,
            Err(reason) => {
                let reason = reason.to_string();
                self.entrants[seat].refuse(format!("MOV:{mv}"), reason.clone());
                self.fault(seat, EndKind::Illegal, &reason, now, out);
                return;
            }
        };
        let (next, end, after) = (position.to_move(), position.end(), *position);
        let color = played.captured.map(|(_, color)| color);
        let answer = self.entrants[seat].end.accept_move(color);
        out.send(seat, answer);
        self.entrants[seat].answered = Some(now);
        let used = now.saturating_sub(self.asked).min(self.allowance(seat));
        self.left[seat] = self.left[seat].saturating_sub(used);
        let what = What::Move {
            player: self.settings.player_at[seat],
            mv: mv.to_string(),
            fault: None,
            spent: None,
            used: Some(used.as_millis() as u64),
            left: Some(self.left[seat].as_millis() as u64),
        };
        self.event(what, now, out);
        match (next, end) {
            (Some(next), None) => self.ask(usize::from(next), now),
            (_, end) => self.end(after, end, None, now, out),
        }
    }

    /// The board of a message to a seat.
    fn board(position: &Position, seat: usize, last: bool) -> Board {
        let seat = seat as u8;
        Board::from(&if last {
            position.final_view(seat)
        } else {
            position.view(seat)
        })
    }
}
