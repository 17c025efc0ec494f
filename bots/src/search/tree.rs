//! The tree of searches that a prior guides: positions and their moves in two arenas; the moves of a position lie side by
//! side.

use std::ops::Range;

use super::Candidate;

pub(crate) const ROOT: u32 = 0;

pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<X> {
    first: u32,
    count: u16,
    pub(crate) visits: u32,
    /// What a search keeps of a position besides.
    pub(crate) data: X,
}

/// A move, and the position after it: `C` is several positions where one move leads to several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<M, C = u32> {
    pub(crate) mv: M,
    /// Visits under way. Threads that are on their way below it count as visits without a reward until they are back.
    pub(crate) pending: u16,
    pub(crate) prior: f32,
    pub(crate) visits: u32,
    /// Rewards of the seat that moves, over all visits. In `f32` the sum of ten million would take no more of the small ones.
    pub(crate) sum: f64,
    /// [`NONE`] where the position is not in the tree.
    pub(crate) child: C,
}

impl<M, C> Edge<M, C> {
    pub(crate) const fn new(mv: M, prior: f32, child: C) -> Self {
        Self {
            mv,
            pending: 0,
            prior,
            visits: 0,
            sum: 0.0,
            child,
        }
    }

    #[inline]
    pub(crate) fn tried(&self) -> u32 {
        self.visits + u32::from(self.pending)
    }

    /// Books the reward of a visit that was under way, as so many visits.
    #[inline]
    pub(crate) fn book(&mut self, reward: f64, weight: u32) {
        self.pending -= 1;
        self.visits += weight;
        self.sum += reward * f64::from(weight);
    }
}

/// A tree; empty before the first search. It stops growing at about as many bytes as it may have.
#[derive(Clone, Debug)]
pub(crate) struct Tree<M, X, C = u32> {
    pub(crate) nodes: Vec<Node<X>>,
    pub(crate) edges: Vec<Edge<M, C>>,
    pub(crate) most_edges: usize,
}

impl<M: Copy + PartialEq, X, C: Copy> Tree<M, X, C> {
    pub(crate) const fn new(memory: usize) -> Self {
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            most_edges: memory / (size_of::<Edge<M, C>>() + size_of::<Node<X>>() / 4),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) const fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) const fn is_full(&self) -> bool {
        self.edges.len() >= self.most_edges
    }

    /// Adds a position whose moves are the last ones of the arena, from a number on; gives its number.
    pub(crate) fn add(&mut self, first: usize, data: X) -> u32 {
        self.nodes.push(Node {
            first: first as u32,
            count: (self.edges.len() - first) as u16,
            visits: 0,
            data,
        });
        self.nodes.len() as u32 - 1
    }

    /// Gives a position the last moves of the arena, from a number on, in place of those that it had.
    pub(crate) fn replace(&mut self, node: u32, first: usize) {
        let count = (self.edges.len() - first) as u16;
        let node = self.node_mut(node);
        (node.first, node.count) = (first as u32, count);
    }

    /// Makes priors of the logits of the last moves of the arena: their softmax.
    pub(crate) fn set_priors(&mut self, first: usize) {
        let edges = &mut self.edges[first..];
        let logits = edges.iter().map(|edge| edge.prior);
        let highest = logits.fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for edge in &mut *edges {
            edge.prior = (edge.prior - highest).exp();
            sum += edge.prior;
        }
        for edge in edges {
            edge.prior /= sum;
        }
    }

    #[inline]
    pub(crate) fn node(&self, node: u32) -> &Node<X> {
        &self.nodes[node as usize]
    }

    #[inline]
    pub(crate) fn node_mut(&mut self, node: u32) -> &mut Node<X> {
        &mut self.nodes[node as usize]
    }

    #[inline]
    pub(crate) fn edge(&mut self, edge: usize) -> &mut Edge<M, C> {
        &mut self.edges[edge]
    }

    /// The numbers of the moves of a position.
    #[inline]
    pub(crate) fn range(&self, node: u32) -> Range<usize> {
        let node = self.node(node);
        node.first as usize..node.first as usize + usize::from(node.count)
    }

    #[inline]
    pub(crate) fn moves(&self, node: u32) -> &[Edge<M, C>] {
        &self.edges[self.range(node)]
    }

    /// The number of a move of a position; `None` if the position was added without it.
    #[inline]
    pub(crate) fn find(&self, node: u32, mv: M) -> Option<usize> {
        let nth = self.moves(node).iter().position(|edge| edge.mv == mv)?;
        Some(self.range(node).start + nth)
    }

    /// By how many visits the first move of the root leads before the second.
    pub(crate) fn lead(&self) -> u64 {
        let (mut first, mut second) = (0, 0);
        for edge in self.moves(ROOT) {
            if edge.visits > first {
                (first, second) = (edge.visits, first);
            } else {
                second = second.max(edge.visits);
            }
        }
        u64::from(first - second)
    }

    pub(crate) fn candidates(&self) -> Vec<Candidate<M>> {
        if self.is_empty() {
            return Vec::new();
        }
        let candidate = |edge: &Edge<M, C>| Candidate {
            mv: edge.mv,
            trials: u64::from(edge.visits),
            sum: edge.sum,
        };
        self.moves(ROOT).iter().map(candidate).collect()
    }
}
