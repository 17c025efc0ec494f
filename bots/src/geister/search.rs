//! Monte Carlo tree search over what the searching seat knows.
//!
//! Each simulation draws the enemy's colours from the belief and goes down a tree whose nodes are the
//! moves and captured colours that both sides have seen, so that the own choice at a node does not
//! depend on what is hidden. The own side chooses by PUCT with the policy as prior; the enemy by the policy
//! that is drawn together with its colours, or, for a share of its moves, by PUCT against the own side. The value network judges a
//! position at its first visit; at the second one it gets a node. Threads share the tree; a simulation that is under way counts as
//! a visit without a result.
//!
//! Sources: P. Cowling, E. Powley and D. Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Trans.
//! Comput. Intell. AI Games 4 (2012) 120-143; PUCT as in D. Silver et al., Nature 550 (2017) 354-359; A. Liu et al., "Watch the
//! unobserved: a simple approach to parallelizing Monte Carlo tree search", ICLR 2020.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use games::geister::{Colour, Move, MoveList, Position, View};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::belief::{Enemy, EnemyModels, draw_cumulative};
use super::choice::draw;
use super::features::Sight;
use super::inputs::GeisterNetworks;
use super::policy::NetworkInputs;
use super::selfplay::MOST_MOVES;
use crate::search::tree::{self, Edge, NONE, ROOT};
use crate::search::{is_stopped, lock};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchPlan {
    /// Most simulations of a decision, over all threads.
    pub simulations: u32,
    /// Time for a decision; `None` leaves it to the simulations.
    pub time: Option<Duration>,
    /// What a draw is worth, from 0 for a loss to 1 for a win. A move that leads back to an earlier board of the game counts as
    /// one.
    pub draw: f64,
}

impl Default for SearchPlan {
    fn default() -> Self {
        Self {
            simulations: 20_000,
            time: None,
            // GAT's events give 3 points for a win and 1 for a draw.
            draw: 1.0 / 3.0,
        }
    }
}

/// Temperature of the prior. At 1 the policy leaves many moves without a visit, however long the search is.
const PRIOR_TEMPERATURE: f64 = 8.0;
/// Share of the enemy's moves in the tree that it chooses by PUCT.
const ADVERSARY: f64 = 0.5;
/// How much worse than its parent a move without a visit is taken to be.
const FIRST_PLAY: f64 = 0.1;

/// What a thread needs to search in a tree that it may share with others.
pub(super) struct Searcher {
    asked: NetworkInputs,
    moves: MoveList,
    path: Vec<usize>,
}

pub(super) struct TreeJob<'a> {
    pub(super) models: &'a EnemyModels,
    pub(super) root: &'a Root,
    pub(super) plan: &'a SearchPlan,
    pub(super) tree: &'a Mutex<GhostTree>,
    pub(super) start: Instant,
}

/// Where a search begins, and the enemies that there may be.
pub(super) struct Root {
    seat: u8,
    /// The position with an enemy's colours, and the enemy's policy.
    positions: Vec<(Position, usize)>,
    cumulative: Vec<f64>,
    /// Moves that lead back to an earlier board.
    repeated: Vec<Move>,
}

impl Root {
    pub(super) fn new(view: &View, enemies: &[Enemy], repeated: Vec<Move>) -> Self {
        let mut root = Self {
            seat: view.seat(),
            positions: Vec::new(),
            cumulative: Vec::new(),
            repeated,
        };
        let mut sum = 0.0;
        for enemy in enemies {
            if let Some(position) = view.with(enemy.placement) {
                sum += enemy.chance;
                root.positions.push((position, enemy.model));
                root.cumulative.push(sum);
            }
        }
        root
    }
}

impl Searcher {
    pub(super) fn new() -> Self {
        Self {
            asked: NetworkInputs::default(),
            moves: MoveList::new(),
            path: Vec::new(),
        }
    }

    /// Adds so many simulations to the tree, or fewer when the time is over.
    pub(super) fn run(
        &mut self,
        job: &TreeJob<'_>,
        simulations: u32,
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let is_late = || {
            job.plan
                .time
                .is_some_and(|time| job.start.elapsed() >= time)
        };
        for n in 0..simulations.max(1) {
            // The clock is looked at rarely; a simulation takes about 2 microseconds.
            if n % 16 == 15 && (is_stopped() || is_late()) {
                break;
            }
            let world = draw_cumulative(&job.root.cumulative, rng);
            self.simulate(job, world, rng);
        }
    }

    fn simulate(&mut self, job: &TreeJob<'_>, world: usize, rng: &mut Xoshiro256PlusPlus) {
        let TreeJob {
            models, root, plan, ..
        } = *job;
        let (mut position, model) = root.positions[world];
        self.path.clear();
        let mut link = None;
        // A simulation keeps the lock from a move of the enemy to the answer if the node of the answer exists, because threads
        // wait for each other at each lock.
        let mut held = Some(lock(job.tree));
        let mut node = held.as_ref().map_or(NONE, |tree| tree.root());
        while let Some(seat) = position.to_move() {
            let own = seat == root.seat;
            // The root is searched all the same, so that each of its moves has a value.
            if link.is_some()
                && let Some(mv) = position.escape()
            {
                position.play_unchecked(mv);
                break;
            }
            let is_new = node == NONE;
            // A position gets a node when it is visited for the second time: many are never visited again.
            if is_new && let Some((edge, _)) = link {
                let held = held.get_or_insert_with(|| lock(job.tree));
                if held.is_full() || held.edge(edge).visits == 0 {
                    break;
                }
            }
            position.legal_moves(&mut self.moves);
            // Preferences are needed for the prior of a new node, and for the enemy each time, as they depend on
            // its colours.
            let mut values = [0.0; MOST_MOVES];
            let values = &mut values[..self.moves.len()];
            if is_new || !own {
                held = None;
                let sight = Sight::of(&position, seat);
                if own {
                    let temperature = PRIOR_TEMPERATURE;
                    self.asked
                        .chances(&models.networks, &sight, &self.moves, temperature, values);
                } else {
                    models.chances(model, &mut self.asked, &sight, &self.moves, values);
                }
            }
            let held = held.get_or_insert_with(|| lock(job.tree));
            if is_new {
                // Another thread may have made it in the meantime.
                node = match link {
                    Some((edge, slot)) => held.edge(edge).child[slot],
                    None => held.root(),
                };
            }
            if node == NONE {
                let moves = self.moves.iter().copied();
                node = held.add_moves(moves.zip(values.iter().copied()));
                if let Some((edge, slot)) = link {
                    held.edge(edge).child[slot] = node;
                }
            }
            held.node_mut(node).visits += 1;
            let nth = if own {
                held.select(node)
            } else if rng.random::<f64>() < ADVERSARY {
                held.select_enemy(node, &self.moves, values)
            } else {
                draw(values, rng)
            };
            let mv = self.moves[nth];
            let played = position.play_unchecked(mv);
            // A node of the enemy may have been made with colours that forbid an escape which these allow.
            let Some(edge) = held.find(node, mv) else {
                break;
            };
            held.edge(edge).pending += 1;
            self.path.push(edge);
            if node == ROOT && root.repeated.contains(&mv) {
                held.book(&self.path, plan.draw);
                return;
            }
            if position.end().is_none() {
                let slot = slot(played.captured.map(|(_, colour)| colour));
                link = Some((edge, slot));
                node = held.edge(edge).child[slot];
            }
        }
        drop(held);
        let result = self.judge(&models.networks, root.seat, &position, plan.draw);
        lock(job.tree).book(&self.path, result);
    }

    /// What `seat` may expect of a position, 0 to 1.
    fn judge(
        &mut self,
        networks: &GeisterNetworks,
        seat: u8,
        position: &Position,
        draw: f64,
    ) -> f64 {
        let result = |winner: u8| f64::from(u8::from(winner == seat));
        let Some(mover) = position.to_move() else {
            let winner = position.end().and_then(|end| end.winner);
            return winner.map_or(draw, result);
        };
        if position.escape().is_some() {
            return result(mover);
        }
        let value = self.asked.value(networks, &Sight::of(position, mover));
        if mover == seat { value } else { 1.0 - value }
    }
}

/// Bytes of a tree for each thread; after that the positions are judged where the tree ends.
const MEMORY: usize = 160 << 20;

/// All positions of one search, as far as the searching seat knows them. A move leads to one for each colour of a captured ghost,
/// the first if nothing is captured. Sums are those of the searching seat; priors are for PUCT at its own positions, as an
/// enemy's move depends on the colours that are drawn.
pub(super) type GhostTree = tree::Tree<Move, (), [u32; 2]>;

impl GhostTree {
    pub(super) const fn of_threads(threads: usize) -> Self {
        Self::new(MEMORY * threads)
    }

    /// The root; [`NONE`] in an empty tree.
    const fn root(&self) -> u32 {
        if self.is_empty() { NONE } else { ROOT }
    }

    /// Adds a result to the moves of a path, on which its thread is no longer under way.
    fn book(&mut self, path: &[usize], result: f64) {
        for &edge in path {
            self.edge(edge).book(result, 1);
        }
    }

    fn select(&self, node: u32) -> usize {
        let visits = f64::from(self.node(node).visits);
        let edges = self.moves(node);
        let (mut sum, mut tried) = (0.0, 0.0);
        for edge in edges {
            sum += edge.sum;
            tried += f64::from(edge.visits);
        }
        let unvisited = if tried > 0.0 { sum / tried } else { 0.5 } - FIRST_PLAY;
        let factor = visits.sqrt();
        let mut best = (0, f64::NEG_INFINITY);
        for (i, edge) in edges.iter().enumerate() {
            let mean = if edge.visits > 0 {
                mean(edge)
            } else {
                unvisited
            };
            let value = mean + factor * f64::from(edge.prior) / f64::from(1 + edge.tried());
            if value > best.1 {
                best = (i, value);
            }
        }
        best.0
    }

    /// The enemy's choice against the searching seat: PUCT with the prior of the colours drawn.
    fn select_enemy(&self, node: u32, moves: &[Move], prior: &[f64]) -> usize {
        let visits = f64::from(self.node(node).visits);
        let factor = visits.sqrt();
        let mut best = (0, f64::NEG_INFINITY);
        let mut edges = self.moves(node).iter();
        for (i, (&mv, &prior)) in moves.iter().zip(prior).enumerate() {
            // Both lists have one order. A move that the node lacks is an escape.
            let Some(edge) = edges.find(|edge| edge.mv == mv) else {
                debug_assert!(self.find(node, mv).is_none(), "both lists have one order");
                return i;
            };
            let mean = if edge.visits > 0 { mean(edge) } else { 0.5 };
            let value = 1.0 - mean + factor * prior / f64::from(1 + edge.tried());
            if value > best.1 {
                best = (i, value);
            }
        }
        best.0
    }

    fn add_moves(&mut self, moves: impl Iterator<Item = (Move, f64)>) -> u32 {
        let first = self.edges.len();
        let edge = |(mv, prior)| Edge::new(mv, prior as f32, [NONE; 2]);
        self.edges.extend(moves.map(edge));
        self.add(first, ())
    }
}

/// Mean result, 0 a loss to 1 a win.
fn mean(edge: &Edge<Move, [u32; 2]>) -> f64 {
    edge.sum / f64::from(edge.visits.max(1))
}

fn slot(captured: Option<Colour>) -> usize {
    usize::from(captured == Some(Colour::Red))
}

#[cfg(test)]
mod tests {
    use games::geister::{Placement, Rules};
    use rand::SeedableRng as _;

    use super::super::belief::{BLUNDERS, Belief, Prior};
    use super::*;
    use crate::search::{fan_out, split};

    /// The tree after so many simulations of each thread from the beginning of a game.
    fn tree_of(threads: usize, simulations: u32) -> GhostTree {
        let models = EnemyModels::new(GeisterNetworks::built_in().into());
        let view = View::start(0, Placement::ALL[7], Rules::default());
        let belief = Belief::new(BLUNDERS, Prior::default());
        let root = Root::new(&view, &belief.enemies(&view), Vec::new());
        let tree = Mutex::new(GhostTree::of_threads(threads));
        let job = TreeJob {
            models: &models,
            root: &root,
            plan: &SearchPlan::default(),
            tree: &tree,
            start: Instant::now(),
        };
        let rngs = split(&mut Xoshiro256PlusPlus::seed_from_u64(3), threads);
        let mut workers: Vec<_> = rngs.into_iter().map(|rng| (Searcher::new(), rng)).collect();
        fan_out(&mut workers, |_, (searcher, rng)| {
            searcher.run(&job, simulations, rng);
        });
        tree.into_inner().expect("not poisoned")
    }

    #[test]
    fn threads_share_one_tree() {
        let tree = tree_of(4, 500);
        let visits: u64 = tree.candidates().iter().map(|c| c.trials).sum();
        assert_eq!(visits, 2000);
        assert!(tree.edges.iter().all(|edge| edge.pending == 0));
        // Each position but the root has one move and capture that lead to it.
        let mut entered = vec![0; tree.len()];
        for &child in tree.edges.iter().flat_map(|edge| &edge.child) {
            if child != NONE {
                entered[child as usize] += 1;
            }
        }
        entered[ROOT as usize] += 1;
        assert!(entered.iter().all(|&count| count == 1));
        // In a tree of its own a thread makes 500 simulations, so it visits no position more often.
        assert!(tree.nodes[1..].iter().any(|node| node.visits > 500));
    }

    /// The first visit judges a position without a node. A capture may lead to two positions, of which the second one to be
    /// visited gets a node at once.
    #[test]
    fn a_position_gets_a_node_at_its_second_visit() {
        let tree = tree_of(1, 3000);
        for edge in &tree.edges {
            let nodes = edge.child.into_iter().filter(|&child| child != NONE);
            let visits: u32 = nodes.map(|child| tree.nodes[child as usize].visits).sum();
            assert!(visits == 0 || visits == edge.visits - 1, "{edge:?}");
            assert!(edge.visits < 2 || visits > 0, "{edge:?}");
        }
        assert!(tree.len() < 1500, "{} nodes", tree.len());
    }

    #[test]
    fn small_results_count_after_many_millions() {
        const MORE: u32 = 1 << 20;
        let mut tree = GhostTree::of_threads(1);
        tree.add_moves([("A,N".parse().expect("a move"), 1.0)].into_iter());
        // In `f32` a step is 1 from 2^23 on.
        let before = 1 << 24;
        (tree.edges[0].visits, tree.edges[0].sum) = (before, f64::from(before));
        for _ in 0..MORE {
            tree.edges[0].pending = 1;
            tree.book(&[0], 0.25);
        }
        let due = f64::from(before) + 0.25 * f64::from(MORE);
        assert!((tree.edges[0].sum - due).abs() < 1e-3);
    }

    #[test]
    fn a_move_that_others_are_at_work_on_is_chosen_less() {
        let view = View::start(0, Placement::ALL[0], Rules::default());
        let mut moves = MoveList::new();
        view.legal_moves(&mut moves);
        let mut tree = GhostTree::of_threads(1);
        let node = tree.add_moves(moves.iter().map(|&mv| (mv, 1.0 / moves.len() as f64)));
        tree.node_mut(node).visits = 1;
        let mut chosen = Vec::new();
        for _ in 0..moves.len() {
            let nth = tree.select(node);
            tree.edge(nth).pending += 1;
            chosen.push(nth);
        }
        chosen.sort_unstable();
        assert!(chosen.into_iter().eq(0..moves.len()));
    }
}
