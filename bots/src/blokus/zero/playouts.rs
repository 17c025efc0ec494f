//! Playouts beside a network: a young network knows less of how a game goes on than a few quick games tell.
//!
//! The mixture of both is that of D. Silver et al., "Mastering the game of Go with deep neural networks and tree
//! search", Nature 529 (2016) 484-489.

use games::blokus::{Board, Placement, SEATS};
use models::NetworkError;
use models::blokus::Scene;
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::LeafEvaluator;
use super::position::worth;
use crate::blokus::RowPlayout;
use crate::search::Rewards;

/// How playouts count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playouts {
    /// Playouts from each position that is evaluated; none, and the network's values stand alone.
    pub count: u32,
    /// Their share in its value, 0 to 1.
    pub share: f64,
}

/// Epsilon of the playouts.
const EPSILON: f64 = 0.05;

/// An evaluator whose values are mixed with those of playouts from the same positions.
#[derive(Clone, Debug)]
pub struct WithPlayouts<E> {
    inner: E,
    playouts: Playouts,
    /// Of the score in the worth of an end, as in the values of `inner`.
    score_share: f64,
    playout: RowPlayout,
    rng: Xoshiro256PlusPlus,
    boards: Vec<Board>,
    values: Vec<Rewards>,
}

impl<E> WithPlayouts<E> {
    pub(super) fn new(inner: E, playouts: Playouts, score_share: f64, seed: u64) -> Self {
        Self {
            inner,
            playouts,
            score_share,
            playout: RowPlayout::new(EPSILON),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            boards: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The mean worth of the ends of playouts.
    fn play(&mut self, board: &Board) -> Rewards {
        let mut sum = [0.0; SEATS];
        for _ in 0..self.playouts.count {
            let scores = self.playout.scores(board, &mut self.rng);
            let worth = worth(scores, self.score_share);
            sum.iter_mut()
                .zip(worth)
                .for_each(|(sum, worth)| *sum += worth);
        }
        sum.map(|sum| sum / f64::from(self.playouts.count))
    }
}

impl<E: LeafEvaluator> LeafEvaluator for WithPlayouts<E> {
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
        if self.playouts.count > 0 {
            for number in 0..self.boards.len() {
                let board = self.boards[number];
                let value = self.play(&board);
                self.values.push(value);
            }
        }
        Ok(())
    }

    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards {
        let mut value = self.inner.answer(number, logits);
        if let Some(played) = self.values.get(number) {
            let share = self.playouts.share;
            let pairs = value.iter_mut().zip(played);
            pairs.for_each(|(value, played)| *value += share * (played - *value));
        }
        value
    }
}
