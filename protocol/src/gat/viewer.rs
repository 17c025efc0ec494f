//! What the official viewer is sent: a text frame with a label, the board, and perhaps more fields.

use std::fmt;
use std::str::FromStr;

use games::geister::{Colour, GHOSTS, Ghost, Place, View};

use super::board::{BOARD_LEN, BoardError, read_ghosts, write_ghost};

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

impl ViewerBoard {
    /// All that is known to everybody while a game goes on: colours of captured and escaped ghosts
    /// only. Either seat's view of the game gives the same board.
    pub fn public(view: &View) -> Self {
        Self::shown(view).hidden()
    }

    /// All that a view shows. The view from [`games::geister::Position::final_view`] shows every
    /// colour: for finished games.
    pub fn shown(view: &View) -> Self {
        let own = Ghost::ALL.map(|ghost| {
            let (place, colour) = view.own(ghost);
            (place, Some(colour))
        });
        let enemy = Ghost::ALL.map(|ghost| view.enemy(ghost));
        if view.seat() == 1 {
            return Self {
                second: own,
                first: enemy,
            };
        }
        let turned = |ghosts: [(Place, Option<Colour>); GHOSTS]| {
            ghosts.map(|(place, colour)| match place {
                Place::On(square) => (Place::On(square.turned()), colour),
                Place::Captured | Place::Escaped => (place, colour),
            })
        };
        Self {
            second: turned(enemy),
            first: turned(own),
        }
    }

    /// The same board with the colours of ghosts on it hidden.
    #[must_use]
    pub fn hidden(self) -> Self {
        let hide = |ghosts: [(Place, Option<Colour>); GHOSTS]| {
            ghosts.map(|(place, colour)| (place, colour.filter(|_| place.square().is_none())))
        };
        Self {
            second: hide(self.second),
            first: hide(self.first),
        }
    }
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

impl Label {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Placing, "MOV:"),
        (Self::ToMove(0), "MV0:"),
        (Self::ToMove(1), "MV1:"),
        (Self::Won(0), "WI0:"),
        (Self::Won(1), "WI1:"),
        (Self::Draw, "DRW:"),
    ];
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Self::ALL.iter().find(|(label, _)| label == self);
        f.write_str(text.map_or("MOV:", |(_, text)| text))
    }
}

/// Games of one player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WinCounts {
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
    pub tallies: [WinCounts; 2],
    /// `Turn:`: moves played.
    pub turn: u32,
    /// `ch:`: text without a comma, whose meaning is left to the sender.
    pub ch: String,
}

/// A frame for the viewer. Prints and reads as the text of the frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewerFrame {
    /// What is due, or the result.
    pub label: Label,
    /// The board.
    pub board: ViewerBoard,
    /// The fields of 2024; `None` for a frame of the official server of 2022.
    pub scoreboard: Option<Scoreboard>,
}

/// Why a text is no frame.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// Another label, or none.
    #[error("the frame does not begin with MOV:, MV0:, MV1:, WI0:, WI1: or DRW:")]
    Label,
    /// The board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// A field that is not `key:value` or no number where one was due.
    #[error("the field `{0}`")]
    Field(String),
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
            let WinCounts { win, lose, draw } = tally;
            write!(f, ",win{i}:{win},lose{i}:{lose},draw{i}:{draw}")?;
        }
        write!(f, ",Turn:{},ch:{}", self.turn, self.ch.replace(',', " "))
    }
}

/// Reads the fields in any order; fields that are left out are 0 or empty, unknown ones are left.
impl FromStr for Scoreboard {
    type Err = FrameError;

    fn from_str(text: &str) -> Result<Self, FrameError> {
        let mut board = Self::default();
        for field in text.split(',') {
            let bad = || FrameError::Field(field.to_owned());
            let (key, value) = field.split_once(':').ok_or_else(bad)?;
            let number = match key {
                "Name0" | "Name1" => {
                    value.clone_into(&mut board.names[usize::from(key == "Name1")]);
                    continue;
                }
                "ch" => {
                    value.clone_into(&mut board.ch);
                    continue;
                }
                "MJ0" => &mut board.main_time[0],
                "MJ1" => &mut board.main_time[1],
                "BY0" => &mut board.byo_yomi[0],
                "BY1" => &mut board.byo_yomi[1],
                "win0" => &mut board.tallies[0].win,
                "lose0" => &mut board.tallies[0].lose,
                "draw0" => &mut board.tallies[0].draw,
                "win1" => &mut board.tallies[1].win,
                "lose1" => &mut board.tallies[1].lose,
                "draw1" => &mut board.tallies[1].draw,
                "Turn" => &mut board.turn,
                _ => continue,
            };
            *number = value.parse().map_err(|_| bad())?;
        }
        Ok(board)
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

impl FromStr for ViewerFrame {
    type Err = FrameError;

    fn from_str(text: &str) -> Result<Self, FrameError> {
        let found = Label::ALL
            .iter()
            .find_map(|(label, tag)| Some((*label, text.strip_prefix(tag)?)));
        let (label, text) = found.ok_or(FrameError::Label)?;
        let (board, rest) = match text.split_at_checked(BOARD_LEN) {
            Some((board, rest)) => (board, rest),
            None => (text, ""),
        };
        let board = board.parse()?;
        let scoreboard = match rest {
            "" => None,
            rest => {
                let fields = rest.strip_prefix(',');
                let fields = fields.ok_or_else(|| FrameError::Field(rest.to_owned()))?;
                Some(fields.parse()?)
            }
        };
        Ok(Self {
            label,
            board,
            scoreboard,
        })
    }
}
