//! What self-play must know of a game, and positions as its search sees them.

use games::blokus::{Placement, Scene, Scoring};
use games::score_four::{Peg, Position};

use super::SelfPlan;
use crate::blokus::zero::{Mixture, Playouts, worth_of};
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

    /// What the end is worth to each seat in the tree of a search whose values have this share of the score in them;
    /// `None` before the end. Without scores it is the rewards.
    fn worth(&self, _score_share: f64) -> Option<Rewards> {
        self.rewards()
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

    fn worth(&self, score_share: f64) -> Option<Rewards> {
        worth_of(self.board(), score_share)
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

/// A position whose end is worth what the evaluations in the same tree would say of it: the share in the win mixed with
/// that by score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shaped<P> {
    pub(super) position: P,
    /// Of the score, 0 to 1.
    pub(super) score_share: f64,
}

impl<P: SelfPlay> Game for Shaped<P> {
    type Move = P::Move;

    const SEATS: usize = P::SEATS;

    const MOVES: usize = P::MOVES;

    fn index(mv: P::Move) -> usize {
        P::index(mv)
    }

    fn to_move(&self) -> Option<u8> {
        self.position.to_move()
    }

    fn moves(&self, out: &mut Vec<P::Move>) {
        self.position.moves(out);
    }

    fn play(&mut self, mv: P::Move) {
        self.position.play(mv);
    }

    fn rewards(&self) -> Option<Rewards> {
        self.position.worth(self.score_share)
    }

    fn moves_since(&self, earlier: &Self, out: &mut Vec<P::Move>) -> bool {
        self.position.moves_since(&earlier.position, out)
    }
}

#[cfg(test)]
mod tests {
    use games::blokus::{Scene, Scoring};
    use games::score_four::Position;

    use super::*;
    use crate::blokus::arena::opening;

    #[test]
    fn ends_are_worth_the_mixture_that_values_are() {
        for seed in 0..4 {
            let position = Scene::from(opening(100, seed));
            let worth = |score_share| {
                let shaped = Shaped {
                    position,
                    score_share,
                };
                shaped.rewards().expect("the game is over")
            };
            assert_eq!(Some(worth(0.0)), position.rewards());
            let scores = position.board().scores(Scoring::Advanced);
            let weights = scores.map(|score| (f64::from(score) / 6.0).exp());
            let sum: f64 = weights.iter().sum();
            for (seat, weight) in weights.iter().enumerate() {
                let mixed = 0.5 * worth(0.0)[seat] + 0.5 * weight / sum;
                assert!((worth(0.5)[seat] - mixed).abs() < 1e-9);
            }
        }
        let score_share = 0.5;
        let position = Scene::new();
        assert_eq!(
            Shaped {
                position,
                score_share
            }
            .rewards(),
            None
        );
    }

    #[test]
    fn without_scores_ends_are_worth_the_win() {
        let mut position = Position::start();
        let mut moves = Vec::new();
        while position.to_move().is_some() {
            position.moves(&mut moves);
            Game::play(&mut position, moves[0]);
        }
        let shaped = Shaped {
            position,
            score_share: 0.5,
        };
        assert!(shaped.rewards().is_some());
        assert_eq!(shaped.rewards(), position.rewards());
    }
}
