//! The search tree: nodes are what the searching seat knows, in one arena.

use games::geister::{Color, Move};

/// No node yet.
pub(super) const NONE: u32 = u32::MAX;

/// A move from a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) mv: Move,
    pub(super) visits: u32,
    /// Sum of results for the searching seat, each in [0, 1].
    pub(super) sum: f32,
    /// Probability that the policy gives the move; only at own nodes.
    pub(super) prior: f32,
    /// The node after it: one for each colour of a captured ghost, the first if nothing is captured.
    child: [u32; 2],
}

impl Edge {
    pub(super) fn mean(&self) -> f64 {
        f64::from(self.sum) / f64::from(self.visits.max(1))
    }
}

/// A node: the moves from `first` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    first: u32,
    count: u32,
    pub(super) visits: u32,
}

/// All nodes and edges of one search.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Tree {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A new node with these moves.
    pub(super) fn add(&mut self, moves: impl Iterator<Item = (Move, f64)>) -> u32 {
        let first = self.edges.len() as u32;
        self.edges.extend(moves.map(|(mv, prior)| Edge {
            mv,
            visits: 0,
            sum: 0.0,
            prior: prior as f32,
            child: [NONE; 2],
        }));
        self.nodes.push(Node {
            first,
            count: self.edges.len() as u32 - first,
            visits: 0,
        });
        self.nodes.len() as u32 - 1
    }

    #[inline]
    pub(super) fn node(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    #[inline]
    pub(super) fn edges(&self, node: u32) -> &[Edge] {
        let Node { first, count, .. } = self.nodes[node as usize];
        &self.edges[first as usize..(first + count) as usize]
    }

    #[inline]
    pub(super) fn edge(&mut self, index: u32) -> &mut Edge {
        &mut self.edges[index as usize]
    }

    #[inline]
    pub(super) fn child(&self, edge: u32, captured: Option<Color>) -> u32 {
        self.edges[edge as usize].child[slot(captured)]
    }

    #[inline]
    pub(super) fn set_child(&mut self, edge: u32, captured: Option<Color>, node: u32) {
        self.edges[edge as usize].child[slot(captured)] = node;
    }

    /// The edge of a move from a node; `None` if the node was made without it.
    #[inline]
    pub(super) fn find(&self, node: u32, mv: Move) -> Option<u32> {
        let nth = self.edges(node).iter().position(|edge| edge.mv == mv)?;
        Some(self.nodes[node as usize].first + nth as u32)
    }
}

fn slot(captured: Option<Color>) -> usize {
    usize::from(captured == Some(Color::Red))
}
