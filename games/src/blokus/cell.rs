//! Squares of the board.

use std::fmt;
use std::str::FromStr;

use super::{CELLS, ParseError, SIDE, shortened};

/// A square, by 20 * (row - 1) + column: a1, at the bottom left, is 0, b1 is 1, t20 is 399.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u16);

impl Cell {
    /// By its index.
    pub const fn new(index: u16) -> Option<Cell> {
        if (index as usize) < CELLS {
            Some(Cell(index))
        } else {
            None
        }
    }

    /// By column and row, both from 0 and below 20.
    pub(super) const fn at(x: u8, y: u8) -> Cell {
        debug_assert!((x as usize) < SIDE && (y as usize) < SIDE);
        Cell(y as u16 * SIDE as u16 + x as u16)
    }

    /// Its index, 0 to 399.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Column from the left, 0 to 19.
    pub const fn x(self) -> u8 {
        (self.0 % SIDE as u16) as u8
    }

    /// Row from the bottom, 0 to 19.
    pub const fn y(self) -> u8 {
        (self.0 / SIDE as u16) as u8
    }

    /// Where the square goes when the board is turned clockwise so often by a quarter. A quarter turn takes
    /// the start of each colour to that of the next.
    #[must_use]
    pub const fn rotated(self, quarter_turns: u8) -> Cell {
        let (mut x, mut y) = (self.x(), self.y());
        let mut turns = quarter_turns % 4;
        while turns > 0 {
            (x, y) = (y, SIDE as u8 - 1 - x);
            turns -= 1;
        }
        Cell::at(x, y)
    }

    /// All squares, in the order of their indices.
    pub fn all() -> impl ExactSizeIterator<Item = Cell> {
        (0..CELLS as u16).map(Cell)
    }
}

/// A letter and a number: `a1`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.x()) as char, self.y() + 1)
    }
}

/// Reads what [`Cell`] prints, in any case.
impl FromStr for Cell {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Cell, ParseError> {
        let wrong = || ParseError::Cell(shortened(text));
        let mut bytes = text.bytes();
        let x = bytes
            .next()
            .map(|b| b.to_ascii_lowercase().wrapping_sub(b'a'));
        let x = x.filter(|&x| usize::from(x) < SIDE).ok_or_else(wrong)?;
        let row = match (bytes.next(), bytes.next(), bytes.next()) {
            (Some(b @ b'1'..=b'9'), None, None) => b - b'0',
            (Some(a @ b'1'..=b'2'), Some(b @ b'0'..=b'9'), None) => 10 * (a - b'0') + b - b'0',
            _ => return Err(wrong()),
        };
        if usize::from(row) > SIDE {
            return Err(wrong());
        }
        Ok(Cell::at(x, row - 1))
    }
}
