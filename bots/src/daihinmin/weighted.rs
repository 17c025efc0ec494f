//! Playouts that follow the learned policy.

use games::daihinmin::{Cards, Meld, NO_PLACE, Position};
use rand::Rng;

use super::policy::{Scratch, Weights, draw};

/// A playout under the policy, with the bookkeeping that its features need.
#[derive(Debug)]
pub(crate) struct WeightedPlayout<'a> {
    pub(crate) weights: &'a Weights,
    /// Inverse of the softmax's temperature.
    pub(crate) sharpness: f32,
    pub(crate) scratch: Scratch,
}

impl WeightedPlayout<'_> {
    /// Plays `first` and then on until `seat` has its place, which is returned (0..=4).
    pub(crate) fn run(
        &mut self,
        position: &mut Position,
        first: Meld,
        seat: u8,
        rng: &mut impl Rng,
    ) -> u8 {
        let mut left = position
            .hands
            .iter()
            .fold(Cards::EMPTY, |all, &hand| all | hand);
        let mut counts = position.counts();
        let mut meld = first;
        loop {
            left -= meld.cards();
            counts[usize::from(position.table.turn)] -= meld.len();
            position.play_unchecked(meld);
            let place = position.table.places[usize::from(seat)];
            if place != NO_PLACE {
                return place;
            }
            if position.table.is_stalled() {
                return position.table.finished + (position.table.players_left() / 2) as u8;
            }
            let hand = position.hand();
            meld = draw(
                self.weights,
                self.sharpness,
                &position.table,
                hand,
                left - hand,
                &counts,
                &mut self.scratch,
                rng,
            );
        }
    }
}
