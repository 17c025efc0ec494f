//! Advice on positions that have been visited often: a network knows more of a position than [`Judge`](super::judge::Judge)
//! and a few playouts, but takes as long as dozens of them.

use std::time::Instant;

use games::blokus::{Placement, Scene};

use crate::search::{Pace, Rewards};

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
    /// What an answer takes.
    pace: Pace,
    /// Answers of this search.
    pub(super) count: u64,
    /// It has failed: nothing more is asked in this search.
    is_silent: bool,
}

impl Advice {
    /// With an adviser and what an answer of it takes.
    pub(super) fn new((adviser, pace): (Box<dyn Adviser>, Pace), plan: AdvicePlan) -> Self {
        Self {
            plan,
            adviser,
            moves: Vec::new(),
            logits: Vec::new(),
            pace,
            count: 0,
            is_silent: false,
        }
    }

    /// A search begins.
    pub(super) const fn begin(&mut self) {
        (self.count, self.is_silent) = (0, false);
    }

    /// The logits of a position's legal moves, in the order of their indices, and its worth; nothing when there is no time
    /// for it. The root may take half of what there is, if an answer can be as quick as that: there is a sample of what
    /// answers take in every search.
    pub(super) fn ask(
        &mut self,
        scene: &Scene,
        is_root: bool,
        deadline: Option<Instant>,
    ) -> Option<(&[f32], Rewards)> {
        let begin = Instant::now();
        let cost = if is_root {
            2 * self.pace.least()
        } else {
            self.pace.usual()
        };
        if self.is_silent || deadline.is_some_and(|deadline| begin + cost > deadline) {
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
        self.pace.learn(begin.elapsed());
        Some((&self.logits, worth))
    }
}
