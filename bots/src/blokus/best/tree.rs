//! The tree of `best`: positions in an arena, each with its likely moves side by side, the likeliest first.

use std::ops::Range;

use games::blokus::{Placement, SEATS};

use super::judge::Judged;
use crate::search::Rewards;

/// No position.
pub(super) const NONE: u32 = u32::MAX;

pub(super) const ROOT: u32 = 0;

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) mv: Placement,
    /// Threads that are under way below it. Their playouts will be visits.
    pub(super) under_way: u16,
    /// Its share of the trust in all moves that were kept.
    pub(super) prior: f32,
    pub(super) visits: u32,
    /// Rewards of the seat that makes the move. In `f32` the sum of ten million would take no more of the small ones.
    pub(super) sum: f64,
    /// The position after it, or [`NONE`].
    pub(super) child: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    first: u32,
    count: u16,
    /// Moves that have been tried: they are the first ones.
    pub(super) tried: u16,
    pub(super) visits: u32,
    pub(super) sum: f64,
    /// Whether advice on it was taken, or there was none.
    pub(super) is_advised: bool,
}

/// A step of a playout in the tree: the number of the move, that of the position before it, and the seat.
pub(super) type Step = (usize, u32, u8);

/// Moves for each thread at which a tree stops growing: 200 MB, and less than 400 MB as the memory doubles.
const FULL: usize = 200_000_000 / size_of::<Edge>();

#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) most: usize,
}

impl Tree {
    /// An empty tree for so many threads.
    pub(super) const fn new(threads: usize) -> Self {
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            most: FULL * threads,
        }
    }

    /// Whether it grows no more.
    pub(super) const fn is_full(&self) -> bool {
        self.edges.len() > self.most
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    /// Chooses the move of a position to try next, and counts a thread as under way on it. All moves that were not tried have the
    /// same value, so only the likeliest of them need be looked at.
    ///
    /// Playouts that are under way count as visits of the moves without a value: A. Liu et al., "Watch the unobserved: a simple
    /// approach to parallelizing Monte Carlo tree search", ICLR 2020. Here they do not count as visits of the position.
    pub(super) fn select(&mut self, node: u32, exploration: f32, pessimism: f32) -> usize {
        let range = self.moves(node);
        let here = self.node(node);
        let tried = usize::from(here.tried);
        let total = here.visits.max(1) as f32;
        let scale = exploration * total.sqrt();
        let fallback = if here.visits == 0 {
            0.25
        } else {
            here.sum as f32 / total - pessimism
        };
        let (mut best, mut best_score) = (range.start, f32::NEG_INFINITY);
        for (i, edge) in self.edges[range.clone()].iter().enumerate().take(tried + 1) {
            let value = if edge.visits == 0 {
                fallback
            } else {
                edge.sum as f32 / edge.visits as f32
            };
            let visits = edge.visits as f32 + f32::from(edge.under_way);
            let score = value + scale * edge.prior / (1.0 + visits);
            if score > best_score {
                (best, best_score) = (range.start + i, score);
            }
        }
        if best == range.start + tried {
            self.nodes[node as usize].tried += 1;
        }
        self.edges[best].under_way += 1;
        best
    }

    /// Books a result on the moves of a path and the positions before them, as so many playouts.
    pub(super) fn book(&mut self, path: &[Step], rewards: &Rewards, weight: u32) {
        for &(edge, node, seat) in path {
            let sum = rewards[usize::from(seat) % SEATS] * f64::from(weight);
            let edge = &mut self.edges[edge];
            edge.under_way -= 1;
            edge.visits += weight;
            edge.sum += sum;
            let node = &mut self.nodes[node as usize];
            node.visits += weight;
            node.sum += sum;
        }
    }

    /// By how many visits the first move of a position leads before the second.
    pub(super) fn lead(&self, node: u32) -> u64 {
        let (mut first, mut second) = (0, 0);
        for edge in &self.edges[self.moves(node)] {
            if edge.visits > first {
                (first, second) = (edge.visits, first);
            } else {
                second = second.max(edge.visits);
            }
        }
        u64::from(first - second)
    }

    /// Adds a position with at most `most` of its moves, and gives its number. `judged` is reordered.
    pub(super) fn add(&mut self, judged: &mut [Judged], most: usize) -> u32 {
        let first = self.edges.len();
        self.push(judged, most);
        self.settle(first);
        self.nodes.push(Node {
            first: first as u32,
            count: (self.edges.len() - first) as u16,
            tried: 0,
            visits: 0,
            sum: 0.0,
            is_advised: false,
        });
        self.nodes.len() as u32 - 1
    }

    /// Gives a position other logits, and with them other moves: those that were tried and at most `most` others. `judged`
    /// is all its moves, and is reordered.
    pub(super) fn replace(&mut self, node: u32, judged: &mut [Judged], most: usize) {
        let first = self.edges.len();
        let old = self.moves(node).start;
        let mut others = judged.len();
        for tried in old..old + usize::from(self.node(node).tried) {
            let mut edge = self.edges[tried];
            let mut left = judged[..others].iter();
            if let Some(at) = left.position(|judged| judged.mv == edge.mv) {
                others -= 1;
                judged.swap(at, others);
                edge.prior = judged[others].logit;
                // Playouts that are under way are booked on the old edge, so this one begins without them.
                edge.under_way = 0;
                self.edges.push(edge);
            }
        }
        let tried = self.edges.len() - first;
        self.push(&mut judged[..others], most);
        self.settle(first);
        let node = &mut self.nodes[node as usize];
        node.first = first as u32;
        node.count = (self.edges.len() - first) as u16;
        node.tried = tried as u16;
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
        self.edges.extend(kept.iter().map(|judged| Edge {
            mv: judged.mv,
            under_way: 0,
            prior: judged.logit,
            visits: 0,
            sum: 0.0,
            child: NONE,
        }));
    }

    /// Makes priors of the logits of the moves from here on: their softmax.
    fn settle(&mut self, first: usize) {
        let edges = &mut self.edges[first..];
        let logits = edges.iter().map(|edge| edge.prior);
        let top = logits.fold(f32::NEG_INFINITY, f32::max);
        let mut total = 0.0;
        for edge in &mut *edges {
            edge.prior = (edge.prior - top).exp();
            total += edge.prior;
        }
        for edge in edges {
            edge.prior /= total;
        }
    }

    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The numbers of the moves of a position.
    pub(super) fn moves(&self, node: u32) -> Range<usize> {
        let node = self.node(node);
        node.first as usize..node.first as usize + usize::from(node.count)
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
        let mut tree = Tree::new(1);
        let node = tree.add(&mut judged(&[(1, 0.0), (2, 0.1), (3, 0.2)]), 3);
        let first = tree.moves(node).start;
        let mut chosen: Vec<usize> = (0..3).map(|_| tree.select(node, 0.35, 0.05)).collect();
        chosen.sort_unstable();
        assert_eq!(chosen, [first, first + 1, first + 2]);
        // Once no thread is under way, the search chooses the move with the largest prior again, which is the first one.
        for edge in &mut tree.edges {
            assert_eq!((edge.under_way, edge.visits), (1, 0));
            edge.under_way = 0;
        }
        assert_eq!(tree.select(node, 0.35, 0.05), first);
    }

    #[test]
    fn small_rewards_count_after_many_millions() {
        const MORE: u32 = 1 << 20;
        let mut tree = Tree::new(1);
        let node = tree.add(&mut judged(&[(1, 0.0)]), 1);
        let edge = tree.select(node, 0.35, 0.05);
        // In `f32` a step is 1 from 2^23 on.
        let before = 1 << 24;
        (tree.edges[edge].visits, tree.edges[edge].sum) = (before, f64::from(before));
        (tree.nodes[0].visits, tree.nodes[0].sum) = (before, f64::from(before));
        for _ in 0..MORE {
            tree.edges[edge].under_way = 1;
            tree.book(&[(edge, node, 2)], &[0.0, 0.0, 0.25, 0.75], 1);
        }
        let due = f64::from(before) + 0.25 * f64::from(MORE);
        for sum in [tree.edges[edge].sum, tree.nodes[0].sum] {
            assert!((sum - due).abs() < 1e-3, "{sum}");
        }
        assert_eq!(tree.edges[edge].visits, before + MORE);
    }

    #[test]
    fn other_logits_keep_what_was_tried_and_choose_the_others_anew() {
        let mut tree = Tree::new(1);
        let node = tree.add(&mut judged(&[(1, 0.0), (2, 3.0), (3, 2.0), (4, 1.0)]), 3);
        let moves = |tree: &Tree| -> Vec<usize> {
            let edges = &tree.edges[tree.moves(0)];
            edges.iter().map(|edge| edge.mv.index()).collect()
        };
        assert_eq!(moves(&tree), [2, 3, 4]);
        let first = tree.moves(node).start;
        for (edge, visits) in tree.edges[first..].iter_mut().zip([5, 2]) {
            (edge.visits, edge.sum, edge.child) = (visits, 0.5 * f64::from(visits), 7 + visits);
        }
        tree.nodes[0].tried = 2;
        tree.replace(
            node,
            &mut judged(&[(1, 4.0), (2, 0.0), (3, 1.0), (4, 2.0)]),
            1,
        );
        // The tried ones first, then the likeliest that was left out before.
        assert_eq!(moves(&tree), [2, 3, 1]);
        assert_eq!(tree.node(node).tried, 2);
        let edges = &tree.edges[tree.moves(node)];
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
