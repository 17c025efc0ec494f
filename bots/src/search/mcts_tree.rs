//! The tree: positions in an arena, the children of each side by side, and a list of untried moves for each
//! position that has been expanded.

use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Candidate;

pub(super) const ROOT: u32 = 0;

pub(super) const NOBODY: u8 = u8::MAX;

/// The share of the memory for positions; the rest is for the lists of untried moves.
const FOR_NODES: usize = 4;

/// A position and the move that leads to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MctsNode<M> {
    pub(super) mv: M,
    /// Of the root [`NOBODY`].
    pub(super) seat: u8,
    is_expanded: bool,
    visits: u32,
    sum: f64,
    pub(super) mean: f32,
    /// 1 / sqrt(visits).
    pub(super) rate: f32,
    /// W / (visits - sum + 1).
    pub(super) bias: f32,
    children: u32,
    count: u16,
    capacity: u16,
    untried: u32,
    untried_count: u16,
}

impl<M> MctsNode<M> {
    const fn new(seat: u8, mv: M) -> Self {
        Self {
            mv,
            seat,
            is_expanded: false,
            visits: 0,
            sum: 0.0,
            mean: 0.0,
            rate: 0.0,
            bias: 0.0,
            children: 0,
            count: 0,
            capacity: 0,
            untried: 0,
            untried_count: 0,
        }
    }

    /// Books a reward; `weight` is the W of the formula.
    #[inline]
    pub(super) fn add(&mut self, reward: f64, weight: f64) {
        self.visits += 1;
        self.sum += reward;
        let n = f64::from(self.visits);
        self.mean = (self.sum / n) as f32;
        self.rate = (1.0 / n.sqrt()) as f32;
        self.bias = (weight / (n - self.sum + 1.0)) as f32;
    }
}

/// A tree; empty before the first search.
#[derive(Debug)]
pub(super) struct MctsTree<M> {
    nodes: Vec<MctsNode<M>>,
    untried: Vec<(u8, M)>,
    most_nodes: usize,
    most_untried: usize,
}

/// Makes room for `more` entries: twice the room, but not beyond `most` without need.
pub(super) fn make_room<T>(list: &mut Vec<T>, more: usize, most: usize) {
    let needed = list.len() + more;
    if needed > list.capacity() {
        let capacity = (2 * list.capacity()).min(most).max(needed);
        list.reserve_exact(capacity - list.len());
    }
}

impl<M> MctsTree<M> {
    /// Stops growing at so many bytes.
    pub(super) const fn new(memory: usize) -> Self {
        let for_nodes = memory / FOR_NODES;
        Self {
            nodes: Vec::new(),
            untried: Vec::new(),
            most_nodes: for_nodes / size_of::<MctsNode<M>>(),
            most_untried: (memory - for_nodes) / size_of::<(u8, M)>(),
        }
    }
}

impl<M: Copy + PartialEq> MctsTree<M> {
    pub(super) fn clear(&mut self, any: M) {
        self.nodes.clear();
        self.nodes.push(MctsNode::new(NOBODY, any));
        self.untried.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it holds so much that it does not grow any more.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() >= self.most_nodes || self.untried.len() >= self.most_untried
    }

    #[inline]
    pub(super) fn node(&mut self, i: u32) -> &mut MctsNode<M> {
        &mut self.nodes[i as usize]
    }

    #[inline]
    pub(super) fn is_expanded(&self, i: u32) -> bool {
        self.nodes[i as usize].is_expanded
    }

    #[inline]
    pub(super) fn visits(&self, i: u32) -> u32 {
        self.nodes[i as usize].visits
    }

    /// Seat and move that lead to a position other than the root.
    #[inline]
    pub(super) fn mv(&self, i: u32) -> (u8, M) {
        let node = &self.nodes[i as usize];
        (node.seat, node.mv)
    }

    /// Moves of an expanded position, tried or not.
    pub(super) fn moves_of(&self, i: u32) -> usize {
        let node = &self.nodes[i as usize];
        usize::from(node.count) + usize::from(node.untried_count)
    }

    #[inline]
    pub(super) fn children(&self, i: u32) -> impl Iterator<Item = (u32, &MctsNode<M>)> {
        let node = &self.nodes[i as usize];
        let first = node.children as usize;
        (node.children..).zip(&self.nodes[first..first + usize::from(node.count)])
    }

    /// The position after a move that has been tried.
    pub(super) fn child(&self, i: u32, mv: M) -> Option<u32> {
        let mut children = self.children(i);
        children.find(|(_, child)| child.mv == mv).map(|(i, _)| i)
    }

    pub(super) fn begin_moves(&mut self, i: u32) {
        let first = self.untried.len() as u32;
        let node = self.node(i);
        node.is_expanded = true;
        node.untried = first;
        node.untried_count = 0;
    }

    /// Adds moves to the position that is being expanded. Beyond 65,535 they are left out.
    pub(super) fn add_moves(&mut self, i: u32, seat: u8, moves: &[M]) {
        let room = usize::from(u16::MAX - self.nodes[i as usize].untried_count);
        let moves = &moves[..moves.len().min(room)];
        make_room(&mut self.untried, moves.len(), self.most_untried);
        self.untried.extend(moves.iter().map(|&mv| (seat, mv)));
        self.node(i).untried_count += moves.len() as u16;
    }

    /// Makes a random untried move of an expanded position a child, if there is one and the tree may grow.
    pub(super) fn try_one(&mut self, i: u32, rng: &mut Xoshiro256PlusPlus) -> Option<u32> {
        let node = self.nodes[i as usize];
        if node.untried_count == 0 || self.is_full() {
            return None;
        }
        let first = node.untried as usize;
        let last = first + usize::from(node.untried_count) - 1;
        self.untried
            .swap(first + rng.random_range(0..=last - first), last);
        let (seat, mv) = self.untried[last];
        self.node(i).untried_count -= 1;
        if node.count == node.capacity {
            self.enlarge(i);
        }
        let node = self.node(i);
        let child = node.children + u32::from(node.count);
        node.count += 1;
        *self.node(child) = MctsNode::new(seat, mv);
        Some(child)
    }

    /// Moves the children to where there is room for twice as many. Nothing else knows their numbers but the path
    /// of the present playout, which ends at their parent.
    fn enlarge(&mut self, i: u32) {
        let node = self.nodes[i as usize];
        let moves = usize::from(node.count) + usize::from(node.untried_count) + 1;
        let capacity = (2 * usize::from(node.capacity)).max(4).min(moves);
        let first = self.nodes.len();
        let old = node.children as usize;
        make_room(&mut self.nodes, capacity, self.most_nodes);
        self.nodes
            .extend_from_within(old..old + usize::from(node.count));
        self.nodes
            .resize(first + capacity, MctsNode::new(NOBODY, node.mv));
        let node = self.node(i);
        node.children = first as u32;
        node.capacity = capacity as u16;
    }

    /// Becomes the part of another tree below a position.
    pub(super) fn take(&mut self, other: &Self, i: u32) {
        self.nodes.clear();
        self.untried.clear();
        let root = other.nodes[i as usize];
        self.nodes.push(MctsNode {
            seat: NOBODY,
            ..root
        });
        // Nodes are copied in breadth-first order; those before `next` point into this tree.
        let mut next = 0;
        while next < self.nodes.len() {
            let node = self.nodes[next];
            let old = node.children as usize;
            let children = self.nodes.len() as u32;
            make_room(&mut self.nodes, usize::from(node.count), self.most_nodes);
            self.nodes
                .extend_from_slice(&other.nodes[old..old + usize::from(node.count)]);
            let list = node.untried as usize;
            let untried = self.untried.len() as u32;
            let count = usize::from(node.untried_count);
            make_room(&mut self.untried, count, self.most_untried);
            self.untried
                .extend_from_slice(&other.untried[list..list + count]);
            let node = &mut self.nodes[next];
            (node.children, node.capacity) = (children, node.count);
            node.untried = untried;
            next += 1;
        }
    }

    /// By how many playouts the move of the root that was tried most leads before the second.
    pub(super) fn lead(&self) -> u64 {
        let (mut first, mut second) = (0, 0);
        for (_, child) in self.children(ROOT) {
            if child.visits > first {
                (first, second) = (child.visits, first);
            } else if child.visits > second {
                second = child.visits;
            }
        }
        u64::from(first - second)
    }

    pub(super) fn candidates(&self) -> Vec<Candidate<M>> {
        let root = &self.nodes[ROOT as usize];
        let first = root.untried as usize;
        let untried = &self.untried[first..first + usize::from(root.untried_count)];
        let tried = self.children(ROOT).map(|(_, child)| Candidate {
            mv: child.mv,
            trials: u64::from(child.visits),
            sum: child.sum,
        });
        tried
            .chain(untried.iter().map(|&(_, mv)| Candidate {
                mv,
                trials: 0,
                sum: 0.0,
            }))
            .collect()
    }
}
