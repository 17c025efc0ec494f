//! Positions as the search of self-play sees them.

use super::SelfPlay;
use crate::search::{Game, Rewards};

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
