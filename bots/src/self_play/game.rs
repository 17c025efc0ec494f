//! What self-play must know of a game.

use games::blokus::{Placement, Scoring};
use games::score_four::{Peg, Position};
use models::blokus::Scene;

use crate::blokus::zero::worth_of;
use crate::search::{Game, MOST_SEATS, Rewards};

/// A game that is learned by playing it.
pub trait SelfPlay: Game {
    /// The beginning.
    fn start() -> Self;

    /// The move of a number; `None` where the game has none of that number.
    fn move_of(index: u16) -> Option<Self::Move>;

    /// Scores by seat, where the game has any.
    fn scores(&self) -> [i16; MOST_SEATS] {
        [0; MOST_SEATS]
    }

    /// What the end is worth to each seat in the tree of a search whose values have this share of the score in them;
    /// `None` before the end. Without scores it is the rewards.
    fn worth(&self, _score_share: f64) -> Option<Rewards> {
        self.rewards()
    }
}

impl SelfPlay for Scene {
    fn start() -> Self {
        Self::new()
    }

    fn move_of(index: u16) -> Option<Placement> {
        Placement::new(index)
    }

    fn scores(&self) -> [i16; MOST_SEATS] {
        self.board().scores(Scoring::Advanced)
    }

    fn worth(&self, score_share: f64) -> Option<Rewards> {
        worth_of(self.board(), score_share)
    }
}

impl SelfPlay for Position {
    fn start() -> Self {
        Self::START
    }

    fn move_of(index: u16) -> Option<Peg> {
        Peg::from_index(usize::from(index))
    }
}
