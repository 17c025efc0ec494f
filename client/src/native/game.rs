//! What the client of the native protocol needs to know of a game.

use std::str::FromStr;

use games::{Game, Seat};
use serde_json::Value;

use crate::{ClientGame, Counts, DuelCounts};

/// An open game, as the client follows it and as players see it. Its rules and moves are those of [`Game`]; players see
/// its [`Board`](NativeGame::Board) alone, so that each of them is a [`ClientGame`].
pub trait NativeGame: Game {
    /// The position as players see it.
    type Board: Clone;
    /// The count of its results.
    type Counts: NativeCounts;

    /// What a person may type, a line each.
    const HELP: &'static str;
    /// An example of what may be typed and what it is called, such as `A peg such as b3`.
    const EXAMPLE: &'static str;

    /// The position that a view of the server shows.
    ///
    /// # Errors
    /// When the view cannot be read.
    fn read_view(rules: &Self::Rules, view: &Value) -> Result<Self, String>;

    /// The position.
    fn board(&self) -> &Self::Board;

    /// The legal moves of the seat to move; none when the game is over.
    fn legal(board: &Self::Board) -> Vec<Self::Move>;

    /// Moves that a seat is likely to have before it, at least 1; `None` where clocks are not shared out.
    fn moves_left(&self, _seat: Seat) -> Option<u32> {
        None
    }

    /// The position for logs.
    fn log(board: &Self::Board) -> Value;

    /// The position for people, lines with their ends.
    fn draw(board: &Self::Board) -> String;

    /// What people call a seat, such as `x`.
    fn seat_name(seat: Seat) -> &'static str;

    /// Checks a move of the seat to move.
    ///
    /// # Errors
    /// A sentence on the rule that forbids it.
    fn check(board: &Self::Board, mv: Self::Move) -> Result<(), String>;
}

impl<G: NativeGame> ClientGame for G {
    type View = G::Board;
    type Move = <G as Game>::Move;
    type Played = ();

    const HELP: &'static str = G::HELP;

    fn example(_: &G::Board) -> &'static str {
        G::EXAMPLE
    }

    fn legal_moves(board: &G::Board) -> Vec<Self::Move> {
        G::legal(board)
    }

    fn is_legal(board: &G::Board, mv: Self::Move) -> bool {
        G::check(board, mv).is_ok()
    }

    fn draw(board: &G::Board) -> String {
        G::draw(board)
    }

    fn read_move(board: &G::Board, text: &str) -> Result<Self::Move, String> {
        let mv = read::<G>(text)?;
        G::check(board, mv).map(|()| mv)
    }

    fn check_notation(text: &str) -> Result<(), String> {
        read::<G>(text).map(drop)
    }
}

fn read<G: Game>(text: &str) -> Result<G::Move, String> {
    text.parse()
        .map_err(|e: <G::Move as FromStr>::Err| e.to_string())
}

/// Counts of results of the native protocol.
pub trait NativeCounts: Counts {
    /// Counts the end of a game; gives what it was to the seat in a word.
    fn add(&mut self, seat: Seat, end: &GameEnd<'_>) -> &'static str;
}

impl NativeCounts for DuelCounts {
    fn add(&mut self, seat: Seat, end: &GameEnd<'_>) -> &'static str {
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
    pub fn outcome(&self, seat: Seat) -> Option<Outcome> {
        let is_first = *self.places.get(seat.index())? == 1;
        let mut winners = self.places.iter().filter(|place| **place == 1);
        let is_shared = winners.nth(1).is_some();
        Some(match (is_first, is_shared) {
            (true, false) => Outcome::Won,
            (true, true) => Outcome::Shared,
            (false, _) => Outcome::Lost,
        })
    }
}
