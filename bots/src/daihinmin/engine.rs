//! What an engine is: a search behind a name, asked through one seat's view.

use games::daihinmin::{Cards, Meld, View};
use serde_json::Value;

/// A player of Daihinmin.
pub trait Engine: Send {
    /// A move for the seat of the view, which is to move. The caller checks it.
    fn choose(&mut self, view: &View) -> Meld;

    /// The `n` cards (1 or 2) to give away, as fugo or daifugo. `view.hand` is the hand with the
    /// tribute in it, `view.exchanged` says what was received and from whom; `view.table` is not
    /// yet meaningful.
    fn gift(&mut self, view: &View, n: u32) -> Cards;

    /// A game begins, exchange done; nobody has moved.
    fn game_begins(&mut self, _view: &View) {}

    /// Somebody moved: `before` is this seat's view before the move and `before.table.turn` the
    /// mover. Called for this seat's own moves, too.
    fn observe(&mut self, _before: &View, _meld: Meld) {}

    /// The reasons for the last choice, for the `--json` log.
    fn explain(&self) -> Option<Value> {
        None
    }
}
