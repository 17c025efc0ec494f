//! What the client needs to know of a game.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::client::summary::GameEnd;

/// Rules, texts and engines of a game, as its client uses them.
pub trait Game: 'static {
    /// Its name in the protocol, such as `score-four`.
    const NAME: &'static str;
    /// Its seats.
    const SEATS: u8;
    /// What a person may type, a line each.
    const HELP: &'static str;
    /// An example of a move and what it is called, such as `A peg such as b3`.
    const EXAMPLE: &'static str;

    /// Ends by which the rules take a seat out of a game that others go on with. Positions know of them by
    /// themselves when the seat's turn comes.
    const RULE_ENDS: &'static [&'static str] = &[];

    /// The state of a game as a client knows it; the default is that at the beginning.
    type Position: Clone + Default;
    /// A move; its text is that of the protocol.
    type Move: Copy + fmt::Display;
    /// A player of the game.
    type Engine: ?Sized;
    /// The count of its results.
    type Tally: Tally;

    /// What is to be said about options of the rules that the engines do not know.
    fn warning(_rules: &Value) -> Option<String> {
        None
    }

    /// The position of a view.
    ///
    /// # Errors
    /// When the view cannot be read.
    fn read_view(view: &Value) -> Result<Self::Position, String>;

    /// Plies played.
    fn ply(position: &Self::Position) -> u32;

    /// The seat to move; `None` when the game is over.
    fn to_move(position: &Self::Position) -> Option<u8>;

    /// Whether the seat to move may make a move.
    fn is_legal(position: &Self::Position, mv: Self::Move) -> bool;

    /// The legal moves of the seat to move.
    fn legal_moves(position: &Self::Position) -> Vec<Self::Move>;

    /// Plays the move of a seat as the server tells it; gives whether it fits.
    fn play(position: &mut Self::Position, seat: u8, text: &str) -> bool;

    /// A seat has lost by a fault; the turn passes on if it was its own. Nothing for games of two.
    fn withdraw(_position: &mut Self::Position, _seat: u8) {}

    /// Moves that a seat is likely to have before it, at least 1; `None` where clocks are not shared out.
    fn moves_left(_position: &Self::Position, _seat: u8) -> Option<u32> {
        None
    }

    /// The position for logs.
    fn log(position: &Self::Position) -> Value;

    /// The position for people, lines with their ends.
    fn draw(position: &Self::Position) -> String;

    /// A person's move of the seat to move.
    ///
    /// # Errors
    /// A sentence on what is wrong with it.
    fn read_move(position: &Self::Position, text: &str) -> Result<Self::Move, String>;

    /// Whether a text is a move, legal or not.
    ///
    /// # Errors
    /// A sentence on what is wrong with it.
    fn check_notation(text: &str) -> Result<(), String>;

    /// What people call a seat, such as `x`.
    fn seat_name(seat: u8) -> &'static str;

    /// A move for the seat to move, within the engine's own budget and `limit`.
    fn choose(
        engine: &mut Self::Engine,
        position: &Self::Position,
        limit: Option<Duration>,
    ) -> Self::Move;

    /// A new game begins.
    fn new_game(_engine: &mut Self::Engine) {}

    /// The reasons for the last choice.
    fn explain(engine: &Self::Engine) -> Option<Value>;
}

/// The count of results that a game has for its player; its text is the first part of a summary.
pub trait Tally: Clone + Default + fmt::Debug + fmt::Display + PartialEq {
    /// Counts the end of a game; gives what it was to the seat in a word.
    fn add(&mut self, seat: u8, end: &GameEnd<'_>) -> &'static str;

    /// Writes its figures into the summary's JSON.
    fn write(&self, summary: &mut Map<String, Value>);
}
