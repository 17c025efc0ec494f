//! What all games have in common.

use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::str::FromStr;

#[cfg(feature = "rand")]
use rand::{Rng, RngExt as _};

use crate::written::{Restored, Written};
use crate::{BySeat, GameName, Seat};

/// A game in play, with its rules and all its secrets. One seat is to move at a time: choices that
/// the field makes at once, such as Geister's placements, are made one after the other, and are seen
/// by nobody else before all have made theirs.
///
/// This is the form in which games are served, recorded and tested. Searches and playouts use the
/// smaller position types of each game instead.
///
/// ```
/// use taikyoku_games::{Game, ScoreFour, Seat};
///
/// let mut game = ScoreFour::begin(&Default::default(), 0);
/// game.play("b3".parse()?)?;
/// assert_eq!(game.to_move(), Some(Seat::new(1)));
/// assert_eq!(ScoreFour::read(&Default::default(), &game.position())?, game);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Game: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// Options of the rules, as records and protocols write them: an object.
    type Rules: Clone + Debug + Default + PartialEq + Send + Sync + Written + Restored + 'static;
    /// A move; reads what it prints.
    type Move: Copy
        + PartialEq
        + Debug
        + Display
        + FromStr<Err: Error + Send + Sync + 'static>
        + Send
        + Sync
        + 'static;
    /// Why a move is refused.
    type Illegal: Error + Clone + PartialEq + Send + Sync + 'static;
    /// All that one seat may know, and all that may be written for it.
    type View: Clone + PartialEq + Debug + Written;
    /// What all seats and everybody else may know.
    type PublicView: Clone + PartialEq + Debug + Written;

    /// The game.
    const NAME: GameName;
    /// Seats.
    const SEATS: usize;
    /// Moves of the longest game under any rules: a game that has so many is over. It bounds the memory that a game takes at a
    /// server.
    const MOST_PLIES: u32;
    /// Whether [`Game::shown`] depends on the position.
    const HAS_SECRETS: bool = false;
    /// Whether a game may be a draw. Its two players may then agree on one.
    const HAS_DRAWS: bool = false;
    /// What the name of a file in the format of the game's field ends in, if there is such a format.
    const SHEET: Option<&'static str> = None;

    /// A game before its first move; chance, if the game has any, is drawn from `seed`.
    fn begin(rules: &Self::Rules, seed: u64) -> Self;

    /// Reads what [`Game::position`] writes. In an open game the empty text is the beginning.
    ///
    /// # Errors
    /// Why the text is no position.
    fn read(rules: &Self::Rules, position: &str) -> Result<Self, NoPosition>;

    /// The game as text, the rules apart. It holds all secrets.
    fn position(&self) -> String;

    /// The bytes that identify a position among the positions of the same rules, whatever moves have led to it: the pieces
    /// on their squares, the seat to move, and the further state that the rules depend on, which each game documents. The
    /// bytes contain hidden information, and may change from version to version.
    fn key(&self) -> Vec<u8>;

    /// The seat to move; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;

    /// Moves played.
    fn ply(&self) -> u32;

    /// Clears `out` and fills it with the legal moves, always in the same order; none when the game
    /// is over.
    fn legal_moves(&self, out: &mut Vec<Self::Move>);

    /// Plays a move of the seat to move.
    ///
    /// # Errors
    /// The rule that forbids it; nothing has changed then.
    fn play(&mut self, mv: Self::Move) -> Result<(), Self::Illegal>;

    /// All that `seat` may know.
    fn view(&self, seat: Seat) -> Self::View;

    /// What everybody may know.
    fn public_view(&self) -> Self::PublicView;

    /// What `seat` may know of a legal move that is about to be played, as text: without secrets the move.
    fn shown(&self, mv: Self::Move, _seat: Seat) -> String {
        mv.to_string()
    }

    /// What the rules say that the game has come to, once it is over.
    fn outcome(&self) -> Option<Outcome>;

    /// What each seat has by now by the game's own count, as [`Outcome::game_points`]; empty in games without one.
    fn game_points(&self) -> BySeat<i32> {
        BySeat::default()
    }

    /// The rule that has put a seat out of a game which the others play on; `None` while it plays, and
    /// after [`Game::withdraw`].
    fn out(&self, _seat: Seat) -> Option<&'static str> {
        None
    }

    /// Takes a seat that has lost by a fault out of the game, and returns whether the game can go on
    /// without it. [`Game::outcome`] then says whether it does; it places such seats behind all
    /// others. A game that cannot go on is over, see [`Game::forfeited`].
    fn withdraw(&mut self, _seat: Seat) -> bool {
        false
    }

    /// What a game that cannot go on without a seat comes to when that seat loses by a fault: the last
    /// place.
    fn forfeited(&self, seat: Seat) -> Outcome {
        let last = |other, loser, rest| if other == seat { loser } else { rest };
        Outcome {
            places: BySeat::from_fn(Self::SEATS, |other| last(other, Self::SEATS as u8 - 1, 0)),
            points: BySeat::from_fn(Self::SEATS, |other| f64::from(last(other, 0, 1))),
            game_points: BySeat::default(),
            rule: None,
            reason: None,
        }
    }

    /// What the game comes to when its players agree on a draw; `None` in games without draws.
    fn agreed() -> Option<Outcome> {
        Self::HAS_DRAWS.then(|| Outcome::of_two(None, None))
    }

    /// The text of a file in the format of the game's field, see [`Game::SHEET`].
    fn sheet(&self, _about: &Sheet<'_>) -> String {
        String::new()
    }

    /// Plays a move that is given as text; returns it.
    ///
    /// # Errors
    /// Why it is no move, or is illegal; nothing has changed then.
    fn play_text(&mut self, text: &str) -> Result<Self::Move, Refused<Self>> {
        let mv = text.parse().map_err(Refused::NoMove)?;
        self.play(mv).map_err(Refused::Illegal)?;
        Ok(mv)
    }

    /// The legal moves as text.
    fn legal_texts(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.iter().map(ToString::to_string).collect()
    }

    /// The position after so many random moves, drawn uniformly at each ply and again from the
    /// start if they end the game or put a seat out of it. `None` when a thousand draws all do.
    #[cfg(feature = "rand")]
    fn opening(rules: &Self::Rules, plies: u32, rng: &mut impl Rng) -> Option<Self> {
        let mut moves = Vec::new();
        // Twenty plies of score four end the game in about one of twenty draws.
        for _ in 0..1000 {
            let mut game = Self::begin(rules, 0);
            for _ in 0..plies {
                game.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                let mv = moves[rng.random_range(0..moves.len())];
                game.play(mv).expect("a move of the list is legal");
            }
            let all_play = Seat::all(Self::SEATS).all(|seat| game.out(seat).is_none());
            if all_play && game.to_move().is_some() {
                return Some(game);
            }
        }
        None
    }
}

/// A game with hidden information: views follow what their seats are told, and positions are drawn
/// that agree with them.
pub trait Hidden: Game {
    /// What a seat sees of a move.
    type TurnView: Clone + PartialEq + Debug + Display;
    /// Why a view cannot follow.
    type Contradiction: Error + Send + Sync + 'static;

    /// What `seat` sees of a legal move that is about to be played.
    fn seen(&self, mv: Self::Move, seat: Seat) -> Self::TurnView;

    /// Makes a view that of the position after a move.
    ///
    /// # Errors
    /// If the move cannot have been made as far as the view can tell.
    fn follow(view: &mut Self::View, seen: &Self::TurnView) -> Result<(), Self::Contradiction>;

    /// A game that agrees with all that a seat knows, drawn at random. What its seat cannot know and
    /// what has no influence on the rest of the game may be missing from it.
    #[cfg(feature = "rand")]
    fn determinize(view: &Self::View, rng: &mut impl Rng) -> Self;
}

/// The bytes that a value feeds to a hasher: unlike a hash, they differ for any two different values of a type.
pub(crate) fn bytes_of(value: &impl Hash) -> Vec<u8> {
    struct Bytes(Vec<u8>);

    impl Hasher for Bytes {
        fn write(&mut self, bytes: &[u8]) {
            self.0.extend_from_slice(bytes);
        }

        fn finish(&self) -> u64 {
            unreachable!("only the bytes are used, never a hash")
        }
    }

    let mut bytes = Bytes(Vec::new());
    value.hash(&mut bytes);
    bytes.0
}

/// A text that is not a position of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoPosition(pub String);

impl NoPosition {
    /// For this reason.
    pub fn new(reason: impl Display) -> NoPosition {
        NoPosition(reason.to_string())
    }
}

/// Why a text is not played.
#[non_exhaustive]
pub enum Refused<G: Game> {
    /// It is no move.
    NoMove(<G::Move as FromStr>::Err),
    /// The rules forbid the move.
    Illegal(G::Illegal),
}

impl<G: Game> Display for Refused<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NoMove(reason) => Display::fmt(reason, f),
            Refused::Illegal(reason) => Display::fmt(reason, f),
        }
    }
}

impl<G: Game> Debug for Refused<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NoMove(reason) => f.debug_tuple("NoMove").field(reason).finish(),
            Refused::Illegal(reason) => f.debug_tuple("Illegal").field(reason).finish(),
        }
    }
}

impl<G: Game> Error for Refused<G> {}

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
    /// The fault of each seat that has lost by one, or `agreed` for both.
    pub faults: &'a [Option<&'a str>],
}

/// What a game comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Places, 0 is the best; equal places share them.
    pub places: BySeat<u8>,
    /// Points.
    pub points: BySeat<f64>,
    /// What each seat has by the game's own count; empty in games without one.
    pub game_points: BySeat<i32>,
    /// The rule that ended the game; `None` after a fault, or where the players agreed.
    pub rule: Option<&'static str>,
    /// More for people.
    pub reason: Option<String>,
}

impl Outcome {
    /// Of a game for two: a win is 1 point, a draw one half.
    pub fn of_two(winner: Option<Seat>, rule: Option<&'static str>) -> Outcome {
        let points = |seat| winner.map_or(0.5, |winner| f64::from(u8::from(winner == seat)));
        Outcome {
            places: BySeat::from_fn(2, |seat| winner.is_some_and(|winner| winner != seat).into()),
            points: BySeat::from_fn(2, points),
            game_points: BySeat::default(),
            rule,
            reason: None,
        }
    }
}
