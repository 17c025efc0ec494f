//! The sittings of a round that are not played yet, and which of them is the next.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::conduct::{Play, matchup};
use crate::league::foyer::Call;
use crate::league::sitting::SittingPlan;

/// Sittings that wait for players; while there are so many no further ones are looked for.
const MOST_WAITING: usize = 1000;

/// The sittings that are left, in the order of the schedule.
pub(super) struct Agenda<'a> {
    left: Box<dyn Iterator<Item = SittingPlan> + Send + 'a>,
    /// Those that have been looked at, and those that are played again.
    waiting: VecDeque<SittingPlan>,
    /// Entrants without which something was left for later.
    absent: BTreeSet<usize>,
}

impl<'a> Agenda<'a> {
    pub(super) fn new(left: impl Iterator<Item = SittingPlan> + Send + 'a) -> Agenda<'a> {
        Agenda {
            left: Box::new(left),
            waiting: VecDeque::new(),
            absent: BTreeSet::new(),
        }
    }

    /// The first sitting whose players are there, and how they come. Those whose matchup is given up are left out.
    pub(super) fn next<P: Play>(
        &mut self,
        play: &Arc<P>,
        is_given_up: impl Fn(u32) -> bool,
    ) -> Option<(SittingPlan, P::Guests)> {
        let mut place = 0;
        loop {
            if place == self.waiting.len() {
                if place >= MOST_WAITING {
                    return None;
                }
                self.waiting.push_back(self.left.next()?);
            }
            let plan = &self.waiting[place];
            if is_given_up(matchup(plan)) {
                self.waiting.remove(place);
                continue;
            }
            match play.call(plan) {
                Call::Ready(guests) => return Some((self.waiting.remove(place)?, guests)),
                Call::Wait => place += 1,
                Call::Skip(absent) => {
                    self.absent.extend(absent);
                    self.waiting.remove(place);
                }
            }
        }
    }

    /// Has a sitting played again, before all others.
    pub(super) fn again(&mut self, plan: SittingPlan) {
        self.waiting.push_front(plan);
    }

    /// Whether sittings wait for players, as far as was looked.
    pub(super) fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Entrants without which something was left for later.
    pub(super) fn absent(self) -> BTreeSet<usize> {
        self.absent
    }
}
