//! REINFORCE: what one game teaches the weights.
//!
//! For each move of the learner in order, with the probabilities computed again from the weights as
//! they have become, `theta += alpha G (x_chosen - sum_j pi_j x_j)`, where G is the result R (+1, 0, -1)
//! less the learned baseline `b = 2 / (1 + exp(-w . x)) - 1` of the position before the move, and `w += beta (R - b) x`.
//!
//! The difference of pair features between the after-states of a position is sparse: a pair of features
//! that no move touches is in all of them and cancels. So the update goes feature by feature over what
//! moves take away and put down, about 20 features with 20 pairs each, not move by move.

use games::geister::{MoveList, Position};

use super::choice::softmax;
use super::features::{CAPTURE, ESCAPE, Feature, FeatureChange, MOST_ACTIVE, Sight};
use super::selfplay::MOST_MOVES;
use super::weights::Weights;

/// Step sizes and what is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    pub alpha: f64,
    pub beta: f64,
}

/// A single feature has two equal weights in the layout of the paper's author, which learn together.
const SINGLE: f64 = 2.0;

/// The features of a position and the weights of pairs with them.
struct Active {
    features: [Feature; MOST_ACTIVE],
    len: usize,
}

impl Active {
    fn of(sight: &Sight) -> Self {
        let mut active = Self {
            features: [0; MOST_ACTIVE],
            len: 0,
        };
        sight.features(|feature| {
            active.features[active.len] = feature;
            active.len += 1;
        });
        active
    }

    #[inline]
    fn list(&self) -> &[Feature] {
        &self.features[..self.len]
    }

    #[inline]
    fn sum(&self, weights: &Weights, feature: Feature) -> f64 {
        let row = weights.row(feature);
        self.list().iter().map(|&f| row[usize::from(f) & 127]).sum()
    }

    /// Adds to the pairs of `feature`, which is not active, with all active features and itself.
    #[inline]
    fn add_new(&self, weights: &mut Weights, feature: Feature, value: f64) {
        for &f in self.list() {
            weights.add_pair(feature, f, value);
        }
        weights.add_single(feature, SINGLE * value);
    }

    /// Takes from the pairs of an active feature with all active features.
    #[inline]
    fn take_old(&self, weights: &mut Weights, feature: Feature, value: f64) {
        for &f in self.list() {
            if f == feature {
                weights.add_single(f, -SINGLE * value);
            } else {
                weights.add_pair(feature, f, -value);
            }
        }
    }
}

/// Raises the preference of the chosen move, `step` being `alpha G`.
///
/// `sight` is what the mover sees, `moves` its legal moves.
pub fn reinforce(weights: &mut Weights, sight: &Sight, moves: &MoveList, chosen: usize, step: f64) {
    let active = Active::of(sight);
    let mut values = [0.0; MOST_MOVES];
    let mut last = (ESCAPE, 0.0);
    let mut capture = None;
    for (value, &mv) in values.iter_mut().zip(moves.iter()) {
        let change = sight.change(mv);
        let (FeatureChange::Step { from, .. }
        | FeatureChange::Capture { from, .. }
        | FeatureChange::Escape { from }) = change;
        if last.0 != from {
            last = (from, active.sum(weights, from));
        }
        *value = -last.1
            + match change {
                FeatureChange::Step { to, .. } => {
                    active.sum(weights, to) + weights.pair(to, to) - weights.pair(to, from)
                }
                FeatureChange::Capture { to, enemy, .. } => {
                    let flag = *capture.get_or_insert_with(|| active.sum(weights, CAPTURE));
                    active.sum(weights, to) + flag - active.sum(weights, enemy)
                        + weights.pair(enemy, from)
                        + (weights.pair(to, to) - weights.pair(to, from) - weights.pair(to, enemy))
                        + (weights.pair(CAPTURE, CAPTURE) + weights.pair(CAPTURE, to)
                            - weights.pair(CAPTURE, from)
                            - weights.pair(CAPTURE, enemy))
                }
                FeatureChange::Escape { .. } => {
                    active.sum(weights, ESCAPE) + weights.pair(ESCAPE, ESCAPE)
                        - weights.pair(ESCAPE, from)
                }
            };
    }
    let values = &mut values[..moves.len()];
    softmax(values, 1.0);
    for value in values.iter_mut() {
        *value *= -step;
    }
    values[chosen] += step;

    let mut taken = (ESCAPE, 0.0);
    for (&value, &mv) in values.iter().zip(moves.iter()) {
        let change = sight.change(mv);
        let (FeatureChange::Step { from, .. }
        | FeatureChange::Capture { from, .. }
        | FeatureChange::Escape { from }) = change;
        if taken.0 != from {
            if taken.0 != ESCAPE {
                active.take_old(weights, taken.0, taken.1);
            }
            taken = (from, 0.0);
        }
        taken.1 += value;
        match change {
            FeatureChange::Step { to, .. } => {
                active.add_new(weights, to, value);
                weights.add_pair(to, from, -value);
            }
            FeatureChange::Capture { to, enemy, .. } => {
                active.take_old(weights, enemy, value);
                weights.add_pair(enemy, from, value);
                for new in [to, CAPTURE] {
                    active.add_new(weights, new, value);
                    weights.add_pair(new, from, -value);
                    weights.add_pair(new, enemy, -value);
                }
                weights.add_pair(to, CAPTURE, value);
            }
            FeatureChange::Escape { .. } => {
                active.add_new(weights, ESCAPE, value);
                weights.add_pair(ESCAPE, from, -value);
            }
        }
    }
    if taken.0 != ESCAPE {
        active.take_old(weights, taken.0, taken.1);
    }
}

/// Learns from one game: `played` are the positions in which the learner was to move, with the index of its
/// move, and `result` is +1 for a win, 0 for a draw, -1 for a loss of the learner.
pub fn learn(
    weights: &mut Weights,
    w: &mut Weights,
    steps: Steps,
    played: &[(Position, u8)],
    result: f64,
) {
    let mut moves = MoveList::new();
    for (position, chosen) in played {
        let Some(seat) = position.to_move() else {
            continue;
        };
        let sight = Sight::of(position, seat);
        let active = Active::of(&sight);
        let gain = result - (2.0 / (1.0 + (-w.preference(active.list())).exp()) - 1.0);
        for (n, &f) in active.list().iter().enumerate() {
            for &g in &active.list()[..n] {
                w.add_pair(f, g, steps.beta * gain);
            }
            w.add_single(f, SINGLE * steps.beta * gain);
        }
        if gain != 0.0 {
            position.legal_moves(&mut moves);
            reinforce(
                weights,
                &sight,
                &moves,
                usize::from(*chosen),
                steps.alpha * gain,
            );
        }
    }
}
