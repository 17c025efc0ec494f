//! Playing a record again, whatever the game.

mod daihinmin;
mod geister;

use std::io::BufRead;

pub use daihinmin::GameReplay;
pub use geister::{GeisterReplay, GeisterRules, geister_points};

use games::GameName;

use crate::event::{Event, What};
use crate::header::Header;
use crate::reader::{ReadError, RecordReader};

/// Why a record does not play again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The record is of a game that this program cannot play again.
    #[error("this is a record of {0}, which cannot be played again here")]
    OtherGame(GameName),
    /// The header's rules are no rules of the game.
    #[error("the rules of the header: {0}")]
    Rules(String),
    /// A text is no notation.
    #[error("{0}")]
    Notation(String),
    /// A move that the rules forbid, and why.
    #[error("{0}")]
    Illegal(String),
    /// Events that do not follow from each other.
    #[error("{0}")]
    Contradiction(String),
}

impl From<games::daihinmin::ParseError> for ReplayError {
    fn from(e: games::daihinmin::ParseError) -> ReplayError {
        ReplayError::Notation(e.to_string())
    }
}

impl From<games::geister::ParseError> for ReplayError {
    fn from(e: games::geister::ParseError) -> ReplayError {
        ReplayError::Notation(e.to_string())
    }
}

/// An error of events that do not follow from each other.
///
/// # Errors
/// Always.
pub fn contradiction<T>(what: impl Into<String>) -> Result<T, ReplayError> {
    Err(ReplayError::Contradiction(what.into()))
}

/// One game of a record, rebuilt event by event.
pub trait Rebuild: Sized {
    /// The rules of a match.
    type Rules;
    /// Players of a match.
    const PLAYERS: usize;

    /// The rules in the header of a record.
    ///
    /// # Errors
    /// When the record is of another game or its rules are not to be read.
    fn rules(header: &Header) -> Result<Self::Rules, ReplayError>;

    /// Begins a game from a [`What::Begin`]; `None` for other events.
    ///
    /// # Errors
    /// When the event is no beginning of this game.
    fn begin(what: &What, rules: &Self::Rules) -> Result<Option<Self>, ReplayError>;

    /// Applies the next event of the game.
    ///
    /// # Errors
    /// When the event cannot have happened now; the replay is then of no further use.
    fn apply(&mut self, what: &What) -> Result<(), ReplayError>;

    /// Number of the game.
    fn number(&self) -> u32;
}

/// What a whole record comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Games that counted.
    pub games: u32,
    /// Games that were void.
    pub void: u32,
    /// Moves in all, passes included.
    pub plies: u64,
    /// Points by player.
    pub points: Vec<f64>,
    /// Whether the record has its last line, so that the result was compared too.
    pub closed: bool,
    /// Whether the last game in it has no end.
    pub unfinished: bool,
}

/// Plays a record of a game again from its deals or set-ups and its moves, checks every move against
/// the rules, and compares the places, the points and the result that it states with those it leads to.
///
/// # Errors
/// The first line that cannot be read or that contradicts the lines before it.
pub fn rebuild<G: Rebuild, R: BufRead>(mut reader: RecordReader<R>) -> Result<Replayed, ReadError> {
    let rules = G::rules(reader.header()).map_err(|e| reader.error(e))?;
    let mut sum = Replayed {
        points: vec![0.0; G::PLAYERS],
        ..Replayed::default()
    };
    let mut current: Option<G> = None;
    while let Some(event) = reader.next() {
        let Event { what, .. } = event?;
        step(&mut sum, &mut current, &what, &rules).map_err(|e| reader.error(e))?;
    }
    sum.unfinished = current.is_some();
    Ok(sum)
}

fn step<G: Rebuild>(
    sum: &mut Replayed,
    current: &mut Option<G>,
    what: &What,
    rules: &G::Rules,
) -> Result<(), ReplayError> {
    if sum.closed {
        return contradiction("there is a line after the result");
    }
    let Some(game) = current else {
        *current = G::begin(what, rules)?;
        return match what {
            What::Begin { .. } | What::Refused { .. } | What::Forfeit { .. } => Ok(()),
            What::Result { games, points, .. } => {
                sum.closed = true;
                if *games != sum.games || *points != sum.points {
                    return contradiction(format!(
                        "the result says {games} games and points {points:?}; \
                         its games are {} and give {:?}",
                        sum.games, sum.points
                    ));
                }
                Ok(())
            }
            _ => contradiction("this belongs into a game"),
        };
    };
    if let What::Result { .. } = what {
        let number = game.number();
        return contradiction(format!("the match ends while game {number} is played"));
    }
    game.apply(what)?;
    if let What::Move { .. } = what {
        sum.plies += 1;
    }
    if let What::End { points, places, .. } = what {
        if places.is_empty() {
            sum.void += 1;
        } else {
            sum.games += 1;
            for (total, point) in sum.points.iter_mut().zip(points) {
                *total += point;
            }
        }
        *current = None;
    }
    Ok(())
}
