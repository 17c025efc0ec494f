//! Playouts that draw uniformly over moves.

use games::blokus::{Board, Placement};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::{any, largest};
use crate::search::{Game as _, Playout, Rewards};

/// Epsilon-greedy playouts by the letter: with probability epsilon a uniformly random legal move, else a
/// uniformly random one among those of the largest piece size that fits. They list all legal moves at each
/// ply, which is several times slower than the sampler that draws orientations first.
#[derive(Clone, Debug)]
pub struct ExactPlayout {
    epsilon: f64,
    moves: Vec<Placement>,
    line: Vec<(u8, Placement)>,
}

impl ExactPlayout {
    /// With epsilon, in [0, 1]; 1 plays uniformly at random.
    pub const fn new(epsilon: f64) -> Self {
        Self {
            epsilon,
            moves: Vec::new(),
            line: Vec::new(),
        }
    }
}

impl Playout<Board> for ExactPlayout {
    fn run(&mut self, position: &Board, rng: &mut Xoshiro256PlusPlus) -> Rewards {
        let mut board = *position;
        self.line.clear();
        while let Some(mover) = board.to_move() {
            board.legal_moves(&mut self.moves);
            let mv = if self.epsilon > 0.0 && rng.random_bool(self.epsilon) {
                any(&self.moves, rng)
            } else {
                any(largest(&self.moves), rng)
            };
            self.line.push((mover.seat(), mv));
            board.play_unchecked(mv);
        }
        board.rewards().unwrap_or_default()
    }

    fn line(&self) -> &[(u8, Placement)] {
        &self.line
    }
}
