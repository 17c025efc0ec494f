//! What self-play must know of a game.

use games::blokus::{Placement, Scene, Scoring};
use games::score_four::{Peg, Position};

use super::SelfPlan;
use crate::blokus::zero::{Mixture, Playouts};
use crate::search::{Game, MOST_SEATS, Rewards};

/// A game that is learned by playing it.
pub trait SelfPlay: Game {
    /// Plays games on to their ends beside a network.
    type Playouts: Send;

    /// Whether it has any playouts.
    const HAS_PLAYOUTS: bool;

    /// The beginning.
    fn start() -> Self;

    /// The move of a number; `None` where the game has none of that number.
    fn move_of(index: u16) -> Option<Self::Move>;

    /// Scores by seat, where the game has any.
    fn scores(&self) -> [i16; MOST_SEATS] {
        [0; MOST_SEATS]
    }

    /// What a game of a seed plays on with.
    fn playouts(plan: &SelfPlan, seed: u64) -> Self::Playouts;

    /// A network's value of the position with that of playouts in it, where the game has any.
    fn mix(&self, _playouts: &mut Self::Playouts, value: Rewards) -> Rewards {
        value
    }
}

impl SelfPlay for Scene {
    type Playouts = Mixture;

    const HAS_PLAYOUTS: bool = true;

    fn start() -> Self {
        Self::new()
    }

    fn move_of(index: u16) -> Option<Placement> {
        Placement::new(index)
    }

    fn scores(&self) -> [i16; MOST_SEATS] {
        self.board().scores(Scoring::Advanced)
    }

    fn playouts(plan: &SelfPlan, seed: u64) -> Mixture {
        let playouts = Playouts {
            count: plan.leaf_playouts,
            share: 0.5,
        };
        Mixture::new(playouts, plan.score_share, seed)
    }

    fn mix(&self, playouts: &mut Mixture, value: Rewards) -> Rewards {
        playouts.mix(self.board(), value)
    }
}

impl SelfPlay for Position {
    type Playouts = ();

    const HAS_PLAYOUTS: bool = false;

    fn playouts(_: &SelfPlan, _: u64) {}

    fn start() -> Self {
        Self::START
    }

    fn move_of(index: u16) -> Option<Peg> {
        Peg::from_index(usize::from(index))
    }
}
