//! What the enemy's colours may be, by the likelihood that a policy gives its moves.
//!
//! Every placement of the enemy starts with the same weight. After each of its moves the weight of a
//! placement is multiplied by the probability that the policy, with those colours, chooses that move.

use games::geister::{Move, MoveList, Placement, Position, View};
use rand::{Rng, RngExt as _};

use super::choice::softmax;
use super::features::Sight;
use super::selfplay::MOST_MOVES;
use super::sums::Sums;
use super::weights::Weights;

/// How much the enemy is taken to play like the policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trust {
    /// Temperature of the policy as a model of the enemy, above 0.
    pub temperature: f64,
    /// Share of moves that the enemy is taken to draw uniformly, 0 to 1. At 1 nothing is inferred.
    pub blunders: f64,
}

impl Default for Trust {
    fn default() -> Self {
        Self {
            temperature: 1.0,
            blunders: 0.1,
        }
    }
}

/// Weights of the enemy's 70 placements.
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    trust: Trust,
    weights: [f64; Placement::ALL.len()],
}

impl Belief {
    /// All placements alike.
    pub fn uniform(trust: Trust) -> Self {
        Self {
            trust,
            weights: [1.0; Placement::ALL.len()],
        }
    }

    /// Takes in a move of the enemy; `before` is the view before it.
    pub fn observe(&mut self, policy: &Weights, before: &View, mv: Move) {
        let enemy = 1 - before.seat();
        let mut moves = MoveList::new();
        let mut highest = 0.0_f64;
        for (weight, placement) in self.weights.iter_mut().zip(Placement::ALL) {
            let Some(position) = before.with(placement) else {
                *weight = 0.0;
                continue;
            };
            *weight *= likelihood(policy, &position, enemy, mv, self.trust, &mut moves);
            highest = highest.max(*weight);
        }
        if highest > 0.0 {
            self.weights.iter_mut().for_each(|w| *w /= highest);
        } else {
            *self = Self::uniform(self.trust);
        }
    }

    /// The placements that the view allows with their probabilities, which add up to 1.
    pub fn placements(&self, view: &View) -> Vec<(Placement, f64)> {
        let allowed = || {
            Placement::ALL
                .into_iter()
                .zip(self.weights)
                .filter(|&(p, _)| view.allows(p))
        };
        let sum: f64 = allowed().map(|(_, w)| w).sum();
        let count = allowed().count().max(1) as f64;
        allowed()
            .map(|(p, w)| (p, if sum > 0.0 { w / sum } else { 1.0 / count }))
            .collect()
    }

    /// The probability that each of the enemy's ghosts A..H is red.
    pub fn red(&self, view: &View) -> [f64; 8] {
        let mut red = [0.0; 8];
        for (placement, p) in self.placements(view) {
            for (bit, red) in red.iter_mut().enumerate() {
                *red += p * f64::from(placement.mask() >> bit & 1);
            }
        }
        red
    }
}

/// The probability of a move of `seat` under the policy; 0 for an illegal move.
fn likelihood(
    policy: &Weights,
    position: &Position,
    seat: u8,
    mv: Move,
    trust: Trust,
    moves: &mut MoveList,
) -> f64 {
    position.legal_moves(moves);
    let sight = Sight::of(position, seat);
    let sums = Sums::of(policy, &sight);
    let mut values = [0.0; MOST_MOVES];
    for (value, &mv) in values.iter_mut().zip(moves.iter()) {
        *value = sums.preference(policy, sight.change(mv));
    }
    let values = &mut values[..moves.len()];
    softmax(values, trust.temperature);
    // A player that can win at once does, whatever the policy says.
    if let Some(escape) = position.escape() {
        for (value, &mv) in values.iter_mut().zip(moves.iter()) {
            *value = f64::from(u8::from(mv == escape));
        }
    }
    let uniform = trust.blunders / moves.len().max(1) as f64;
    moves
        .iter()
        .position(|&m| m == mv)
        .map_or(0.0, |i| values[i] * (1.0 - trust.blunders) + uniform)
}

/// Draws from placements whose probabilities are added up in order.
#[inline]
pub(super) fn draw_cumulative(cumulative: &[f64], rng: &mut impl Rng) -> usize {
    let at = rng.random::<f64>() * cumulative.last().copied().unwrap_or(0.0);
    cumulative
        .partition_point(|&c| c <= at)
        .min(cumulative.len().saturating_sub(1))
}
