//! What a player of any kind needs to know of a game.

use std::fmt;

/// Rules and texts of a game, as players at a server use them.
pub trait ClientGame: Sized + 'static {
    /// What the own seat knows, whatever is due: a move, or what comes before the first.
    type View: Clone;
    /// What a seat may be asked for.
    type Move: Copy + PartialEq + fmt::Display;
    /// What is told of a move that was made.
    type Played;

    /// What a person may type, a line each.
    const HELP: &'static str;

    /// An example of what may be typed now and what it is called, such as `A peg such as b3`.
    fn example(view: &Self::View) -> &'static str;

    /// What the own seat is asked for: `move`, or what comes before the first.
    fn due(_view: &Self::View) -> &'static str {
        "move"
    }

    /// The legal moves of the own seat, which is to move.
    fn legal_moves(view: &Self::View) -> Vec<Self::Move>;

    /// Whether the own seat, which is to move, may make a move.
    fn is_legal(view: &Self::View, mv: Self::Move) -> bool;

    /// The view for people, lines with their ends.
    fn draw(view: &Self::View) -> String;

    /// A person's move of the own seat, which is to move.
    ///
    /// # Errors
    /// A sentence on what is wrong with it.
    fn read_move(view: &Self::View, text: &str) -> Result<Self::Move, String>;

    /// Whether a text is a move, legal or not.
    ///
    /// # Errors
    /// A sentence on what is wrong with it.
    fn check_notation(text: &str) -> Result<(), String>;
}
