//! What an engine is: a search behind a name, asked through one seat's view.

use games::geister::{Color, Move, Placement, View};
use serde_json::Value;

/// A player of Geister.
pub trait Engine: Send {
    /// Which own ghosts are red in the next game.
    fn placement(&mut self) -> Placement;

    /// A game begins; `view` shows the own placement, nobody has moved.
    fn begin(&mut self, _view: &View) {}

    /// A move for the seat of the view, which is to move. The caller checks it.
    fn choose(&mut self, view: &View) -> Move;

    /// Somebody moved, in the mover's own words: `before` is this seat's view before the move and
    /// `captured` the colour of the ghost that the move captured. Called for own moves, too.
    fn observe(&mut self, _before: &View, _mv: Move, _captured: Option<Color>) {}

    /// The reasons for the last choice, for the `--json` log.
    fn explain(&self) -> Option<Value> {
        None
    }
}
