//! How a search stands.

use super::tree::ROOT;
use super::{Candidate, Game, Puct, Rewards};

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

    /// The moves of the root with their visits.
    pub fn candidates(&self) -> Vec<Candidate<G::Move>> {
        self.tree.candidates()
    }

    /// The move to play: the one visited most, or that of a [`Gumbel`](super::Gumbel) root.
    pub fn decide(&self) -> Option<G::Move> {
        let edges = if self.tree.is_empty() {
            return None;
        } else {
            self.tree.edges(ROOT).1
        };
        let place = match self.plan.gumbel {
            Some(gumbel) => self.halving.decide(gumbel, edges)?,
            None => (0..edges.len()).reduce(|best, i| {
                let key = |i: usize| (edges[i].visits, edges[i].mean(0.0));
                let better =
                    key(i).0 > key(best).0 || key(i).0 == key(best).0 && key(i).1 > key(best).1;
                if better { i } else { best }
            })?,
        };
        Some(edges[place].mv)
    }

    /// What a network is to learn from this search: the share of the visits of each move of the root, or the improved
    /// policy of a [`Gumbel`](super::Gumbel) root. Their sum is 1.
    pub fn policy(&self) -> Vec<(G::Move, f32)> {
        if self.tree.is_empty() {
            return Vec::new();
        }
        let edges = self.tree.edges(ROOT).1;
        let shares: Vec<f64> = match self.plan.gumbel {
            Some(gumbel) => {
                let mut policy = Vec::new();
                let value = self.tree.value(ROOT, self.tree.seat(ROOT));
                gumbel.improved(edges, value, &mut policy);
                policy
            }
            None => edges.iter().map(|edge| f64::from(edge.visits)).collect(),
        };
        let sum: f64 = shares.iter().sum();
        let all = edges.iter().zip(shares);
        all.map(|(edge, share)| (edge.mv, (share / sum.max(1e-300)) as f32))
            .collect()
    }

    /// The mean of what the descents of this search came to, for each seat; `None` before the first.
    pub fn values(&self) -> Option<Rewards> {
        let (sum, count) = self.come_to;
        (count > 0).then(|| sum.map(|sum| sum / count as f64))
    }
}
