//! What a bridge needs of an engine, whatever it speaks.

use std::ffi::OsString;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use client::Input;
use log::warn;
use serde_json::Value;

use super::error::BridgeError;
use super::process::{Output, Process};

/// How long an engine that has closed its output may take to end.
const END: Duration = Duration::from_millis(200);
/// How long an engine may think about a question of the start until it is said that the bridge waits.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes that are no answer, between two answers, above which an engine is ended.
pub(super) const MOST_STRAY: usize = 1 << 20;
/// Complaints of each kind that are written out.
pub(super) const TOLD: u64 = 3;

pub(super) enum Event {
    Server(Input),
    Engine(Output),
}

impl From<Output> for Event {
    fn from(output: Output) -> Event {
        Event::Engine(output)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) game: u32,
    pub(super) ply: u32,
}

/// The time for a move in milliseconds, as the server tells it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    pub(super) left: Option<u64>,
    /// What of it is budget for the whole game.
    pub(super) budget: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EngineChoice {
    /// A move, or whatever it has in the place of one.
    Move(String),
    Resign,
    Fail,
}

/// A move in the form in which an engine gets it.
pub(super) trait BridgedMove: Sized {
    const SEATS: u8;

    fn read(seat: u8, text: &str) -> Result<Self, String>;

    fn of_view(mv: &Value) -> Result<Self, String>;
}

/// The game in play, as the server tells it.
#[derive(Debug)]
pub(super) struct BridgedGame<M> {
    /// The number of the game; 0 before the first.
    pub(super) number: u32,
    /// The own seat; `None` before the first view.
    pub(super) seat: Option<u8>,
    /// All moves so far, with those of a random opening.
    pub(super) moves: Vec<M>,
}

impl<M: BridgedMove> BridgedGame<M> {
    /// A game begins. Its view tells the seat and the opening.
    pub(super) const fn begin(number: u32) -> Self {
        Self {
            number,
            seat: None,
            moves: Vec::new(),
        }
    }

    pub(super) fn view(&mut self, number: u32, seat: u8, view: &Value) -> Result<(), String> {
        if seat >= M::SEATS {
            return Err(format!("a view of seat {seat}"));
        }
        let moves = view["moves"].as_array().ok_or("a view without moves")?;
        let moves: Result<Vec<M>, String> = moves.iter().map(M::of_view).collect();
        *self = Self {
            number,
            seat: Some(seat),
            moves: moves?,
        };
        Ok(())
    }

    /// Follows a move. One that is in the view already is passed over, and so is one after others that were not
    /// told: the view will tell.
    pub(super) fn moved(
        &mut self,
        number: u32,
        ply: u32,
        seat: u8,
        text: &str,
    ) -> Result<(), String> {
        if (number, ply) == (self.number, self.ply()) {
            self.moves.push(M::read(seat, text)?);
        }
        Ok(())
    }

    pub(super) const fn ply(&self) -> u32 {
        self.moves.len() as u32
    }
}

pub(super) trait BridgedEngine: Sized {
    /// The game, as the native protocol names it.
    const GAME: &'static str;
    type Move: BridgedMove;
    type Setup;

    /// Starts an engine, sets it up, and makes it ready for a game.
    ///
    /// # Errors
    /// When it does not start, ends, or has not answered within `limit`.
    fn start(
        words: &[OsString],
        setup: &Self::Setup,
        limit: Duration,
        sender: SyncSender<Event>,
        events: &Receiver<Event>,
    ) -> Result<Self, BridgeError>;

    /// The name that it gives itself, and its version; empty if it has none.
    ///
    /// # Errors
    /// When it ends.
    fn name(&mut self, events: &Receiver<Event>) -> Result<(String, String), BridgeError>;

    fn clear(&mut self);

    /// Whether no answer of the engine is pending, such as that to [`BridgedEngine::clear`].
    fn is_ready(&self) -> bool;

    /// Tells it the moves of the game, where it wants to know them before its turn.
    fn follow(&mut self, game: &BridgedGame<Self::Move>);

    fn choose(&mut self, game: &BridgedGame<Self::Move>, turn: Turn, clock: Clock);

    /// Takes in bytes. Take all choices after each.
    fn receive(&mut self, bytes: &[u8]);

    /// The next choice.
    ///
    /// # Errors
    /// When the engine writes without an end.
    fn next_choice(&mut self) -> Result<Option<(Turn, EngineChoice)>, BridgeError>;

    fn over(&mut self) {}

    fn process(&mut self) -> &mut Process;

    fn ended(&mut self) -> BridgeError {
        let how = match self.process().wait(END) {
            Some(status) => status.to_string(),
            None => "it has closed its output and runs on".to_owned(),
        };
        BridgeError::Ended(how)
    }

    fn quit(&mut self);
}

/// Waits for what an engine that was told `command` is to answer; `next` gives it once it is there.
///
/// # Errors
/// When the engine ends, or has not answered within `limit`; those of `next`.
pub(super) fn wait<E: BridgedEngine, T>(
    engine: &mut E,
    events: &Receiver<Event>,
    command: &str,
    limit: Duration,
    mut next: impl FnMut(&mut E) -> Result<Option<T>, BridgeError>,
) -> Result<T, BridgeError> {
    let began = Instant::now();
    let mut patience = Some(PATIENCE).filter(|patience| *patience < limit);
    loop {
        if let Some(answer) = next(engine)? {
            return Ok(answer);
        }
        let left = patience.unwrap_or(limit);
        match events.recv_timeout(left.saturating_sub(began.elapsed())) {
            Ok(Event::Engine(Output::Bytes(bytes))) => engine.receive(&bytes),
            Ok(Event::Server(_)) => {}
            Ok(Event::Engine(Output::Closed)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(engine.ended());
            }
            Err(RecvTimeoutError::Timeout) if patience.take().is_some() => {
                warn!("still waiting for the engine's answer to `{command}`");
            }
            Err(RecvTimeoutError::Timeout) => {
                return Err(BridgeError::Silent {
                    command: command.to_owned(),
                    seconds: limit.as_secs_f64(),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use games::dobutsu::Move;

    #[test]
    fn a_view_of_a_seat_that_the_game_has_not_is_refused() {
        let mut game = BridgedGame::<Move>::begin(1);
        let view = json!({"moves": []});
        assert!(game.view(1, 2, &view).is_err() && game.seat.is_none());
        assert!(game.view(1, 1, &view).is_ok() && game.seat == Some(1));
    }
}
