//! Preferences of all moves of a position, from sums that are carried along the game.
//!
//! For the features S of a position, `sum(f)` is the weight of all pairs of `f` with S. The
//! after-state of a step from `a` to `b` has the preference
//! `h(S) - sum(a) + sum(b) - theta_ab + theta_bb`: four numbers in place of 231. A move changes two or
//! three features of each side, that is as many rows of the table.

use games::geister::{Colour, Move, MoveList, Played, Position, Square};

use super::features::{
    CAPTURE, ESCAPE, Feature, FeatureChange, Sight, count_feature, enemy_feature, own_feature,
};
use super::weights::Weights;

const ROW: usize = 128;

/// Sums of pairs with the features of a position, as one seat sees it.
#[derive(Clone, Debug)]
pub struct Sums {
    sums: [f64; ROW],
}

impl Sums {
    pub fn of(weights: &Weights, sight: &Sight) -> Self {
        let mut sums = Self { sums: [0.0; ROW] };
        sums.reset(weights, sight);
        sums
    }

    pub fn reset(&mut self, weights: &Weights, sight: &Sight) {
        self.sums = [0.0; ROW];
        sight.features(|feature| self.add(weights, feature));
    }

    /// Largest difference to other sums, for tests of what is carried along.
    pub fn distance(&self, other: &Self) -> f64 {
        let differences = self
            .sums
            .iter()
            .zip(&other.sums)
            .map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f64::max)
    }

    #[inline]
    fn add(&mut self, weights: &Weights, feature: Feature) {
        for (sum, weight) in self.sums.iter_mut().zip(weights.row(feature)) {
            *sum += weight;
        }
    }

    #[inline]
    fn sub(&mut self, weights: &Weights, feature: Feature) {
        for (sum, weight) in self.sums.iter_mut().zip(weights.row(feature)) {
            *sum -= weight;
        }
    }

    #[inline]
    fn swap(&mut self, weights: &Weights, old: Feature, new: Feature) {
        let (old, new) = (weights.row(old), weights.row(new));
        for (sum, (old, new)) in self.sums.iter_mut().zip(old.iter().zip(new)) {
            *sum += new - old;
        }
    }

    #[inline]
    fn recount(&mut self, weights: &Weights, which: usize, count: u8) {
        if let Some(old) = count_feature(which, count - 1) {
            self.sub(weights, old);
        }
        if let Some(new) = count_feature(which, count) {
            self.add(weights, new);
        }
    }

    #[inline]
    fn sum(&self, feature: Feature) -> f64 {
        self.sums[usize::from(feature) & (ROW - 1)]
    }

    /// The preference of each of these moves, in their order, as [`Self::preference`] gives it.
    pub fn preferences(&self, weights: &Weights, sight: &Sight, moves: &MoveList, out: &mut [f64]) {
        for (preference, &mv) in out.iter_mut().zip(moves.iter()) {
            *preference = self.preference(weights, sight.change(mv));
        }
    }

    /// The preference of a move, less that of the position itself, which is the same for all moves.
    #[inline]
    pub fn preference(&self, weights: &Weights, change: FeatureChange) -> f64 {
        match change {
            FeatureChange::Step { from, to } => {
                let row = weights.row(to);
                self.sum(to) - self.sum(from) + at(row, to) - at(row, from)
            }
            FeatureChange::Capture { from, to, enemy } => {
                let (row, flag) = (weights.row(to), weights.row(CAPTURE));
                self.sum(to) + self.sum(CAPTURE) - self.sum(from) - self.sum(enemy)
                    + weights.pair(enemy, from)
                    + (at(row, to) - at(row, from) - at(row, enemy))
                    + (at(flag, CAPTURE) + at(flag, to) - at(flag, from) - at(flag, enemy))
            }
            FeatureChange::Escape { from } => {
                let flag = weights.row(ESCAPE);
                self.sum(ESCAPE) - self.sum(from) + at(flag, ESCAPE) - at(flag, from)
            }
        }
    }

    /// Follows a move of the own side that did not end the game; `before` is the position before it,
    /// `enemy_captured` how many enemy ghosts of the captured colour are gone now.
    #[inline]
    pub fn follow_own(
        &mut self,
        weights: &Weights,
        change: FeatureChange,
        captured: Option<(Colour, u8)>,
    ) {
        match change {
            FeatureChange::Step { from, to } => self.swap(weights, from, to),
            FeatureChange::Capture { from, to, enemy } => {
                self.swap(weights, from, to);
                self.sub(weights, enemy);
                if let Some((colour, count)) = captured {
                    self.recount(weights, colour as usize, count);
                }
            }
            FeatureChange::Escape { from } => self.sub(weights, from),
        }
    }

    /// Follows a move of the other side that did not end the game: an enemy goes from one square to
    /// another, in the own frame, and may capture an own ghost of a colour of which `count` are gone now.
    #[inline]
    pub fn follow_enemy(
        &mut self,
        weights: &Weights,
        from: Square,
        to: Square,
        captured: Option<(Colour, u8)>,
    ) {
        self.swap(weights, enemy_feature(from), enemy_feature(to));
        if let Some((colour, count)) = captured {
            self.sub(weights, own_feature(colour, to));
            self.recount(weights, 2 + colour as usize, count);
        }
    }
}

#[inline]
fn at(row: &[f64; ROW], feature: Feature) -> f64 {
    row[usize::from(feature) & (ROW - 1)]
}

/// The sums of both seats along a game.
#[derive(Clone, Debug)]
pub struct Pair {
    sums: [Sums; 2],
}

impl Pair {
    /// The sums of both seats, each with its own weights.
    pub fn of(weights: [&Weights; 2], position: &Position) -> Self {
        Self {
            sums: [0, 1]
                .map(|seat: u8| Sums::of(weights[usize::from(seat)], &Sight::of(position, seat))),
        }
    }

    pub fn reset(&mut self, weights: [&Weights; 2], position: &Position) {
        for seat in 0..2_u8 {
            let i = usize::from(seat);
            self.sums[i].reset(weights[i], &Sight::of(position, seat));
        }
    }

    #[inline]
    pub fn seat(&self, seat: u8) -> &Sums {
        &self.sums[usize::from(seat)]
    }

    /// Follows a move that did not end the game: `change` is what it changed for the mover and `after` the
    /// position after it.
    #[inline]
    pub fn follow(
        &mut self,
        weights: [&Weights; 2],
        mover: u8,
        mv: Move,
        change: FeatureChange,
        played: Played,
        after: &Position,
    ) {
        let other = 1 - mover;
        let captured = played
            .captured
            .map(|(_, colour)| (colour, after.captured(other, colour)));
        let (m, o) = (usize::from(mover), usize::from(other));
        self.sums[m].follow_own(weights[m], change, captured);
        if let Some(to) = after.place(mover, mv.ghost).square()
            && let Some(from) = to.step(mv.direction.turned())
        {
            self.sums[o].follow_enemy(weights[o], from.turned(), to.turned(), captured);
        }
    }
}
