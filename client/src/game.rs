//! What a player of any kind needs to know of a game.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// Rules, texts and engines of a game, as players at a server use them.
pub trait ClientGame: Sized + 'static {
    /// What the own seat knows, whatever is due: a move, or what comes before the first.
    type View: Clone;
    /// What a seat may be asked for.
    type Move: Copy + PartialEq + fmt::Display;
    /// What is told of a move that was made.
    type Played;
    /// A search behind a name.
    type Engine: ?Sized;

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

    /// What answers for an engine that cannot: a legal move outside of `refused`, if there is one.
    fn stand_in(view: &Self::View, refused: &[Self::Move]) -> Option<Self::Move> {
        let mut moves = Self::legal_moves(view).into_iter();
        moves.find(|mv| !refused.contains(mv))
    }

    /// Whether what is asked is a decision for the summary.
    fn is_decision(_view: &Self::View) -> bool {
        true
    }

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

    /// A warning about rules of the server that the engines do not know.
    fn warning(_rules: &Value) -> Option<String> {
        None
    }

    /// A move for the own seat, within the engine's own budget and `limit`.
    fn choose(engine: &mut Self::Engine, view: &Self::View, limit: Option<Duration>) -> Self::Move;

    /// Forgets the last game.
    fn new_game(_engine: &mut Self::Engine) {}

    /// Tells an engine of the beginning of a game.
    fn begin(_engine: &mut Self::Engine, _view: &Self::View) {}

    /// Tells an engine of a move.
    fn observe(_engine: &mut Self::Engine, _played: &Self::Played) {}

    /// Tells an engine of the end of a game: the view shows what was hidden.
    fn end(_engine: &mut Self::Engine, _view: &Self::View) {}

    /// The reasons for the last choice.
    fn explain(engine: &Self::Engine) -> Option<Value>;
}
