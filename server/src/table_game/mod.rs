//! What the referee and the record need to know of a game that is played in the native protocol.

mod blokus;
mod score_four;

use std::fmt;

pub use games::Outcome;
use games::{BySeat, Seat};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use games::GameName;
use record::EndKind;

pub use blokus::{Blokus, BlokusRules};
pub use score_four::{ScoreFour, ScoreFourRules};

/// What the file of a finished game says beside its moves. Lists go by seat.
#[derive(Clone, Copy, Debug)]
pub struct Sheet<'a> {
    /// Names of the players.
    pub names: &'a [&'a str],
    /// Name of the match.
    pub event: &'a str,
    /// Number of the game in it.
    pub game: u32,
    /// The day on which the match began, such as `2026-01-31`.
    pub date: &'a str,
    /// The fault of each seat that has lost by one.
    pub kinds: &'a [EndKind],
}

/// A game at a table, with moves and positions as text. One seat is to move at a time.
pub trait TableGame: Clone + fmt::Debug + Send + Sync + 'static {
    /// Options of the rules, as records and the protocol write them: an object.
    type Rules: Clone
        + fmt::Debug
        + Default
        + PartialEq
        + Send
        + Sync
        + Serialize
        + DeserializeOwned;
    /// The game.
    const NAME: GameName;
    /// Seats.
    const SEATS: usize;
    /// What the name of a file in the format of the game's field ends in, if there is such a format.
    const SHEET: Option<&'static str> = None;

    /// The beginning of a game, or a position in the notation that [`TableGame::position`] writes.
    ///
    /// # Errors
    /// Why that is no position.
    fn begin(rules: &Self::Rules, position: Option<&str>) -> Result<Self, String>;

    /// The position as text that can be read back.
    fn position(&self) -> String;

    /// The seat to move; `None` when the game is over.
    fn to_move(&self) -> Option<u8>;

    /// Moves played.
    fn ply(&self) -> u32;

    /// All that a seat may know.
    fn view(&self, seat: u8) -> Value;

    /// The legal moves of the seat to move.
    fn legal_moves(&self) -> Vec<String>;

    /// Plays a move; gives it in the notation of the game.
    ///
    /// # Errors
    /// Why it is no move, or is illegal; the position stays as it is then.
    fn play(&mut self, mv: &str) -> Result<String, String>;

    /// The last move, as `seat` may know it.
    fn shown(&self, mv: &str, _seat: u8) -> String {
        mv.to_owned()
    }

    /// What the rules say that the game has come to, once it is over.
    fn outcome(&self) -> Option<Outcome>;

    /// The rule that has put a seat out of a game which the others play on; `None` while it plays, and
    /// after [`TableGame::withdraw`].
    fn out(&self, _seat: u8) -> Option<&'static str> {
        None
    }

    /// Takes a seat out of the game that has lost it by a fault, and gives whether the game can go on
    /// without that seat. [`TableGame::outcome`] says then whether it does; it places such seats
    /// behind all others. A game that cannot is over, see [`TableGame::forfeited`].
    fn withdraw(&mut self, _seat: u8) -> bool {
        false
    }

    /// What a game that cannot go on without a seat comes to when that one loses by a fault: the last
    /// place.
    fn forfeited(&self, seat: u8) -> Outcome {
        let mut outcome = Outcome {
            places: BySeat::of(Self::SEATS, 0),
            points: BySeat::of(Self::SEATS, 1.0),
            game_points: BySeat::default(),
            rule: None,
            reason: None,
        };
        outcome.places[Seat::new(seat)] = Self::SEATS as u8 - 1;
        outcome.points[Seat::new(seat)] = 0.0;
        outcome
    }

    /// The text of such a file.
    fn sheet(&self, _about: &Sheet<'_>) -> String {
        String::new()
    }

    /// The position after so many random moves, drawn uniformly at each ply and again from the
    /// start if they end the game or put a seat out of it.
    fn opening(rules: &Self::Rules, plies: u32, rng: &mut Xoshiro256PlusPlus) -> Option<Self> {
        // Twenty plies of score four end the game in about one of twenty draws.
        for _ in 0..1000 {
            let mut game = Self::begin(rules, None).ok()?;
            for _ in 0..plies {
                let moves = game.legal_moves();
                if moves.is_empty() {
                    break;
                }
                game.play(&moves[rng.random_range(0..moves.len())]).ok()?;
            }
            let all_play = (0..Self::SEATS as u8).all(|seat| game.out(seat).is_none());
            if all_play && game.to_move().is_some() {
                return Some(game);
            }
        }
        None
    }
}
