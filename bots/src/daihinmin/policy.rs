//! The policy: a softmax over the logits that the network gives to the legal moves.
//!
//! The moves are those that [`games::daihinmin::legal_moves_no_waste`] lists, without the pass on an empty field. Everything
//! that the network reads is known to the mover: its hand, the table, the numbers of cards, the union of the other hands and
//! the places in the last game.

use games::daihinmin::{Cards, Meld, Position, SEATS, Table, View, legal_moves_no_waste};
use rand::Rng;

use super::Engine;
use super::best::gift_choices;
use super::inputs::Networks;
use crate::learning::{Inputs, likeliest, to_log_chances};

/// Lists the policy's moves: no wasted joker, no pass on an empty field.
#[inline]
pub(crate) fn policy_moves(table: &Table, hand: Cards, out: &mut Vec<Meld>) {
    legal_moves_no_waste(table, hand, out);
    if table.field.is_pass() && out.len() > 1 {
        out.swap_remove(0);
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) table: Table,
    pub(crate) hand: Cards,
    pub(crate) others: Cards,
    pub(crate) counts: [u8; SEATS],
    /// Places in the last game by seat.
    pub(crate) ranks: Option<[u8; SEATS]>,
}

impl Known {
    /// What the seat of a view knows as the seat to move.
    pub(crate) fn of(view: &View) -> Known {
        Known {
            table: view.table,
            hand: view.hand,
            others: view.unseen(),
            counts: view.counts,
            ranks: view.ranks,
        }
    }

    /// What a rich seat knows when it decides its gift. Over the wire the daifugo does not see the exchange of the other two
    /// seats, which it knows all the same: the networks have learned with it.
    pub(crate) fn at_gift(view: &View) -> Known {
        let mut known = Known {
            table: Table::new(view.seat, view.table.rules),
            ..Known::of(view)
        };
        let seat_of = |place: u8| view.ranks?.iter().position(|&rank| rank == place);
        if seat_of(0) == Some(usize::from(view.seat))
            && let (Some(fugo), Some(hinmin)) = (seat_of(1), seat_of(3))
        {
            known.counts[fugo] += 1;
            known.counts[hinmin] = known.counts[hinmin].saturating_sub(1);
        }
        known
    }

    /// What the seat to move knows in a full position.
    pub(crate) fn in_position(position: &Position, ranks: Option<[u8; SEATS]>) -> Known {
        let all = position.hands.iter().fold(Cards::EMPTY, |all, &h| all | h);
        Known {
            table: position.table,
            hand: position.hand(),
            others: all - position.hand(),
            counts: position.counts(),
            ranks,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choices {
    One(Meld),
    Several,
}

/// The networks that the player of each seat moves by.
pub(crate) type Policies<'a> = [&'a Networks; SEATS];

/// The policy at a temperature, with room for one decision that is reused from decision to decision.
#[derive(Clone, Debug)]
pub(crate) struct Mover<'a> {
    pub(super) networks: &'a Networks,
    sharpness: f32,
    pub(crate) moves: Vec<Meld>,
    pub(super) logits: Vec<f32>,
    pub(super) inputs: Inputs,
}

impl<'a> Mover<'a> {
    pub(crate) fn new(networks: &'a Networks, sharpness: f32) -> Mover<'a> {
        // More moves than a hand of eleven cards with the joker has.
        Mover {
            networks,
            sharpness,
            moves: Vec::with_capacity(512),
            logits: Vec::with_capacity(512),
            inputs: Inputs::default(),
        }
    }

    fn rate(&mut self, known: &Known) {
        self.inputs.set_melds(known, &self.moves);
        self.networks.policy.logits(&self.inputs, &mut self.logits);
    }

    /// Lists the policy's moves in `moves`, unless there is nothing to decide: a single move, or one that empties the hand.
    #[inline]
    pub(crate) fn consider(&mut self, known: &Known) -> Choices {
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
    pub(crate) fn draw(&mut self, known: &Known, rng: &mut impl Rng) -> Meld {
        match self.consider(known) {
            Choices::One(only) => only,
            Choices::Several => self.draw_among(known, rng),
        }
    }

    /// Draws one of `moves`.
    #[inline]
    pub(crate) fn draw_among(&mut self, known: &Known, rng: &mut impl Rng) -> Meld {
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
    pub(crate) fn value(&mut self, known: &Known) -> f64 {
        self.inputs.set_melds(known, &[]);
        let judge = &self.networks.value;
        f64::from(judge.output(&judge.situation(&self.inputs))).clamp(0.0, 1.0)
    }

    /// The likeliest move; one that empties the hand is always taken.
    pub(crate) fn likeliest(&mut self, known: &Known) -> Meld {
        if let Choices::One(only) = self.consider(known) {
            return only;
        }
        self.rate(known);
        self.moves[likeliest(&self.logits)]
    }

    /// The logarithm of the chance of each gift; `known.hand` has the tribute in it.
    pub(crate) fn gift_chances(&mut self, known: &Known, gifts: &[Cards]) -> &[f32] {
        self.inputs.set_gifts(known, gifts);
        self.networks.policy.logits(&self.inputs, &mut self.logits);
        to_log_chances(&mut self.logits);
        &self.logits
    }

    /// The logarithm of the chance of each of the policy's moves in `moves`, at temperature 1.
    pub(crate) fn log_chances(&mut self, known: &Known) -> &[f32] {
        self.rate(known);
        to_log_chances(&mut self.logits);
        &self.logits
    }
}

/// The engine `policy`: plays the likeliest move and gives the likeliest gift, without search.
#[derive(Debug)]
pub struct PolicyEngine {
    networks: Networks,
}

impl PolicyEngine {
    /// The engine with its networks.
    pub fn new(networks: Networks) -> PolicyEngine {
        PolicyEngine { networks }
    }
}

impl Engine for PolicyEngine {
    fn choose(&mut self, view: &View) -> Meld {
        Mover::new(&self.networks, 1.0).likeliest(&Known::of(view))
    }

    fn gift(&mut self, view: &View, n: u32) -> Cards {
        let gifts = gift_choices(view.hand, n);
        let mut mover = Mover::new(&self.networks, 1.0);
        let chances = mover.gift_chances(&Known::at_gift(view), &gifts);
        gifts[likeliest(chances)]
    }
}
