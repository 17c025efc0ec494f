//! The tree of `best`: positions in an arena, each with its likely moves side by side, the likeliest first.

use games::blokus::Placement;

use super::judge::Judged;

/// No position.
pub(super) const NONE: u32 = u32::MAX;

/// A move from a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) mv: Placement,
    /// Its share of the trust in all moves that were kept.
    pub(super) prior: f32,
    pub(super) visits: u32,
    /// Rewards of the seat that makes the move.
    pub(super) sum: f32,
    /// The position after it, or [`NONE`].
    pub(super) child: u32,
}

/// A position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    first: u32,
    count: u16,
    /// Moves that have been tried: they are the first ones.
    pub(super) tried: u16,
    pub(super) visits: u32,
    /// Rewards of the seat to move.
    pub(super) sum: f32,
}

/// All positions and moves.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
}

impl Tree {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    /// Adds a position with at most `most` of its moves, and gives its number. `judged` is reordered.
    pub(super) fn add(&mut self, judged: &mut [Judged], most: usize) -> u32 {
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
        let first = self.edges.len();
        let top = kept.first().map_or(0.0, |judged| judged.logit);
        let mut total = 0.0;
        for judged in kept.iter() {
            let trust = (judged.logit - top).exp();
            total += trust;
            self.edges.push(Edge {
                mv: judged.mv,
                prior: trust,
                visits: 0,
                sum: 0.0,
                child: NONE,
            });
        }
        for edge in &mut self.edges[first..] {
            edge.prior /= total;
        }
        self.nodes.push(Node {
            first: first as u32,
            count: count as u16,
            tried: 0,
            visits: 0,
            sum: 0.0,
        });
        self.nodes.len() as u32 - 1
    }

    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The numbers of the moves of a position.
    pub(super) fn moves(&self, node: u32) -> std::ops::Range<usize> {
        let node = self.node(node);
        node.first as usize..node.first as usize + usize::from(node.count)
    }
}
