//! What evaluates positions, several at a time.

use games::blokus::{Placement, Scene};
use models::NetworkError;

use crate::search::Rewards;

/// A network, or what stands for one in tests. Positions are put into a batch, evaluated together, and their answers
/// fetched.
pub trait LeafEvaluator: Send {
    /// Empties the batch.
    fn clear(&mut self);

    /// Puts a position into the batch, with all moves of the colour to move.
    fn add(&mut self, scene: &Scene, moves: &[Placement]);

    /// Evaluates the batch.
    ///
    /// # Errors
    /// When the network cannot be run.
    fn evaluate(&mut self) -> Result<(), NetworkError>;

    /// The answer for a position of the batch, counted from 0: clears `logits` and fills it with one for each of its
    /// moves, in their order; gives the value of each seat, by seat number, 0 to 1.
    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards;
}
