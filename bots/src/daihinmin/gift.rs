//! The exchange, chosen by playouts.

use std::time::Instant;

use games::daihinmin::{Cards, Exchanged, Position, View};

use super::best::Best;
use super::policy::{Scratch, Softmax};
use super::simple::weakest;
use super::weighted::WeightedPlayout;
use crate::search::bandit::{Arm, Policy, most_tried};

impl Best {
    /// Gives the cards after which playouts do best: every choice among the cards that a sound
    /// player might give is tried on the same deals.
    pub(super) fn choose_gift(&mut self, view: &View, n: u32) -> Cards {
        let choices = gift_choices(view.hand, n);
        let Some(partner) = view.exchanged.partner else {
            return weakest(view.hand, n);
        };
        let values = self.values(view);
        let mut arms = vec![Arm::default(); choices.len()];
        let policy = Softmax {
            weights: &self.weights,
            sharpness: self.with.sharpness,
        };
        let mut playout = WeightedPlayout {
            policy,
            scratch: Scratch::default(),
        };
        let deadline = self.budget.time.map(|time| Instant::now() + time);
        let budget = self.budget.playouts.max(choices.len() as u32 * 8);
        // The view after a gift: the partner holds it and is again as large as before.
        let after: Vec<View> = choices
            .iter()
            .map(|&gift| {
                let mut after = *view;
                after.hand = view.hand - gift;
                after.exchanged = Exchanged {
                    given: gift,
                    ..view.exchanged
                };
                after.counts[usize::from(view.seat)] -= n as u8;
                after.counts[usize::from(partner)] += n as u8;
                after
            })
            .collect();
        for k in 0..budget {
            if k % 16 == 15 && deadline.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            let i = Policy::Ucb1Tuned.choose(&arms, f64::from(k), &mut self.rng);
            let world = after[i].determinize(&mut self.rng);
            let mut position = Position::new(world.hands, view.table.rules);
            let first = policy.draw_in(&position, &mut self.scratch, &mut self.rng);
            let place = playout.run(&mut position, first, view.seat, &mut self.rng);
            arms[i].add(values[usize::from(place)]);
        }
        self.last.clear();
        most_tried(&arms).map_or_else(|| weakest(view.hand, n), |i| choices[i])
    }
}

/// The gifts worth trying: `n` of the cards of the hand that are below the king, the joker, aces
/// and 2s being kept while there are enough others.
fn gift_choices(hand: Cards, n: u32) -> Vec<Cards> {
    let mut pool: Vec<_> = hand.iter().filter(|c| c.column() <= 10).collect();
    if (pool.len() as u32) < n + 1 {
        pool = hand.iter().filter(|c| !c.is_joker()).collect();
    }
    let mut choices = Vec::new();
    for (i, &a) in pool.iter().enumerate() {
        if n == 1 {
            choices.push(Cards::from(a));
        } else {
            choices.extend(
                pool[i + 1..]
                    .iter()
                    .map(|&b| Cards::from(a) | Cards::from(b)),
            );
        }
    }
    choices
}
