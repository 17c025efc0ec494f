//! Playing a record of Daihinmin again.

mod game;
#[cfg(test)]
mod tests;

use std::io::BufRead;

use games::daihinmin::{IllegalMove, ParseError, SEATS, SessionRules};

use super::event::{Event, What};
use super::header::{GameName, Header};
use super::reader::{ReadError, RecordReader};
pub use game::GameReplay;

/// Why a record does not play again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The record is of another game.
    #[error("this is a record of {0}, not of daihinmin")]
    OtherGame(GameName),
    /// The header's rules are no rules of Daihinmin.
    #[error("the rules of the header: {0}")]
    Rules(String),
    /// A text is no notation.
    #[error(transparent)]
    Notation(#[from] ParseError),
    /// A move that the rules forbid.
    #[error("{mv}: {reason}")]
    Illegal {
        /// The move.
        mv: String,
        /// Why.
        reason: IllegalMove,
    },
    /// Events that do not follow from each other.
    #[error("{0}")]
    Contradiction(String),
}

fn contradiction<T>(what: impl Into<String>) -> Result<T, ReplayError> {
    Err(ReplayError::Contradiction(what.into()))
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
    pub points: [f64; SEATS],
    /// Whether the record has its last line, so that the result was compared too.
    pub closed: bool,
    /// Whether the last game in it has no end.
    pub unfinished: bool,
}

/// Plays a record of Daihinmin again from its deals and moves, checks every move against the
/// rules, and compares the places, the points and the result that it states with those it leads
/// to.
///
/// # Errors
/// The first line that cannot be read or that contradicts the lines before it.
pub fn replay<R: BufRead>(mut reader: RecordReader<R>) -> Result<Replayed, ReadError> {
    let rules = daihinmin_rules(reader.header()).map_err(|e| reader.error(e))?;
    let mut sum = Replayed::default();
    let mut current: Option<GameReplay> = None;
    while let Some(event) = reader.next() {
        let Event { what, .. } = event?;
        step(&mut sum, &mut current, &what, &rules).map_err(|e| reader.error(e))?;
    }
    sum.unfinished = current.is_some();
    Ok(sum)
}

fn step(
    sum: &mut Replayed,
    current: &mut Option<GameReplay>,
    what: &What,
    rules: &SessionRules,
) -> Result<(), ReplayError> {
    if sum.closed {
        return contradiction("there is a line after the result");
    }
    let Some(game) = current else {
        *current = GameReplay::begin(what, rules)?;
        return match what {
            What::Begin { .. } | What::Refused { .. } | What::Forfeit { .. } => Ok(()),
            What::Result { games, points, .. } => {
                sum.closed = true;
                if *games != sum.games || points[..] != sum.points {
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
        return contradiction(format!("the match ends while game {} is played", game.game));
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

/// The rules in the header of a record of Daihinmin.
///
/// # Errors
/// When the record is of another game or its rules are not to be read.
pub(crate) fn daihinmin_rules(header: &Header) -> Result<SessionRules, ReplayError> {
    if header.game != GameName::Daihinmin {
        return Err(ReplayError::OtherGame(header.game));
    }
    serde_json::from_value(header.rules.clone()).map_err(|e| ReplayError::Rules(e.to_string()))
}
