//! Playouts beside a network: a young network knows less of how a game goes on than a few quick games tell.
//!
//! The mixture of both is that of D. Silver et al., "Mastering the game of Go with deep neural networks and tree
//! search", Nature 529 (2016) 484-489.

use games::blokus::{Board, Placement, SEATS, Scene};
use models::NetworkError;
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::blokus::RowPlayout;
use crate::blokus::game::worth;
use crate::search::Rewards;
use crate::search::network::LeafEvaluator;

const EPSILON: f64 = 0.05;
/// Share of playouts in the value of a position; the rest is the network's.
const SHARE: f64 = 0.5;

/// Playouts that are mixed with values of positions.
#[derive(Clone, Debug)]
pub struct Mixture {
    /// Playouts from each position; none, and the network's values stand alone.
    count: u32,
    /// Of the score in the worth of an end, as in the values.
    score_share: f64,
    playout: RowPlayout,
    seed: u64,
}

impl Mixture {
    pub const MOST: u32 = 1000;

    /// With so many playouts from each position, and the share of the score in the worth of an end, as in the values.
    pub fn new(count: u32, score_share: f64, seed: u64) -> Self {
        Self {
            count,
            score_share,
            playout: RowPlayout::new(EPSILON),
            seed,
        }
    }

    /// The mean worth of the ends of playouts. They are the same each time that a position comes up, so that a search
    /// does not depend on those before it.
    fn play(&mut self, board: &Board) -> Rewards {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ board.key());
        let mut sum = [0.0; SEATS];
        for _ in 0..self.count {
            let scores = self.playout.scores(board, &mut rng);
            let worth = worth(scores, self.score_share);
            sum.iter_mut()
                .zip(worth)
                .for_each(|(sum, worth)| *sum += worth);
        }
        sum.map(|sum| sum / f64::from(self.count))
    }

    /// A position's value with that of playouts from it in it.
    pub fn mix(&mut self, board: &Board, value: Rewards) -> Rewards {
        if self.count == 0 {
            return value;
        }
        let played = self.play(board);
        mixed(value, &played)
    }
}

/// A value with that of playouts in it.
fn mixed(mut value: Rewards, played: &Rewards) -> Rewards {
    let pairs = value.iter_mut().zip(played);
    pairs.for_each(|(value, played)| *value += SHARE * (played - *value));
    value
}

/// An evaluator whose values are mixed with those of playouts from the same positions.
#[derive(Clone, Debug)]
pub struct WithPlayouts<E> {
    inner: E,
    mixture: Mixture,
    boards: Vec<Board>,
    values: Vec<Rewards>,
}

impl<E> WithPlayouts<E> {
    pub(super) fn new(inner: E, playouts: u32, score_share: f64, seed: u64) -> Self {
        Self {
            inner,
            mixture: Mixture::new(playouts, score_share, seed),
            boards: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<E: LeafEvaluator<Position = Scene>> LeafEvaluator for WithPlayouts<E> {
    type Position = Scene;

    fn clear(&mut self) {
        self.boards.clear();
        self.inner.clear();
    }

    fn add(&mut self, scene: &Scene, moves: &[Placement]) {
        self.boards.push(*scene.board());
        self.inner.add(scene, moves);
    }

    fn evaluate(&mut self) -> Result<(), NetworkError> {
        self.inner.evaluate()?;
        self.values.clear();
        if self.mixture.count > 0 {
            let played = self.boards.iter().map(|board| self.mixture.play(board));
            self.values.extend(played);
        }
        Ok(())
    }

    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards {
        let value = self.inner.answer(number, logits);
        match self.values.get(number) {
            Some(played) => mixed(value, played),
            None => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::OpenPosition as _;

    /// Sure of the first seat.
    struct Sure(usize);

    const SURE: Rewards = [0.625, 0.125, 0.125, 0.125];

    impl LeafEvaluator for Sure {
        type Position = Scene;

        fn clear(&mut self) {
            self.0 = 0;
        }

        fn add(&mut self, _: &Scene, moves: &[Placement]) {
            self.0 = moves.len();
        }

        fn evaluate(&mut self) -> Result<(), NetworkError> {
            Ok(())
        }

        fn answer(&mut self, _: usize, logits: &mut Vec<f32>) -> Rewards {
            logits.clear();
            logits.resize(self.0, 1.0);
            SURE
        }
    }

    /// The values of positions, evaluated in this order, three at a time.
    fn values(playouts: u32, seed: u64, boards: &[Board]) -> Vec<Rewards> {
        let mut evaluator = WithPlayouts::new(Sure(0), playouts, 0.5, seed);
        let (mut values, mut moves) = (Vec::new(), Vec::new());
        for boards in boards.chunks(3) {
            evaluator.clear();
            for board in boards {
                board.legal_moves(&mut moves);
                evaluator.add(&Scene::from(*board), &moves);
            }
            evaluator.evaluate().expect("answers");
            for number in 0..boards.len() {
                let mut logits = Vec::new();
                values.push(evaluator.answer(number, &mut logits));
                assert_eq!(logits, vec![1.0; moves.len()]);
            }
        }
        values
    }

    fn boards() -> Vec<Board> {
        let mut boards: Vec<_> = (0..8)
            .map(|seed| Board::random_opening(5 * seed as u32, seed))
            .collect();
        boards[6].withdraw(games::blokus::Colour::RED);
        boards.retain(|board| board.to_move().is_some());
        boards
    }

    #[test]
    fn without_playouts_values_pass_through() {
        let boards = boards();
        assert_eq!(values(0, 1, &boards), vec![SURE; boards.len()]);
    }

    #[test]
    fn values_stay_a_distribution() {
        let boards = boards();
        for playouts in [1, 4, 7] {
            for value in values(playouts, 1, &boards) {
                assert!(value.iter().ne(SURE.iter()));
                assert!(value.iter().all(|seat| (0.0..=1.0).contains(seat)));
                assert!((value.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{value:?}");
            }
        }
    }

    #[test]
    fn a_position_has_the_same_value_whatever_was_evaluated_before() {
        let mut boards = boards();
        let first = values(2, 1, &boards);
        boards.reverse();
        let mut again = values(2, 1, &boards);
        again.reverse();
        assert_eq!(first, again);
        boards.reverse();
        assert_ne!(first, values(2, 2, &boards));
    }
}
