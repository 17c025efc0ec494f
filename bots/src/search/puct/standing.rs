//! How a search stands.

use super::tree::ROOT;
use super::{Game, Puct};

impl<G: Game> Puct<G> {
    /// Plies from the root to a leaf that waits.
    pub fn depth(&self, number: usize) -> usize {
        self.leaves[number].path.len()
    }

    /// By how many visits the first move of the root leads before the second. A [`Gumbel`](super::Gumbel) root does not
    /// go by visits: there it is 0.
    pub fn lead(&self) -> u64 {
        let (mut first, mut second) = (0, 0);
        if self.plan.gumbel.is_some() || self.tree.is_empty() {
            return 0;
        }
        for edge in self.tree.edges(ROOT).1 {
            if edge.visits > first {
                (first, second) = (edge.visits, first);
            } else {
                second = second.max(edge.visits);
            }
        }
        u64::from(first - second)
    }
}
