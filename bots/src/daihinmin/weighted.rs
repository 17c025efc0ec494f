//! Playouts that follow the learned policy.

use games::daihinmin::{Cards, Meld, NO_PLACE, Position};
use rand::Rng;

use super::policy::{Scratch, Softmax};

/// A playout under the policy, with the bookkeeping that its features need.
#[derive(Debug)]
pub(crate) struct WeightedPlayout<'a> {
    pub(crate) policy: Softmax<'a>,
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
            meld = self.policy.draw(
                &position.table,
                hand,
                left - hand,
                counts,
                &mut self.scratch,
                rng,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daihinmin::Weights;
    use crate::daihinmin::playout::{TdValue, playout};
    use games::daihinmin::{Dealer, DealerKind, Session, SessionRules, View};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn playouts_allocate_nothing() {
        let mut session = Session::new(SessionRules::default(), Dealer::new(DealerKind::Modern, 2));
        let start = session.deal().start();
        let view = View::at_start(&start, start.table.turn);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let uniform = allocation_counter::measure(|| {
            for _ in 0..500 {
                let mut position = view.determinize(&mut rng);
                playout(
                    &mut position,
                    view.seat,
                    TdValue { alpha: 0.9 },
                    5.0,
                    &mut rng,
                );
            }
        });
        assert_eq!(uniform.count_total, 0);
        let weights = Weights::built_in();
        let mut weighted = WeightedPlayout {
            policy: Softmax {
                weights: &weights,
                sharpness: 1.0,
            },
            scratch: Scratch::default(),
        };
        let mut run = |weighted: &mut WeightedPlayout<'_>| {
            let mut position = view.determinize(&mut rng);
            let first = Meld::single(view.hand.nth(0).column(), view.hand.nth(0).row());
            weighted.run(&mut position, first, view.seat, &mut rng);
        };
        let learned = allocation_counter::measure(|| (0..500).for_each(|_| run(&mut weighted)));
        assert_eq!(learned.count_total, 0);
    }
}
