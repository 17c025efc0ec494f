//! Pegs and positions as text.

use std::fmt;
use std::str::FromStr;

use super::{IllegalMove, InvalidPosition, LEVELS, PEGS, Peg, Position};

/// Text that is not a peg or a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Not a peg.
    #[error("`{0}` is not a peg: write a letter a to d and a number 1 to 4, such as `b3`")]
    Peg(String),
    /// A sequence with a move that the rules forbid.
    #[error("move {0} of the sequence: {1}")]
    Illegal(usize, IllegalMove),
    /// Not 16 pegs.
    #[error("{0} pegs where 16 are needed, separated by `/`")]
    Count(usize),
    /// What is on a peg cannot be read.
    #[error(
        "`{0}` is not what is on a peg: write up to four of `x` and `o` from the bottom up, or `-`"
    )]
    Column(String),
    /// The balls cannot lie like that.
    #[error(transparent)]
    Invalid(#[from] InvalidPosition),
}

impl fmt::Display for Peg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.x()), self.y() + 1)
    }
}

/// Reads `a1` to `d4`, in either case.
impl FromStr for Peg {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError::Peg(text.chars().take(16).collect());
        let [letter, number] = text.as_bytes() else {
            return Err(wrong());
        };
        let x = letter.to_ascii_lowercase().wrapping_sub(b'a');
        Self::new(x, number.wrapping_sub(b'1')).ok_or_else(wrong)
    }
}

/// The board form: what is on the pegs a1, b1, c1, d1, a2, ..., d4, each from the bottom up with `x` for
/// seat 0 and `o` for seat 1, `-` for an empty peg, separated by `/`. With `#`, a drawing: the levels
/// from the bottom to the top side by side.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.draw(f);
        }
        for peg in Peg::ALL {
            if peg.index() > 0 {
                write!(f, "/")?;
            }
            if self.height(peg) == 0 {
                write!(f, "-")?;
            }
            for seat in (0..LEVELS).map_while(|level| self.owner(peg, level)) {
                write!(f, "{}", letter(Some(seat)))?;
            }
        }
        Ok(())
    }
}

const fn letter(owner: Option<u8>) -> char {
    match owner {
        Some(0) => 'x',
        Some(_) => 'o',
        None => '.',
    }
}

/// The pegs that a text names one after the other; blanks and commas between them are allowed.
pub(super) fn pegs(text: &str) -> impl Iterator<Item = Result<Peg, ParseError>> {
    let mut letters = text.chars().filter(|c| !c.is_whitespace() && *c != ',');
    std::iter::from_fn(move || {
        let letter = letters.next()?;
        let peg: String = std::iter::once(letter).chain(letters.next()).collect();
        Some(peg.parse())
    })
}

impl Position {
    fn draw(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "   level 1   level 2   level 3   level 4")?;
        for y in (0..4).rev() {
            write!(f, "{}", y + 1)?;
            for level in 0..LEVELS {
                write!(f, " ")?;
                for x in 0..4 {
                    let owner = Peg::new(x, y).and_then(|peg| self.owner(peg, level));
                    write!(f, " {}", letter(owner))?;
                }
                if level + 1 < LEVELS {
                    write!(f, " ")?;
                }
            }
            writeln!(f)?;
        }
        writeln!(f, "   a b c d   a b c d   a b c d   a b c d")
    }

    /// Reads the pegs played from the empty board, such as `a1b2 a1`; blanks and commas between them are
    /// allowed.
    ///
    /// # Errors
    /// What cannot be read, or the first move that the rules forbid.
    pub fn from_moves(text: &str) -> Result<Self, ParseError> {
        let mut position = Self::START;
        for (ply, peg) in (1..).zip(pegs(text)) {
            position
                .play(peg?)
                .map_err(|reason| ParseError::Illegal(ply, reason))?;
        }
        Ok(position)
    }
}

/// Reads `start`, the pegs played from the empty board (as [`Position::from_moves`]), or the board form.
impl FromStr for Position {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        if text == "start" {
            return Ok(Self::START);
        }
        if !text.contains('/') {
            return Self::from_moves(text);
        }
        let columns = text.split('/').count();
        if columns != PEGS {
            return Err(ParseError::Count(columns));
        }
        let mut sides = [0; 2];
        for (peg, column) in Peg::ALL.into_iter().zip(text.split('/')) {
            if column == "-" {
                continue;
            }
            let wrong = || ParseError::Column(column.chars().take(16).collect());
            if column.is_empty() {
                return Err(wrong());
            }
            for (level, ball) in column.chars().enumerate() {
                let seat = match ball {
                    'x' | 'X' => 0,
                    'o' | 'O' => 1,
                    _ => return Err(wrong()),
                };
                sides[seat] |= peg.square(level).ok_or_else(wrong)?;
            }
        }
        Ok(Self::from_sides(sides)?)
    }
}
