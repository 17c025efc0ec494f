//! What evaluates positions.

use super::super::{Game, MOST_SEATS, Rewards};

/// A network, or what stands for one.
pub trait Evaluator<G: Game> {
    /// Clears `logits` and fills it with one for each of `moves`, all moves of the position; gives the value of each
    /// seat, 0 to 1, what [`Rewards`] may be expected.
    fn evaluate(&mut self, position: &G, moves: &[G::Move], logits: &mut Vec<f32>) -> Rewards;
}

/// Knows nothing: all moves and all seats are the same to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<G: Game> Evaluator<G> for Uniform {
    fn evaluate(&mut self, _: &G, moves: &[G::Move], logits: &mut Vec<f32>) -> Rewards {
        logits.clear();
        logits.resize(moves.len(), 0.0);
        let mut value = [0.0; MOST_SEATS];
        value[..G::SEATS].fill(1.0 / G::SEATS as f64);
        value
    }
}
