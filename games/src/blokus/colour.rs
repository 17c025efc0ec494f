//! The four colours.

use std::fmt;
use std::str::FromStr;

use crate::Seat;

use super::{Cell, ParseError, SEATS, shortened};

/// A colour, which is a seat: blue moves first, then yellow, red and green, clockwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Colour(u8);

impl Colour {
    /// Moves first, from a20.
    pub const BLUE: Colour = Colour(0);
    /// Moves second, from t20.
    pub const YELLOW: Colour = Colour(1);
    /// Moves third, from t1.
    pub const RED: Colour = Colour(2);
    /// Moves fourth, from a1.
    pub const GREEN: Colour = Colour(3);
    /// All, in turn order.
    pub const ALL: [Colour; SEATS] = [Colour(0), Colour(1), Colour(2), Colour(3)];

    /// The colour of a seat, 0 to 3.
    pub const fn new(seat: u8) -> Option<Colour> {
        if seat < SEATS as u8 {
            Some(Colour(seat))
        } else {
            None
        }
    }

    /// Its seat, 0 to 3.
    pub const fn seat(self) -> u8 {
        self.0
    }

    /// Its seat.
    pub const fn at(self) -> Seat {
        Seat::new(self.0)
    }

    /// Its seat as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The colour after it in turn order.
    #[must_use]
    pub const fn next(self) -> Colour {
        Colour((self.0 + 1) % SEATS as u8)
    }

    /// `blue`, `yellow`, `red` or `green`.
    pub const fn name(self) -> &'static str {
        ["blue", "yellow", "red", "green"][self.0 as usize]
    }

    /// The corner of the board that its first piece covers.
    pub const fn start(self) -> Cell {
        let last = super::SIDE as u8 - 1;
        match self.0 {
            0 => Cell::at(0, last),
            1 => Cell::at(last, last),
            2 => Cell::at(last, 0),
            _ => Cell::at(0, 0),
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads 1 to 4 or a name, in any case.
impl FromStr for Colour {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Colour, ParseError> {
        let number = |colour: &Colour| text.len() == 1 && text.as_bytes()[0] == b'1' + colour.0;
        Colour::ALL
            .into_iter()
            .find(|colour| number(colour) || text.eq_ignore_ascii_case(colour.name()))
            .ok_or_else(|| ParseError::Colour(shortened(text)))
    }
}
