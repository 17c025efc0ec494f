//! Moves and placements as text, in the terms of the GAT protocol; positions as a drawing.

use std::fmt;
use std::str::FromStr;

use super::{Colour, Direction, Ghost, Move, Place, Placement, Position, Square, View};

/// Text that is not a move, direction or placement.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Not a letter A to H.
    #[error("`{0}` is not a ghost: write a letter A to H")]
    Ghost(String),
    /// Not a direction.
    #[error("`{0}` is not a direction: write N, E, W or S, or NORTH, EAST, WEST or SOUTH")]
    Direction(String),
    /// No comma.
    #[error("`{0}` is not a move: write ghost and direction, such as `A,N`")]
    Move(String),
    /// Not four letters.
    #[error("`{0}` is not a placement: write the letters of the four red ghosts, such as `ABCD`")]
    Placement(String),
    /// A letter twice.
    #[error("`{0}` names a ghost twice: four different ones must be red")]
    Repeated(String),
}

impl Direction {
    /// Its letter: E, S, W or N.
    pub const fn letter(self) -> char {
        match self {
            Self::East => 'E',
            Self::South => 'S',
            Self::West => 'W',
            Self::North => 'N',
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl FromStr for Direction {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Ok(match text.to_ascii_uppercase().as_str() {
            "E" | "EAST" => Self::East,
            "S" | "SOUTH" => Self::South,
            "W" | "WEST" => Self::West,
            "N" | "NORTH" => Self::North,
            _ => return Err(ParseError::Direction(text.to_owned())),
        })
    }
}

impl fmt::Display for Ghost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl FromStr for Ghost {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut letters = text.chars();
        match (letters.next().and_then(Self::from_letter), letters.next()) {
            (Some(ghost), None) => Ok(ghost),
            _ => Err(ParseError::Ghost(text.to_owned())),
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.ghost, self.direction)
    }
}

/// Reads `A,N`, in either case and with the direction as a letter or a word.
impl FromStr for Move {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (ghost, direction) = text
            .split_once(',')
            .ok_or_else(|| ParseError::Move(text.to_owned()))?;
        Ok(Self {
            ghost: ghost.parse()?,
            direction: direction.parse()?,
        })
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ghost::ALL
            .into_iter()
            .filter(|&ghost| self.is_red(ghost))
            .try_for_each(|ghost| write!(f, "{ghost}"))
    }
}

/// Reads four different letters in any order and case.
impl FromStr for Placement {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut mask = 0_u8;
        let mut letters = 0;
        for letter in text.chars() {
            let ghost =
                Ghost::from_letter(letter).ok_or_else(|| ParseError::Placement(text.to_owned()))?;
            mask |= 1 << ghost.index();
            letters += 1;
        }
        if letters != 4 {
            return Err(ParseError::Placement(text.to_owned()));
        }
        Self::new(mask).ok_or_else(|| ParseError::Repeated(text.to_owned()))
    }
}

/// Draws six rows: `.` for an empty square, own and enemy ghosts by the given letters.
fn draw(f: &mut fmt::Formatter<'_>, at: impl Fn(Square) -> Option<char>) -> fmt::Result {
    for y in 0..6 {
        for x in 0..6 {
            let letter = Square::new(x, y).and_then(&at).unwrap_or('.');
            write!(f, "{letter}{}", if x < 5 { " " } else { "\n" })?;
        }
    }
    Ok(())
}

const fn own_letter(colour: Colour) -> char {
    match colour {
        Colour::Blue => 'B',
        Colour::Red => 'R',
    }
}

const fn enemy_letter(colour: Option<Colour>) -> char {
    match colour {
        Some(Colour::Blue) => 'b',
        Some(Colour::Red) => 'r',
        None => 'u',
    }
}

/// Six rows from the far row down: own ghosts `R` and `B`, enemy ghosts `u`, or `r` and `b` where the
/// colour is known.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw(f, |square| {
            Ghost::ALL.into_iter().find_map(|ghost| {
                let (own, colour) = self.own(ghost);
                let (enemy, hidden) = self.enemy(ghost);
                if own == Place::On(square) {
                    Some(own_letter(colour))
                } else if enemy == Place::On(square) {
                    Some(enemy_letter(hidden))
                } else {
                    None
                }
            })
        })
    }
}

/// As seat 0 sees the board, with all colours.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.final_view(0).fmt(f)
    }
}
