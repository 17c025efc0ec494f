//! A person's seat on the screen of a terminal: the game is drawn in place, and moves are made by keys or typed.
//!
//! | part | what it does |
//! |---|---|
//! | [`ScreenGame`] | how a game is drawn, and how keys pick a move of it |
//! | `steps` | a cursor on the squares of a board, for games whose moves go from square to square |
//! | `table` | names, turns, clocks and the last moves, as the protocol tells them |
//! | `window` | the player: what the whole screen shows, and what keys do to it |
//! | `terminal` | the terminal itself, which is as it was on every way out |

mod steps;
mod table;
mod terminal;
#[cfg(test)]
pub(crate) mod testing;
mod window;

use std::io::{IsTerminal as _, stdin, stdout};

use ratatui_core::text::Line;

use super::{ClientGame, Manners, Player, Waker};
pub(crate) use steps::{Mark, Spot, Steps, Way};
pub(crate) use table::Table;
use window::Window;

/// A game on a screen. The rules, the notation and the help are those of [`ClientGame`]; a `Pick` is what keys have
/// put together of a move.
pub(crate) trait ScreenGame: ClientGame {
    /// What has been picked of a move so far.
    type Pick: Clone;

    const TITLE: &'static str;

    /// The keys that pick a move now, in a line of 78 letters at most.
    fn keys(view: &Self::View) -> &'static str;

    fn start(view: &Self::View) -> Self::Pick;

    /// What is picked when [`Key::Enter`] makes a legal move.
    fn aim(view: &Self::View, mv: Self::Move) -> Self::Pick;

    /// The legal moves that the tabulator goes through.
    fn near(view: &Self::View, _pick: &Self::Pick) -> Vec<Self::Move> {
        Self::legal_moves(view)
    }

    fn press(view: &Self::View, pick: &mut Self::Pick, key: Key) -> Pressed<Self::Move>;

    /// The drawing; `pick` is there while the own seat is asked for a move.
    fn paint(view: &Self::View, pick: Option<&Self::Pick>, table: &Table) -> Picture;
}

pub(crate) struct Picture {
    /// The board or the cards.
    pub(crate) board: Vec<Line<'static>>,
    pub(crate) beside: Vec<Line<'static>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Up,
    Down,
    Left,
    Right,
    /// Makes the move, or chooses the square under the cursor.
    Enter,
    /// Takes back what is picked or typed.
    Escape,
    Tab,
    /// The legal move before.
    BackTab,
    Backspace,
    /// A letter, digit or sign; the space bar too.
    Char(char),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pressed<M> {
    Nothing,
    Picked,
    Move(M),
    Say(String),
}

/// Whether a person can have a screen: the input and the output are a terminal that is more than a printer. A terminal that does not
/// know its size, such as that of a script without one, has no room.
pub(crate) fn has_screen() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    let is_terminal = stdin().is_terminal() && stdout().is_terminal();
    is_terminal && !is_dumb && terminal::has_room()
}

/// A person on the screen of this program's terminal.
///
/// # Errors
/// When the terminal cannot be had.
pub(super) fn person<G: ScreenGame>(
    waker: Waker,
    manners: Manners,
) -> std::io::Result<Box<dyn Player<G>>> {
    let (terminal, events, desk) = terminal::take(waker)?;
    Ok(Box::new(Window::new(terminal, events, manners, Some(desk))))
}
