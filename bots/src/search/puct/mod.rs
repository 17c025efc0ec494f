//! Tree search guided by a network, for games of two to four seats.
//!
//! Source of PUCT as it stands here: D. Silver et al., "A general reinforcement learning algorithm that masters chess,
//! shogi, and Go through self-play", Science 362 (2018) 1140-1144; for several seats each seat takes its own
//! component of the values (MAXN backup). With P the prior of a move, n its visits, Q the mean reward of the seat that
//! moves, 0 to 1, and N the visits of the position, the next move is the one with the largest
//!
//! Q + C(N) / 2 * P sqrt(N) / (1 + n),  C(N) = ln((1 + N + base) / base) + init
//!
//! The half is there because the literature has Q from -1 to 1.
//!
//! The search stops at each position that it wants evaluated, so that thousands of searches can share batches of one
//! network: [`Puct::select`] gives a leaf, [`Puct::supply`] takes what the network says of it. Several leaves of one
//! search may be under way: a visit under way counts as lost until then (virtual loss: G. M. J-B. Chaslot, M. H. M.
//! Winands and H. J. van den Herik, "Parallel Monte-Carlo tree search", CG 2008, LNCS 5131, 60-71).
//!
//! Positions that are reached in two ways are two positions here: in Blokus few are, and a shared one could not say
//! whose visits its values come from.

mod root;
#[cfg(test)]
mod tests;
mod tree;

use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::tree::ROOT;
use super::{Candidate, Game, MOST_SEATS, Rewards};
use root::Halving;
use tree::{PuctTree, mean};

pub use root::{Gumbel, Noise};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstPlay {
    Value(f64),
    /// What the network thinks of the position before it, less this.
    Below(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuctPlan {
    pub base: f64,
    pub init: f64,
    pub first_play: FirstPlay,
    /// Noise at the root; none in a match.
    pub noise: Option<Noise>,
    /// How moves are chosen at the root, and inside, in place of the formula.
    pub gumbel: Option<Gumbel>,
    /// Whether what the last search found out about the position is used again.
    pub reuse: bool,
    /// Bytes of the tree and of the one that the next search takes over from it, together.
    pub memory: usize,
}

impl Default for PuctPlan {
    /// The constants of the `BlokusZero` paper, without noise; 400 MiB.
    fn default() -> Self {
        Self {
            base: 19_625.0,
            init: 1.25,
            first_play: FirstPlay::Value(0.5),
            noise: None,
            gumbel: None,
            reuse: true,
            memory: 400 << 20,
        }
    }
}

#[derive(Clone, Debug)]
struct Leaf<G: Game> {
    position: G,
    moves: Vec<G::Move>,
    /// Positions and moves that lead to it, from the root.
    path: Vec<(u32, usize)>,
    is_waiting: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selected {
    /// A position wants to be evaluated: see [`Puct::leaf`] and [`Puct::supply`] under this number.
    Leaf(usize),
    /// The game was over there, and its rewards are booked.
    Over,
    /// It came to a position that waits already: evaluate that first.
    Waits,
}

/// A search whose memory is used again from move to move.
#[derive(Debug)]
pub struct Puct<G: Game> {
    plan: PuctPlan,
    rng: Xoshiro256PlusPlus,
    root: Option<G>,
    tree: PuctTree<G::Move>,
    spare: PuctTree<G::Move>,
    leaves: Vec<Leaf<G>>,
    halving: Halving,
    moves: Vec<G::Move>,
    draw: Vec<f64>,
    /// What the descents of this search came to, in sum, and how many they were.
    come_to: (Rewards, u64),
}

impl<G: Game> Puct<G> {
    pub fn new(plan: PuctPlan, seed: u64) -> Self {
        Self {
            plan,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            root: None,
            tree: PuctTree::new(plan.memory / 2),
            spare: PuctTree::new(plan.memory / 2),
            leaves: Vec::new(),
            halving: Halving::default(),
            moves: Vec::new(),
            draw: Vec::new(),
            come_to: ([0.0; MOST_SEATS], 0),
        }
    }

    /// What is to hold from the next search on; the memory stays as it is.
    pub const fn set_plan(&mut self, plan: PuctPlan) {
        self.plan = plan;
    }

    pub fn forget(&mut self) {
        self.root = None;
        self.tree.clear();
        for leaf in &mut self.leaves {
            leaf.is_waiting = false;
            leaf.path.clear();
        }
    }

    /// Begins a search from a position whose game is not over, with what is known of it. Leaves that still wait are
    /// given up. `simulations` is what the search is to have, for the plan of a [`Gumbel`] root.
    pub fn begin(&mut self, root: &G, simulations: u64) {
        for leaf in 0..self.leaves.len() {
            self.give_up(leaf);
        }
        match self.find(root) {
            Some(ROOT) => {}
            Some(node) => {
                self.spare.take(&self.tree, node);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
            None => self.tree.clear(),
        }
        match &mut self.root {
            Some(known) => known.clone_from(root),
            none => *none = Some(root.clone()),
        }
        self.halving = Halving::of(simulations);
        self.come_to = ([0.0; MOST_SEATS], 0);
        if !self.tree.is_empty() {
            self.settle();
        }
    }

    /// The position in the tree of the last search.
    fn find(&mut self, root: &G) -> Option<u32> {
        let last = self.root.as_ref().filter(|_| self.plan.reuse)?;
        if self.tree.is_empty() || !root.moves_since(last, &mut self.moves) {
            return None;
        }
        let mut node = ROOT;
        for &mv in &self.moves {
            node = self.tree.after(self.tree.find(node, mv)?)?;
        }
        // With noise the priors of the old root are spoilt.
        (node != ROOT || self.plan.noise.is_none()).then_some(node)
    }

    /// The root has its priors: they get their noise.
    fn settle(&mut self) {
        if let Some(gumbel) = self.plan.gumbel {
            self.halving
                .settle(gumbel, self.tree.moves(ROOT), &mut self.rng);
        } else if let Some(noise) = self.plan.noise {
            let range = self.tree.range(ROOT);
            let edges = &mut self.tree.edges[range];
            self.draw.clear();
            self.draw.resize(edges.len(), 0.0);
            noise.draw(&mut self.draw, &mut self.rng);
            for (edge, &drawn) in edges.iter_mut().zip(&self.draw) {
                let prior = f64::from(edge.prior);
                edge.prior = (noise.share * drawn + (1.0 - noise.share) * prior) as f32;
            }
        }
    }

    pub fn select(&mut self) -> Selected {
        let Some(free) = self.free_leaf() else {
            return Selected::Waits;
        };
        let Some(root) = &self.root else {
            return Selected::Over;
        };
        let leaf = &mut self.leaves[free];
        leaf.position.clone_from(root);
        leaf.path.clear();
        if self.tree.is_empty() {
            if self.leaves.iter().any(|leaf| leaf.is_waiting) {
                return Selected::Waits;
            }
            return self.wait(free);
        }
        let mut node = ROOT;
        loop {
            let Some(edge) = self.choose(node) else {
                // A position without moves whose game is not over: there is nothing to learn.
                self.give_up(free);
                return Selected::Over;
            };
            let leaf = &mut self.leaves[free];
            leaf.path.push((node, edge));
            let known = self.tree.edge(edge);
            let waits = known.pending > 0;
            known.pending += 1;
            leaf.position.play(known.mv);
            if let Some(next) = self.tree.after(edge) {
                node = next;
            } else if let Some(rewards) = leaf.position.rewards() {
                self.book(free, &rewards);
                return Selected::Over;
            } else if waits {
                self.undo(free);
                return Selected::Waits;
            } else {
                return self.wait(free);
            }
        }
    }

    fn wait(&mut self, number: usize) -> Selected {
        let leaf = &mut self.leaves[number];
        leaf.is_waiting = true;
        leaf.position.moves(&mut leaf.moves);
        Selected::Leaf(number)
    }

    pub fn leaf(&self, number: usize) -> (&G, &[G::Move]) {
        let leaf = &self.leaves[number];
        (&leaf.position, &leaf.moves)
    }

    /// Takes the evaluation of a leaf: a logit for each of its moves, in their order, and the value of each seat, 0 to 1.
    pub fn supply(&mut self, number: usize, logits: &[f32], value: &Rewards) {
        let leaf = &self.leaves[number];
        let Some(seat) = leaf.position.to_move().filter(|_| leaf.is_waiting) else {
            return;
        };
        let is_root = leaf.path.is_empty();
        if is_root || !self.tree.is_full() {
            let node = self.tree.add_evaluated(seat, &leaf.moves, logits, value);
            self.tree.node_mut(node).visits += 1;
            if let Some(&(_, edge)) = leaf.path.last() {
                self.tree.edge(edge).child = node;
            }
        }
        self.book(number, value);
        if is_root {
            self.settle();
        }
    }

    fn book(&mut self, number: usize, rewards: &Rewards) {
        let leaf = &mut self.leaves[number];
        leaf.is_waiting = false;
        for (sum, reward) in self.come_to.0.iter_mut().zip(rewards) {
            *sum += reward;
        }
        self.come_to.1 += 1;
        for &(node, edge) in &leaf.path {
            let seat = usize::from(self.tree.seat(node));
            self.tree.node_mut(node).visits += 1;
            self.tree.edge(edge).book(rewards[seat], 1);
        }
        leaf.path.clear();
    }

    fn give_up(&mut self, number: usize) {
        self.leaves[number].is_waiting = false;
        self.undo(number);
    }

    fn undo(&mut self, number: usize) {
        for (_, edge) in self.leaves[number].path.drain(..) {
            self.tree.edge(edge).pending -= 1;
        }
    }

    fn choose(&mut self, node: u32) -> Option<usize> {
        if let Some(gumbel) = self.plan.gumbel {
            let edges = self.tree.moves(node);
            let place = if node == ROOT {
                self.halving.choose(gumbel, edges)
            } else {
                gumbel.choose(edges, self.tree.value(node), &mut self.draw)
            };
            return place.map(|place| self.tree.range(node).start + place);
        }
        let edges = self.tree.moves(node);
        let pending: u32 = edges.iter().map(|edge| u32::from(edge.pending)).sum();
        let visits = f64::from(self.tree.node(node).visits + pending);
        let c = ((1.0 + visits + self.plan.base) / self.plan.base).ln() + self.plan.init;
        let scale = c / 2.0 * visits.sqrt();
        let otherwise = match self.plan.first_play {
            FirstPlay::Value(value) => value,
            FirstPlay::Below(less) => self.tree.value(node) - less,
        };
        let (mut best, mut best_score) = (None, f64::NEG_INFINITY);
        for (number, edge) in self.tree.range(node).zip(edges) {
            let tried = f64::from(1 + edge.tried());
            let score = mean(edge, otherwise) + scale * f64::from(edge.prior) / tried;
            if score > best_score {
                (best, best_score) = (Some(number), score);
            }
        }
        best
    }

    /// A leaf that does not wait; `None` where a move could not count one more as under way.
    fn free_leaf(&mut self) -> Option<usize> {
        let free = self.leaves.iter().position(|leaf| !leaf.is_waiting);
        if let (None, Some(root)) = (free, &self.root) {
            if self.leaves.len() == usize::from(u16::MAX) {
                return None;
            }
            self.leaves.push(Leaf {
                position: root.clone(),
                moves: Vec::new(),
                path: Vec::new(),
                is_waiting: false,
            });
        }
        Some(free.unwrap_or(self.leaves.len().saturating_sub(1)))
    }

    pub const fn size(&self) -> usize {
        self.tree.len()
    }

    pub fn depth(&self, number: usize) -> usize {
        self.leaves[number].path.len()
    }

    /// By how many visits the first move of the root leads before the second. A [`Gumbel`] root does not
    /// go by visits: there it is 0.
    pub fn lead(&self) -> u64 {
        if self.plan.gumbel.is_some() || self.tree.is_empty() {
            return 0;
        }
        self.tree.lead()
    }

    pub fn candidates(&self) -> Vec<Candidate<G::Move>> {
        self.tree.candidates()
    }

    /// The move to play: the one visited most, or that of a [`Gumbel`] root.
    pub fn decide(&self) -> Option<G::Move> {
        if self.tree.is_empty() {
            return None;
        }
        let edges = self.tree.moves(ROOT);
        let place = match self.plan.gumbel {
            Some(gumbel) => self.halving.decide(gumbel, edges)?,
            None => (0..edges.len()).reduce(|best, i| {
                let key = |i: usize| (edges[i].visits, mean(&edges[i], 0.0));
                let better =
                    key(i).0 > key(best).0 || key(i).0 == key(best).0 && key(i).1 > key(best).1;
                if better { i } else { best }
            })?,
        };
        Some(edges[place].mv)
    }

    /// What a network is to learn from this search: the share of the visits of each move of the root, or the improved
    /// policy of a [`Gumbel`] root. Their sum is 1.
    pub fn policy(&self) -> Vec<(G::Move, f32)> {
        if self.tree.is_empty() {
            return Vec::new();
        }
        let edges = self.tree.moves(ROOT);
        let shares: Vec<f64> = match self.plan.gumbel {
            Some(gumbel) => {
                let mut policy = Vec::new();
                gumbel.improved(edges, self.tree.value(ROOT), &mut policy);
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
