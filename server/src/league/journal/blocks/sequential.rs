//! The sequential test of a league.

use std::collections::BTreeMap;

use super::{DealBlock, Order};
use crate::league::settings::Settings;

/// The sequential test of a league. It takes blocks in any order and counts them in that of the schedule: a block
/// counts once all before it, in which the entrant sits, have: deal 0 of all matchups, then deal 1, however many deals a
/// program plays in a row. So the verdict depends on what is played, never on what happened to be over first, and
/// one that has fallen stays when a league is given more deals.
#[derive(Clone, Debug)]
pub struct Test {
    entrant: usize,
    order: Order,
    end: Option<u64>,
    sprt: stats::Sprt,
    /// Position of the next block that counts.
    next: u64,
    /// Scores of blocks that have others to wait for; `None` where the entrant has no seat.
    waiting: BTreeMap<u64, Option<f64>>,
}

impl Test {
    /// The test of a league that has one.
    pub fn new(settings: &Settings) -> Option<Test> {
        let sprt = settings.sprt?;
        let order = Order::of(settings);
        Some(Test {
            entrant: sprt.entrant,
            end: order.end(settings),
            order,
            sprt: if settings.seats() == 2 && settings.session == 1 {
                stats::Sprt::pentanomial(sprt.hypotheses)
            } else {
                stats::Sprt::normal(sprt.hypotheses)
            },
            next: 0,
            waiting: BTreeMap::new(),
        })
    }

    /// Takes a block.
    pub fn add(&mut self, block: &DealBlock) -> stats::Verdict {
        let position = self.order.position(block.matchup, block.deal);
        if position < self.next {
            return self.sprt.verdict();
        }
        let score = block.block.mean_of(self.entrant, stats::Outcome::score);
        self.waiting.insert(position, score);
        while !self.waiting.is_empty() && self.end.is_none_or(|end| self.next < end) {
            match self.waiting.remove(&self.next) {
                Some(Some(score)) => _ = self.sprt.add(score),
                None if self.order.may_seat(self.entrant, self.next) => break,
                Some(None) | None => {}
            }
            self.next += 1;
        }
        self.sprt.verdict()
    }

    /// What it has come to.
    pub const fn sprt(&self) -> &stats::Sprt {
        &self.sprt
    }
}
