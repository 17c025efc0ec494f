//! Advice on positions that have been visited often: a network knows more of a position than [`Judge`](super::judge::Judge)
//! and a few playouts, but takes as long as dozens of them.

use std::time::{Duration, Instant};

use games::blokus::Placement;
use models::blokus::Scene;

use crate::search::Rewards;

/// What knows more of positions than the judge of `best`.
pub(in crate::blokus) trait Adviser: Send {
    /// Clears `logits` and fills it with one for each of all legal `moves`, in their order; gives the worth of the position
    /// to each seat, 0 to 1, or nothing when it cannot.
    fn advise(
        &mut self,
        scene: &Scene,
        moves: &[Placement],
        logits: &mut Vec<f32>,
    ) -> Option<Rewards>;
}

/// When advice is taken, and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::blokus) struct AdvicePlan {
    /// Visits of a position after which advice on it is taken; the root's is taken first.
    pub visits: u32,
    /// Playouts that its value counts as.
    pub weight: u32,
}

/// An adviser, and what is needed to ask it.
pub(super) struct Advice {
    pub(super) plan: AdvicePlan,
    adviser: Box<dyn Adviser>,
    moves: Vec<Placement>,
    logits: Vec<f32>,
    /// The least that an answer took: after one that took longer by chance, the adviser is not silent for good.
    fastest: Duration,
    /// Answers of this search.
    pub(super) count: u64,
    /// It has failed: nothing more is asked in this search.
    is_silent: bool,
}

impl Advice {
    /// With an adviser and what an answer of it takes.
    pub(super) fn new((adviser, fastest): (Box<dyn Adviser>, Duration), plan: AdvicePlan) -> Self {
        Self {
            plan,
            adviser,
            moves: Vec::new(),
            logits: Vec::new(),
            fastest,
            count: 0,
            is_silent: false,
        }
    }

    /// A search begins.
    pub(super) const fn begin(&mut self) {
        (self.count, self.is_silent) = (0, false);
    }

    /// The logits of a position's legal moves, in the order of their indices, and its worth; nothing when there is no time
    /// for it.
    pub(super) fn ask(
        &mut self,
        scene: &Scene,
        deadline: Option<Instant>,
    ) -> Option<(&[f32], Rewards)> {
        let begin = Instant::now();
        if self.is_silent || deadline.is_some_and(|deadline| begin + self.fastest > deadline) {
            return None;
        }
        scene.board().legal_moves(&mut self.moves);
        let worth = self
            .adviser
            .advise(scene, &self.moves, &mut self.logits)
            .filter(|_| self.logits.len() == self.moves.len());
        self.is_silent = worth.is_none();
        let worth = worth?;
        self.count += 1;
        self.fastest = self.fastest.min(begin.elapsed());
        Some((&self.logits, worth))
    }
}
