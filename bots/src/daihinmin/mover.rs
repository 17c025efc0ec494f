//! The policy: a softmax over the logits that the network gives to the legal moves; and the engine `policy`.
//!
//! The moves are those that [`games::daihinmin::legal_moves_no_waste`] lists, without the pass on an empty field.

use std::time::Duration;

use games::daihinmin::{Cards, Meld, SEATS, Table, View, legal_moves_no_waste};
use rand::Rng;

use super::engine::{Engine, gift_choices};
use super::information_state::InformationState;
use super::inputs::DaihinminNetworks;
use crate::learning::{Inputs, likeliest, to_log_chances};

/// Lists the policy's moves: no wasted joker, no pass on an empty field.
#[inline]
pub(crate) fn policy_moves(table: &Table, hand: Cards, out: &mut Vec<Meld>) {
    legal_moves_no_waste(table, hand, out);
    if table.field.is_pass() && out.len() > 1 {
        out.swap_remove(0);
    }
}

/// What there is to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choices {
    /// Nothing: a single move, or one that empties the hand.
    One(Meld),
    /// One of the moves of [`Mover::moves`].
    Several,
}

/// The networks that the player of each seat moves by.
pub(crate) type Policies<'a> = [&'a DaihinminNetworks; SEATS];

/// The policy at a temperature, with room for one decision that is reused from decision to decision.
#[derive(Clone, Debug)]
pub struct Mover<'a> {
    pub networks: &'a DaihinminNetworks,
    sharpness: f32,
    pub moves: Vec<Meld>,
    logits: Vec<f32>,
    pub inputs: Inputs,
}

impl<'a> Mover<'a> {
    /// A mover whose logits are multiplied by `sharpness`.
    pub fn new(networks: &'a DaihinminNetworks, sharpness: f32) -> Mover<'a> {
        // More moves than a hand of eleven cards with the joker has.
        Mover {
            networks,
            sharpness,
            moves: Vec::with_capacity(512),
            logits: Vec::with_capacity(512),
            inputs: Inputs::default(),
        }
    }

    fn rate(&mut self, known: &InformationState) {
        self.inputs.set_melds(known, &self.moves);
        self.networks.policy.logits(&self.inputs, &mut self.logits);
    }

    /// Lists the policy's moves in `moves`, unless there is nothing to decide: a single move, or one that empties the hand.
    #[inline]
    pub fn consider(&mut self, known: &InformationState) -> Choices {
        policy_moves(&known.table, known.hand, &mut self.moves);
        if let [only] = self.moves[..] {
            return Choices::One(only);
        }
        let cards_left = known.hand.len() as u8;
        match self.moves.iter().find(|m| m.len() == cards_left) {
            Some(&out) => Choices::One(out),
            None => Choices::Several,
        }
    }

    /// Draws a move; one that empties the hand is always taken.
    #[cfg(test)]
    pub(crate) fn draw(&mut self, known: &InformationState, rng: &mut impl Rng) -> Meld {
        match self.consider(known) {
            Choices::One(only) => only,
            Choices::Several => self.draw_among(known, rng),
        }
    }

    #[inline]
    pub(crate) fn draw_among(&mut self, known: &InformationState, rng: &mut impl Rng) -> Meld {
        self.rate(known);
        let top = self
            .logits
            .iter()
            .copied()
            .fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for logit in &mut self.logits {
            sum += (self.sharpness * (*logit - top)).exp();
            *logit = sum;
        }
        let mark = (rng.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0) * sum;
        // By rounding the mark may be the sum itself.
        let i = self.logits.iter().position(|&c| mark < c).unwrap_or(0);
        self.moves[i]
    }

    /// The value of the decision for the mover, in 0..=1.
    pub(crate) fn value(&mut self, known: &InformationState) -> f64 {
        self.inputs.set_melds(known, &[]);
        let judge = &self.networks.value;
        f64::from(judge.output(&judge.situation(&self.inputs))).clamp(0.0, 1.0)
    }

    /// The likeliest move; one that empties the hand is always taken.
    pub(crate) fn likeliest(&mut self, known: &InformationState) -> Meld {
        if let Choices::One(only) = self.consider(known) {
            return only;
        }
        self.rate(known);
        self.moves[likeliest(&self.logits)]
    }

    /// The logarithms of the chances of the last decision.
    pub fn chances(&self) -> &[f32] {
        &self.logits
    }

    /// The logarithm of the chance of each gift; `known.hand` has the tribute in it.
    pub fn gift_chances(&mut self, known: &InformationState, gifts: &[Cards]) -> &[f32] {
        self.inputs.set_gifts(known, gifts);
        self.networks.policy.logits(&self.inputs, &mut self.logits);
        to_log_chances(&mut self.logits);
        &self.logits
    }

    /// The logarithm of the chance of each of the policy's moves in `moves`, at temperature 1.
    pub fn log_chances(&mut self, known: &InformationState) -> &[f32] {
        self.rate(known);
        to_log_chances(&mut self.logits);
        &self.logits
    }
}

/// Plays the likeliest move and gives the likeliest gift, without search.
#[derive(Debug)]
pub struct DaihinminPolicy {
    networks: DaihinminNetworks,
}

impl DaihinminPolicy {
    pub fn new(networks: DaihinminNetworks) -> DaihinminPolicy {
        DaihinminPolicy { networks }
    }
}

impl Engine for DaihinminPolicy {
    fn choose(&mut self, view: &View, _limit: Option<Duration>) -> Meld {
        Mover::new(&self.networks, 1.0).likeliest(&InformationState::of(view))
    }

    fn gift(&mut self, view: &View, n: u32, _limit: Option<Duration>) -> Cards {
        let gifts = gift_choices(view.hand, n);
        let mut mover = Mover::new(&self.networks, 1.0);
        let chances = mover.gift_chances(&InformationState::at_gift(view), &gifts);
        gifts[likeliest(chances)]
    }
}
