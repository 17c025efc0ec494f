//! What the client of the native protocol needs to know of a game.

use serde_json::Value;

use crate::client::{ClientGame, DuelTally, Tally};

/// An open game as the native protocol tells it. A view is the position as the client follows it; the default is
/// that at the beginning.
pub trait NativeGame: ClientGame<View: Default> {
    /// Its name in the protocol, such as `score-four`.
    const NAME: &'static str;
    /// Its seats.
    const SEATS: u8;
    /// Ends by which the rules take a seat out of a game that others go on with. Positions know of them by
    /// themselves when the seat's turn comes.
    const RULE_ENDS: &'static [&'static str] = &[];

    /// The count of its results.
    type Tally: Counts;

    /// The position of a view.
    ///
    /// # Errors
    /// When the view cannot be read.
    fn read_view(view: &Value) -> Result<Self::View, String>;

    /// Plies played.
    fn ply(position: &Self::View) -> u32;

    /// The seat to move; `None` when the game is over.
    fn to_move(position: &Self::View) -> Option<u8>;

    /// Plays the move of a seat as the server tells it; gives whether it fits.
    fn play(position: &mut Self::View, seat: u8, text: &str) -> bool;

    /// Takes a seat out that has lost by a fault; the turn passes on if it was its own. Nothing for games of two.
    fn withdraw(_position: &mut Self::View, _seat: u8) {}

    /// Moves that a seat is likely to have before it, at least 1; `None` where clocks are not shared out.
    fn moves_left(_position: &Self::View, _seat: u8) -> Option<u32> {
        None
    }

    /// The position for logs.
    fn log(position: &Self::View) -> Value;

    /// What people call a seat, such as `x`.
    fn seat_name(seat: u8) -> &'static str;
}

/// A tally that takes results of the native protocol.
pub trait Counts: Tally {
    /// Counts the end of a game; gives what it was to the seat in a word.
    fn add(&mut self, seat: u8, end: &GameEnd<'_>) -> &'static str;
}

impl Counts for DuelTally {
    fn add(&mut self, seat: u8, end: &GameEnd<'_>) -> &'static str {
        let results = self.of(Some(seat));
        let (count, word) = match end.outcome(seat) {
            None => return "void",
            Some(Outcome::Won) => (&mut results.won, "won"),
            Some(Outcome::Shared) => (&mut results.drawn, "drawn"),
            Some(Outcome::Lost) => (&mut results.lost, "lost"),
        };
        *count += 1;
        word
    }
}

/// What a game came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The best place, alone.
    Won,
    /// The best place, with others.
    Shared,
    /// Another place.
    Lost,
}

/// The end of a game, as the server tells it; lists go by seat.
#[derive(Clone, Copy, Debug)]
pub struct GameEnd<'a> {
    /// Places, 1 is the best; empty if the game does not count.
    pub places: &'a [u8],
    /// Points for the match.
    pub scores: &'a [f64],
    /// Points by the game's own count; empty in games that have none.
    pub game_points: &'a [i32],
}

impl GameEnd<'_> {
    /// What it is to a seat; `None` if the game does not count.
    pub fn outcome(&self, seat: u8) -> Option<Outcome> {
        let is_first = *self.places.get(usize::from(seat))? == 1;
        let mut winners = self.places.iter().filter(|place| **place == 1);
        let is_shared = winners.nth(1).is_some();
        Some(match (is_first, is_shared) {
            (true, false) => Outcome::Won,
            (true, true) => Outcome::Shared,
            (false, _) => Outcome::Lost,
        })
    }
}
