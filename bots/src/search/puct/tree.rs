//! The tree of PUCT. A search starts from the subtree of its position in the tree of the search before.

use super::super::tree::{self, Edge, NONE};
use super::super::{MOST_SEATS, Rewards};

#[derive(Clone, Copy, Debug)]
pub(super) struct NodeValue {
    pub(super) seat: u8,
    value: [f32; MOST_SEATS],
}

pub(super) type PuctTree<M> = tree::Tree<M, NodeValue>;

impl<M: Copy + PartialEq> PuctTree<M> {
    /// Adds a position with its moves, their logits and its value; gives its number. Priors are the softmax of the
    /// logits. Beyond 65,535 moves are left out.
    pub(super) fn add_evaluated(
        &mut self,
        seat: u8,
        moves: &[M],
        logits: &[f32],
        value: &Rewards,
    ) -> u32 {
        let first = self.edges.len();
        let edge = |(&mv, &logit): (&M, &f32)| Edge::new(mv, logit, NONE);
        let edges = moves.iter().zip(logits).take(usize::from(u16::MAX));
        self.edges.extend(edges.map(edge));
        self.set_priors(first);
        let value = value.map(|v| v as f32);
        self.add(first, NodeValue { seat, value })
    }

    /// The position that a move leads to, if it is in the tree.
    #[inline]
    pub(super) fn after(&self, edge: usize) -> Option<u32> {
        let node = self.edges[edge].child;
        (node != NONE).then_some(node)
    }

    #[inline]
    pub(super) fn seat(&self, node: u32) -> u8 {
        self.node(node).data.seat
    }

    /// The value that the network gave a position, for the seat that moves.
    #[inline]
    pub(super) fn value(&self, node: u32) -> f64 {
        let NodeValue { seat, value } = self.node(node).data;
        f64::from(value[usize::from(seat)])
    }

    /// Becomes the part of another tree below a position.
    pub(super) fn take(&mut self, other: &Self, root: u32) {
        self.clear();
        self.copy(other, root);
        // Breadth-first: the moves before `next` lead into this tree.
        let mut next = 0;
        while next < self.edges.len() {
            let node = self.edges[next].child;
            if node != NONE {
                self.edges[next].child = self.nodes.len() as u32;
                self.copy(other, node);
            }
            next += 1;
        }
    }

    /// Copies a position; its moves still lead into the other tree.
    fn copy(&mut self, other: &Self, node: u32) {
        let first = self.edges.len();
        self.edges.extend_from_slice(other.moves(node));
        let &tree::Node { visits, data, .. } = other.node(node);
        let copy = self.add(first, data);
        self.node_mut(copy).visits = visits;
    }
}

/// Mean reward; `otherwise` without visits. A visit under way counts as lost.
#[inline]
pub(super) fn mean<M>(edge: &Edge<M>, otherwise: f64) -> f64 {
    match edge.tried() {
        0 => otherwise,
        tried => edge.sum / f64::from(tried),
    }
}
