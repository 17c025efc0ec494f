//! Players: what is asked for moves and told of events.

use std::io::Write;
use std::time::Duration;

use log::warn;
use protocol::native::ServerMessage;
use serde_json::Value;

use super::ClientGame;

/// Tells people that a server is silent: those at a terminal by their player, others in the log.
pub(crate) fn tell_of_silence<G: ClientGame>(
    player: &mut dyn Player<G>,
    sentence: &str,
    out: &mut dyn Write,
) {
    if !player.wakes() || player.shows() {
        warn!("{sentence}");
    }
    player.tell(News::Said(sentence), out);
}

/// A player in a seat.
///
/// A protocol's client tells it what happens and lets it act after everything that happens. A player that cannot
/// answer at once wakes the client when it can.
pub trait Player<G: ClientGame> {
    /// Takes notice of something. What is to be shown goes to `out`.
    fn tell(&mut self, news: News<'_, G>, out: &mut dyn Write);

    /// What the player does now; `None` if nothing. `view` is absent before the first game, `asked` unless a move of
    /// this seat is due.
    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<Asked<'_, G>>,
        out: &mut dyn Write,
    ) -> Option<Act<G::Move>>;

    /// Whether it wakes the client by itself; otherwise it acts only when something has happened.
    fn wakes(&self) -> bool {
        false
    }

    /// Whether it shows the table to others. Then it is told of all that happens there.
    fn shows(&self) -> bool {
        false
    }

    /// Takes notice of what has happened at the table, in the words of the native protocol, whatever protocol the table
    /// has: a `view` comes after whatever changes it. Numbers of events, and times that the protocol does not tell,
    /// are 0.
    fn show(&mut self, _message: &ServerMessage) {}

    /// What its decisions took.
    fn thinking(&self) -> Thinking {
        Thinking::default()
    }
}

/// Something that a player is told.
pub enum News<'a, G: ClientGame> {
    /// Rules of the server.
    Rules(&'a Value),
    /// The last game is over, another one comes.
    NewGame,
    /// The view at the beginning of a game, where the protocol has one.
    Begun(&'a G::View),
    /// A move.
    Played(&'a G::Played),
    /// The view at the end of a game, with what was hidden, where the protocol shows it.
    Ended(&'a G::View),
    /// What the seat sees from now on.
    Seen(&'a G::View),
    /// A sentence for people.
    Said(&'a str),
}

/// A request for a move.
pub struct Asked<'a, G: ClientGame> {
    /// Most time; without it the player's own budget counts.
    pub limit: Option<Duration>,
    /// Moves that the server has refused.
    pub refused: &'a [G::Move],
}

/// What a player does.
pub enum Act<M> {
    /// It makes a move, where one is due.
    Move(Decision<M>),
    /// It finds no move that is legal and was not refused.
    NoMove,
    /// It gives the game up.
    Resign,
    /// It leaves the match.
    Leave,
}

/// A decision.
pub struct Decision<M> {
    /// The move.
    pub mv: M,
    /// Time and reasons for the log, an object.
    pub log: Value,
}

/// What decisions took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    /// Decisions made.
    pub decisions: u64,
    /// Time spent on them.
    pub time: Duration,
    /// The longest of them.
    pub longest: Duration,
    /// Answers of the engine that were illegal, or missing for a panic, and were replaced.
    pub corrected: u64,
}

impl Thinking {
    /// Mean milliseconds of a decision; 0 without decisions.
    pub fn mean_ms(&self) -> f64 {
        1e3 * self.time.as_secs_f64() / self.decisions.max(1) as f64
    }

    /// Milliseconds of the longest decision.
    pub fn longest_ms(&self) -> f64 {
        1e3 * self.longest.as_secs_f64()
    }
}
