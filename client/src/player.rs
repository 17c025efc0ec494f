//! Players: what is asked for moves and told of events.

use std::io::Write;
use std::time::Duration;

use games::{OfferStep, Seat};
use log::warn;
use protocol::native::{Clocks, ErrorCode};
use record::{Frame, GameResult};
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
    player.tell(Notification::Said(sentence), out);
}

/// A player in a seat.
///
/// A protocol's client tells it what happens and lets it act after everything that happens. A player that cannot
/// answer at once wakes the client when it can.
pub trait Player<G: ClientGame> {
    /// Takes notice of something. What is to be shown goes to `out`.
    fn tell(&mut self, news: Notification<'_, G>, out: &mut dyn Write);

    /// What the player does now; `None` if nothing. `view` is absent before the first game, `asked` unless a move of
    /// this seat is due.
    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<MoveRequest<'_, G>>,
        out: &mut dyn Write,
    ) -> Option<Action<G::Move>>;

    /// Whether it wakes the client by itself; otherwise it acts only when something has happened.
    fn wakes(&self) -> bool {
        false
    }

    /// Whether it shows the table to others. Then it is told of all that happens there.
    fn shows(&self) -> bool {
        false
    }

    /// Takes an event of the table; events are the same for all protocols.
    fn show(&mut self, _event: TableEvent) {}

    /// What its decisions took.
    fn thinking(&self) -> Thinking {
        Thinking::default()
    }
}

/// Something that happens at a table, for a player that shows it. A protocol that numbers no players calls the own one 0.
#[derive(Clone, Debug)]
pub enum TableEvent {
    /// The own player has a seat; the number is that of the player.
    Seated(u8),
    /// The match begins.
    Match {
        /// Names by player.
        players: Vec<String>,
        /// Games of the match; 0 where they are not known.
        games: u32,
        /// Rules of the game, as the game writes them.
        rules: Value,
        /// Limits of time; empty where the protocol does not state them.
        clocks: Clocks,
        /// Whether the players may agree on a draw.
        draws: bool,
    },
    /// What the seat sees now. Its clocks are those of the protocol.
    Frame(Frame),
    /// The own seat has to move, within so many milliseconds.
    Request(Option<u64>),
    /// A seat says something about a draw.
    Draw(Seat, OfferStep),
    /// A player's connection was lost, or it is back.
    Presence(u8, bool),
    /// A game is over.
    Result(GameResult),
    /// The match is over.
    Over {
        /// Points of the match by player; empty where the protocol does not state them.
        scores: Vec<f64>,
        /// Why it is over before its last game.
        reason: Option<String>,
    },
    /// The server has refused something, with a sentence for people.
    Error(ErrorCode, String),
}

/// Something that a player is told.
pub enum Notification<'a, G: ClientGame> {
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
pub struct MoveRequest<'a, G: ClientGame> {
    /// Most time; without it the player's own budget counts.
    pub limit: Option<Duration>,
    /// Moves that the server has refused.
    pub refused: &'a [G::Move],
}

/// What a player does.
pub enum Action<M> {
    /// It makes a move, where one is due.
    Move(Decision<M>),
    /// It finds no move that is legal and was not refused.
    NoMove,
    /// It gives the game up.
    Resign,
    /// It says something about a draw in this game; without a number, in the game in play.
    Draw(Option<u32>, OfferStep),
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
