//! The playout policy: a linear softmax over the legal moves, on features that cost a table look-up
//! each.
//!
//! The chance of a move is exp(w . f) / sum of the same over the moves that
//! [`games::daihinmin::legal_moves_no_waste`] lists (without the pass on an empty field); f has one
//! active feature in each block of [`features`] that concerns the move. Everything that a feature
//! reads is known to the mover: its hand, the table, the numbers of cards and the union of the
//! other hands. Weights are fitted to the choices of a search by maximum likelihood.

use std::path::Path;

use games::daihinmin::{Cards, Meld, Position, Table, legal_moves_no_waste};
use rand::Rng;

use super::features::{Active, FEATURES, Situation, features};

/// Room for the moves of one decision, reused from decision to decision.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub(crate) moves: Vec<Meld>,
    chances: Vec<f32>,
}

impl Default for Scratch {
    fn default() -> Scratch {
        // More moves than a hand of eleven cards with the joker has.
        Scratch {
            moves: Vec::with_capacity(512),
            chances: Vec::with_capacity(512),
        }
    }
}

/// Lists the policy's moves: no wasted joker, no pass on an empty field.
#[inline]
pub(crate) fn policy_moves(table: &Table, hand: Cards, out: &mut Vec<Meld>) {
    legal_moves_no_waste(table, hand, out);
    if table.field.is_pass() && out.len() > 1 {
        out.swap_remove(0);
    }
}

/// The policy at a temperature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Softmax<'a> {
    pub(crate) weights: &'a Weights,
    /// Inverse of the temperature.
    pub(crate) sharpness: f32,
}

impl Softmax<'_> {
    /// Draws a move; one that empties the hand is always taken. `others` is the union of the other
    /// hands, `counts` the numbers of cards by seat.
    #[inline]
    pub(crate) fn draw(
        self,
        table: &Table,
        hand: Cards,
        others: Cards,
        counts: [u8; 5],
        scratch: &mut Scratch,
        rng: &mut impl Rng,
    ) -> Meld {
        policy_moves(table, hand, &mut scratch.moves);
        if scratch.moves.len() == 1 {
            return scratch.moves[0];
        }
        let cards_left = hand.len() as u8;
        if let Some(&out) = scratch.moves.iter().find(|m| m.len() == cards_left) {
            return out;
        }
        let situation = Situation::new(table, hand, others, counts);
        scratch.chances.clear();
        let mut sum = 0.0;
        for &meld in &scratch.moves {
            sum += (self.sharpness * self.weights.logit(&features(&situation, meld))).exp();
            scratch.chances.push(sum);
        }
        let mark = (rng.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0) * sum;
        // By rounding the mark may be the sum itself.
        let i = scratch.chances.iter().position(|&c| mark < c).unwrap_or(0);
        scratch.moves[i]
    }

    /// A move of the seat to move in a full position.
    pub(crate) fn draw_in(
        self,
        position: &Position,
        scratch: &mut Scratch,
        rng: &mut impl Rng,
    ) -> Meld {
        let hand = position.hand();
        let all = position.hands.iter().fold(Cards::EMPTY, |all, &h| all | h);
        self.draw(
            &position.table,
            hand,
            all - hand,
            position.counts(),
            scratch,
            rng,
        )
    }
}

/// Chance of each move in `moves` under the policy (temperature 1), as natural logarithms, in
/// `out`.
pub(crate) fn log_chances(
    weights: &Weights,
    situation: &Situation,
    moves: &[Meld],
    out: &mut Vec<f32>,
) {
    out.clear();
    out.extend(
        moves
            .iter()
            .map(|&m| weights.logit(&features(situation, m))),
    );
    let top = out.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = out.iter().map(|l| (l - top).exp()).sum();
    let log_sum = top + sum.ln();
    for logit in out {
        *logit -= log_sum;
    }
}

/// Weights of the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(Box<[f32; FEATURES + 1]>);

impl Weights {
    /// All zero: the uniform policy.
    pub fn zero() -> Weights {
        Weights(Box::new([0.0; FEATURES + 1]))
    }

    /// Returns the weights shipped with the project.
    ///
    /// # Panics
    /// When the shipped file is damaged.
    pub fn built_in() -> Weights {
        let bytes = include_bytes!("../../../models/daihinmin/policy.f32");
        Weights::from_bytes(bytes).expect("the shipped weights are whole")
    }

    /// Reads little-endian 32-bit floats.
    ///
    /// # Errors
    /// When their number is not [`FEATURES`] or one is not finite.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, String> {
        if bytes.len() != 4 * FEATURES {
            return Err(format!(
                "{} bytes where {} ({FEATURES} weights) are wanted",
                bytes.len(),
                4 * FEATURES
            ));
        }
        let mut weights = Weights::zero();
        for (weight, b) in weights.0.iter_mut().zip(bytes.chunks_exact(4)) {
            *weight = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
        match weights.0.iter().position(|w| !w.is_finite()) {
            Some(i) => Err(format!("weight {i} is not a number")),
            None => Ok(weights),
        }
    }

    /// Reads a weights file.
    ///
    /// # Errors
    /// When the file cannot be read or is not as [`Weights::from_bytes`] wants it.
    pub fn read(path: &Path) -> Result<Weights, String> {
        let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        Weights::from_bytes(&bytes)
    }

    /// The weights as little-endian 32-bit floats.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0[..FEATURES]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect()
    }

    pub(crate) fn values_mut(&mut self) -> &mut [f32] {
        &mut self.0[..FEATURES]
    }

    #[inline]
    pub(crate) fn logit(&self, active: &Active) -> f32 {
        active
            .iter()
            .map(|&i| self.0[usize::from(i).min(FEATURES)])
            .sum()
    }
}
