//! What the official viewer is sent: a text frame with a label, the board, and perhaps more fields.

use std::fmt;
use std::str::FromStr;

use games::geister::{Colour, GHOSTS, Place};

use super::board::{BoardError, read_ghosts, write_ghost};

/// The frame before anything has happened.
pub const EMPTY_FRAME: &str = "null";

/// The board as the viewer shows it, from the side of seat 1. A colour may be hidden on both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ViewerBoard {
    /// Ghosts A..H of seat 1, in its frame.
    pub second: [(Place, Option<Colour>); GHOSTS],
    /// Ghosts A..H of seat 0, in the frame of seat 1.
    pub first: [(Place, Option<Colour>); GHOSTS],
}

/// The 48 characters; a hidden colour is `u` on both sides.
impl fmt::Display for ViewerBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, colour) in self.second {
            write_ghost(f, place, colour, true)?;
        }
        for (place, colour) in self.first {
            write_ghost(f, place, colour, false)?;
        }
        Ok(())
    }
}

/// The number of ghosts of a colour is not checked: before its placement a side of the official
/// server has blue ones only.
impl FromStr for ViewerBoard {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, BoardError> {
        let ghosts = read_ghosts(text)?.map(|ghost| (ghost.place, ghost.colour));
        let mut board = Self {
            second: [(Place::Captured, None); GHOSTS],
            first: [(Place::Captured, None); GHOSTS],
        };
        board.second.copy_from_slice(&ghosts[..GHOSTS]);
        board.first.copy_from_slice(&ghosts[GHOSTS..]);
        Ok(board)
    }
}

/// What the four characters before the board say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// `MOV:`: placements are due, or a line was refused.
    Placing,
    /// `MV0:`, `MV1:`: this seat is to move.
    ToMove(u8),
    /// `WI0:`, `WI1:`: this seat has won.
    Won(u8),
    /// `DRW:`: a draw.
    Draw,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Placing => f.write_str("MOV:"),
            Self::ToMove(seat) => write!(f, "MV{seat}:"),
            Self::Won(seat) => write!(f, "WI{seat}:"),
            Self::Draw => f.write_str("DRW:"),
        }
    }
}

/// Games of one player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tally {
    /// Won.
    pub win: u32,
    /// Lost.
    pub lose: u32,
    /// Neither.
    pub draw: u32,
}

/// The fields that the organisers' server of 2024 appends, in this order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scoreboard {
    /// `MJ0:`, `MJ1:`: main time left, in seconds.
    pub main_time: [u32; 2],
    /// `BY0:`, `BY1:`: time left for the move after the main time, in seconds.
    pub byo_yomi: [u32; 2],
    /// `Name0:`, `Name1:`. A comma in a name is written as a space.
    pub names: [String; 2],
    /// `win0:`, `lose0:`, `draw0:`, `win1:`, `lose1:`, `draw1:`.
    pub tallies: [Tally; 2],
    /// `Turn:`: moves played.
    pub turn: u32,
    /// `ch:`: text without a comma, whose meaning is left to the sender.
    pub ch: String,
}

/// A frame for the viewer. Prints as its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewerFrame {
    /// What is due, or the result.
    pub label: Label,
    /// The board.
    pub board: ViewerBoard,
    /// The fields of 2024; `None` for a frame of the official server of 2022.
    pub scoreboard: Option<Scoreboard>,
}

impl fmt::Display for Scoreboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [main_0, main_1] = self.main_time;
        let [byo_0, byo_1] = self.byo_yomi;
        write!(f, "MJ0:{main_0},MJ1:{main_1},BY0:{byo_0},BY1:{byo_1}")?;
        for (i, name) in self.names.iter().enumerate() {
            write!(f, ",Name{i}:{}", name.replace(',', " "))?;
        }
        for (i, tally) in self.tallies.iter().enumerate() {
            let Tally { win, lose, draw } = tally;
            write!(f, ",win{i}:{win},lose{i}:{lose},draw{i}:{draw}")?;
        }
        write!(f, ",Turn:{},ch:{}", self.turn, self.ch.replace(',', " "))
    }
}

impl fmt::Display for ViewerFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.label, self.board)?;
        match &self.scoreboard {
            Some(scoreboard) => write!(f, ",{scoreboard}"),
            None => Ok(()),
        }
    }
}
