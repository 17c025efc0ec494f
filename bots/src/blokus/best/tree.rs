//! The tree of `best`: of each position the likely moves, the likeliest first.

use games::blokus::{Placement, SEATS};

use super::judge::Judged;
use crate::search::Rewards;
use crate::search::tree::{self, Edge, NONE};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeState {
    /// Moves that have been tried: they are the first ones.
    pub(super) tried: u16,
    /// Rewards of the seat to move.
    pub(super) sum: f64,
    /// Whether advice on it was taken, or there was none.
    pub(super) is_advised: bool,
}

/// A step of a playout in the tree: the number of the move, that of the position before it, and the seat.
pub(super) type TreeStep = (usize, u32, u8);

pub(super) type JudgedTree = tree::Tree<Placement, NodeState>;

/// Bytes of a tree for each thread; less than twice as many as the memory doubles.
const MEMORY: usize = 256 << 20;

impl JudgedTree {
    pub(super) const fn of_threads(threads: usize) -> Self {
        Self::new(MEMORY * threads)
    }

    /// Chooses the move of a position to try next, and counts a thread as under way on it. All moves that were not tried have the
    /// same value, so only the likeliest of them need be looked at.
    ///
    /// Playouts that are under way count as visits of the moves without a value: A. Liu et al., "Watch the unobserved: a simple
    /// approach to parallelizing Monte Carlo tree search", ICLR 2020. Here they do not count as visits of the position.
    pub(super) fn select(&mut self, node: u32, exploration: f32, pessimism: f32) -> usize {
        let range = self.range(node);
        let here = self.node(node);
        let tried = usize::from(here.data.tried);
        let total = here.visits.max(1) as f32;
        let scale = exploration * total.sqrt();
        let fallback = if here.visits == 0 {
            0.25
        } else {
            here.data.sum as f32 / total - pessimism
        };
        let (mut best, mut best_score) = (range.start, f32::NEG_INFINITY);
        for (i, edge) in self.edges[range.clone()].iter().enumerate().take(tried + 1) {
            let value = if edge.visits == 0 {
                fallback
            } else {
                edge.sum as f32 / edge.visits as f32
            };
            let score = value + scale * edge.prior / (1.0 + edge.tried() as f32);
            if score > best_score {
                (best, best_score) = (range.start + i, score);
            }
        }
        if best == range.start + tried {
            self.node_mut(node).data.tried += 1;
        }
        self.edges[best].pending += 1;
        best
    }

    /// Books a result on the moves of a path and the positions before them, as so many playouts.
    pub(super) fn book(&mut self, path: &[TreeStep], rewards: &Rewards, weight: u32) {
        for &(edge, node, seat) in path {
            let reward = rewards[usize::from(seat) % SEATS];
            self.edges[edge].book(reward, weight);
            let node = self.node_mut(node);
            node.visits += weight;
            node.data.sum += reward * f64::from(weight);
        }
    }

    /// Adds a position with at most `most` of its moves, and gives its number. `judged` is reordered.
    pub(super) fn add_judged(&mut self, judged: &mut [Judged], most: usize) -> u32 {
        let first = self.edges.len();
        self.push(judged, most);
        self.set_priors(first);
        self.add(first, NodeState::default())
    }

    /// Gives a position other logits, and with them other moves: those that were tried and at most `most` others. `judged`
    /// is all its moves, and is reordered.
    pub(super) fn judge_again(&mut self, node: u32, judged: &mut [Judged], most: usize) {
        let first = self.edges.len();
        let old = self.range(node).start;
        let mut others = judged.len();
        for tried in old..old + usize::from(self.node(node).data.tried) {
            let mut edge = self.edges[tried];
            let mut left = judged[..others].iter();
            if let Some(at) = left.position(|judged| judged.mv == edge.mv) {
                others -= 1;
                judged.swap(at, others);
                edge.prior = judged[others].logit;
                // Playouts that are under way are booked on the old edge, so this one begins without them.
                edge.pending = 0;
                self.edges.push(edge);
            }
        }
        self.node_mut(node).data.tried = (self.edges.len() - first) as u16;
        self.push(&mut judged[..others], most);
        self.set_priors(first);
        self.replace(node, first);
    }

    /// Adds the likeliest moves, the likeliest first, with their logits for priors.
    fn push(&mut self, judged: &mut [Judged], most: usize) {
        let better = |a: &Judged, b: &Judged| {
            b.logit
                .total_cmp(&a.logit)
                .then(a.mv.index().cmp(&b.mv.index()))
        };
        let count = judged.len().min(most);
        if count < judged.len() {
            judged.select_nth_unstable_by(count, better);
        }
        let kept = &mut judged[..count];
        kept.sort_unstable_by(better);
        let edge = |judged: &Judged| Edge::new(judged.mv, judged.logit, NONE);
        self.edges.extend(kept.iter().map(edge));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(logits: &[(u16, f32)]) -> Vec<Judged> {
        let judged = |&(mv, logit): &(u16, f32)| Judged {
            mv: Placement::new(mv).expect("a placement"),
            logit,
        };
        logits.iter().map(judged).collect()
    }

    #[test]
    fn a_move_that_others_are_at_work_on_is_chosen_less() {
        let mut tree = JudgedTree::of_threads(1);
        let node = tree.add_judged(&mut judged(&[(1, 0.0), (2, 0.1), (3, 0.2)]), 3);
        let first = tree.range(node).start;
        let mut chosen: Vec<usize> = (0..3).map(|_| tree.select(node, 0.35, 0.05)).collect();
        chosen.sort_unstable();
        assert_eq!(chosen, [first, first + 1, first + 2]);
        // Once no thread is under way, the search chooses the move with the largest prior again, which is the first one.
        for edge in &mut tree.edges {
            assert_eq!((edge.pending, edge.visits), (1, 0));
            edge.pending = 0;
        }
        assert_eq!(tree.select(node, 0.35, 0.05), first);
    }

    #[test]
    fn small_rewards_count_after_many_millions() {
        const MORE: u32 = 1 << 20;
        let mut tree = JudgedTree::of_threads(1);
        let node = tree.add_judged(&mut judged(&[(1, 0.0)]), 1);
        let edge = tree.select(node, 0.35, 0.05);
        // In `f32` a step is 1 from 2^23 on.
        let before = 1 << 24;
        (tree.edges[edge].visits, tree.edges[edge].sum) = (before, f64::from(before));
        (tree.nodes[0].visits, tree.nodes[0].data.sum) = (before, f64::from(before));
        for _ in 0..MORE {
            tree.edges[edge].pending = 1;
            tree.book(&[(edge, node, 2)], &[0.0, 0.0, 0.25, 0.75], 1);
        }
        let due = f64::from(before) + 0.25 * f64::from(MORE);
        for sum in [tree.edges[edge].sum, tree.nodes[0].data.sum] {
            assert!((sum - due).abs() < 1e-3, "{sum}");
        }
        assert_eq!(tree.edges[edge].visits, before + MORE);
    }

    #[test]
    fn other_logits_keep_what_was_tried_and_choose_the_others_anew() {
        let mut tree = JudgedTree::of_threads(1);
        let node = tree.add_judged(&mut judged(&[(1, 0.0), (2, 3.0), (3, 2.0), (4, 1.0)]), 3);
        let moves = |tree: &JudgedTree| -> Vec<usize> {
            let edges = tree.moves(0);
            edges.iter().map(|edge| edge.mv.index()).collect()
        };
        assert_eq!(moves(&tree), [2, 3, 4]);
        let first = tree.range(node).start;
        for (edge, visits) in tree.edges[first..].iter_mut().zip([5, 2]) {
            (edge.visits, edge.sum, edge.child) = (visits, 0.5 * f64::from(visits), 7 + visits);
        }
        tree.nodes[0].data.tried = 2;
        tree.judge_again(
            node,
            &mut judged(&[(1, 4.0), (2, 0.0), (3, 1.0), (4, 2.0)]),
            1,
        );
        // The tried ones first, then the likeliest that was left out before.
        assert_eq!(moves(&tree), [2, 3, 1]);
        assert_eq!(tree.node(node).data.tried, 2);
        let edges = tree.moves(node);
        let kept: Vec<_> = edges
            .iter()
            .map(|edge| (edge.visits, edge.sum, edge.child))
            .collect();
        assert_eq!(kept, [(5, 2.5, 12), (2, 1.0, 9), (0, 0.0, NONE)]);
        let sum: f32 = edges.iter().map(|edge| edge.prior).sum();
        assert!((sum - 1.0).abs() < 1e-6);
        assert!((edges[2].prior / edges[1].prior - 3_f32.exp()).abs() < 1e-3);
    }
}
