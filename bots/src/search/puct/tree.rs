//! The tree: positions and their moves in two arenas; the moves of a position lie side by side.

use super::super::{Candidate, MOST_SEATS, Rewards};

pub(super) const ROOT: u32 = 0;

/// A move that has not been followed leads nowhere.
const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    edges: u32,
    count: u16,
    seat: u8,
    /// Evaluations and ends of games at and below it.
    visits: u32,
    value: [f32; MOST_SEATS],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<M> {
    pub(super) mv: M,
    pub(super) prior: f32,
    pub(super) visits: u32,
    pub(super) pending: u32,
    /// Rewards of the seat that moves, over all visits.
    pub(super) sum: f64,
    node: u32,
}

impl<M> Edge<M> {
    /// Mean reward; `otherwise` without visits. A visit under way counts as lost.
    #[inline]
    pub(super) fn mean(&self, otherwise: f64) -> f64 {
        match self.visits + self.pending {
            0 => otherwise,
            tried => self.sum / f64::from(tried),
        }
    }
}

/// A tree; empty before the first search.
#[derive(Debug)]
pub(super) struct Tree<M> {
    nodes: Vec<Node>,
    edges: Vec<Edge<M>>,
    most_edges: usize,
}

impl<M: Copy + PartialEq> Tree<M> {
    /// Stops growing at about so many bytes.
    pub(super) const fn new(memory: usize) -> Self {
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            most_edges: memory / (size_of::<Edge<M>>() + size_of::<Node>() / 4),
        }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it does not grow any more.
    pub(super) const fn is_full(&self) -> bool {
        self.edges.len() >= self.most_edges
    }

    /// Adds a position with its moves, their logits and its value; gives its number. Priors are the softmax of the
    /// logits. Beyond 65,535 moves are left out.
    pub(super) fn add(&mut self, seat: u8, moves: &[M], logits: &[f32], value: &Rewards) -> u32 {
        let count = moves.len().min(logits.len()).min(usize::from(u16::MAX));
        let number = self.nodes.len() as u32;
        self.nodes.push(Node {
            edges: self.edges.len() as u32,
            count: count as u16,
            seat,
            visits: 0,
            value: value.map(|v| v as f32),
        });
        let highest = logits[..count].iter().copied().fold(f32::MIN, f32::max);
        let first = self.edges.len();
        let edge = |(&mv, &logit): (&M, &f32)| Edge {
            mv,
            prior: (logit - highest).exp(),
            visits: 0,
            pending: 0,
            sum: 0.0,
            node: NOWHERE,
        };
        self.edges
            .extend(moves.iter().zip(logits).take(count).map(edge));
        let sum: f32 = self.edges[first..].iter().map(|edge| edge.prior).sum();
        for edge in &mut self.edges[first..] {
            edge.prior /= sum;
        }
        number
    }

    /// Joins a position to the move that leads to it.
    pub(super) fn join(&mut self, edge: u32, node: u32) {
        self.edges[edge as usize].node = node;
    }

    #[inline]
    pub(super) fn edge(&mut self, edge: u32) -> &mut Edge<M> {
        &mut self.edges[edge as usize]
    }

    /// The position that a move leads to, if it is in the tree.
    #[inline]
    pub(super) fn after(&self, edge: u32) -> Option<u32> {
        let node = self.edges[edge as usize].node;
        (node != NOWHERE).then_some(node)
    }

    /// The moves of a position, with the number of the first.
    #[inline]
    pub(super) fn edges(&self, node: u32) -> (u32, &[Edge<M>]) {
        let node = &self.nodes[node as usize];
        let first = node.edges as usize;
        (
            node.edges,
            &self.edges[first..first + usize::from(node.count)],
        )
    }

    pub(super) fn edges_mut(&mut self, node: u32) -> &mut [Edge<M>] {
        let node = &self.nodes[node as usize];
        let first = node.edges as usize;
        &mut self.edges[first..first + usize::from(node.count)]
    }

    #[inline]
    pub(super) fn seat(&self, node: u32) -> u8 {
        self.nodes[node as usize].seat
    }

    #[inline]
    pub(super) fn visits(&self, node: u32) -> u32 {
        self.nodes[node as usize].visits
    }

    #[inline]
    pub(super) fn visit(&mut self, node: u32) {
        self.nodes[node as usize].visits += 1;
    }

    /// The value that the network gave a position, for a seat.
    #[inline]
    pub(super) fn value(&self, node: u32, seat: u8) -> f64 {
        f64::from(self.nodes[node as usize].value[usize::from(seat)])
    }

    pub(super) fn find(&self, node: u32, mv: M) -> Option<u32> {
        let (first, edges) = self.edges(node);
        let place = edges.iter().position(|edge| edge.mv == mv)?;
        Some(first + place as u32)
    }

    /// Becomes the part of another tree below a position.
    pub(super) fn take(&mut self, other: &Self, root: u32) {
        self.clear();
        self.copy(other, root);
        // Breadth-first: the moves before `next` lead into this tree.
        let mut next = 0;
        while next < self.edges.len() {
            if let Some(node) = other_node(&self.edges[next]) {
                self.edges[next].node = self.nodes.len() as u32;
                self.copy(other, node);
            }
            next += 1;
        }
    }

    /// Copies a position; its moves still lead into the other tree.
    fn copy(&mut self, other: &Self, node: u32) {
        let edges = self.edges.len() as u32;
        self.nodes.push(Node {
            edges,
            ..other.nodes[node as usize]
        });
        self.edges.extend_from_slice(other.edges(node).1);
    }

    pub(super) fn candidates(&self) -> Vec<Candidate<M>> {
        if self.is_empty() {
            return Vec::new();
        }
        let candidate = |edge: &Edge<M>| Candidate {
            mv: edge.mv,
            trials: u64::from(edge.visits),
            sum: edge.sum,
        };
        self.edges(ROOT).1.iter().map(candidate).collect()
    }
}

fn other_node<M>(edge: &Edge<M>) -> Option<u32> {
    (edge.node != NOWHERE).then_some(edge.node)
}
