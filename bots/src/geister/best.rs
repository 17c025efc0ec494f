//! The strongest engine: belief over the enemy's colours, tree search with the policy.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use games::geister::{Colour, Ghost, Move, MoveList, Place, Placement, View};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::Engine;
use super::belief::{Belief, EnemyModels, Prior};
use super::inputs::GeisterNetworks;
use super::opponent::Opponent;
use super::search::{GhostTree, Root, SearchPlan, Searcher, TreeJob};
use super::selfplay::random_placement;
use crate::search::tree::ROOT;
use crate::search::{Candidate, MOST_THREADS, fan_out, lock, most_tried, split};

enum Last {
    /// Without a search, and why.
    Sure(Move, &'static str),
    Searched {
        candidates: Vec<Candidate<Move>>,
        /// The probability of each of them under the policy, at the temperature of the prior.
        priors: Vec<f32>,
        nodes: usize,
        /// The chance that each of the enemy's ghosts is red.
        red: [f64; 8],
    },
}

pub struct GeisterBest {
    models: EnemyModels,
    plan: SearchPlan,
    belief: Belief,
    blunders: f64,
    /// What past games have shown; `None` forgets them.
    opponent: Option<Opponent>,
    searchers: Vec<Searcher>,
    tree: Mutex<GhostTree>,
    /// Boards that own moves of this game have led to.
    past: Vec<[Place; 16]>,
    rng: Xoshiro256PlusPlus,
    last: Option<Last>,
}

impl GeisterBest {
    /// With networks, a plan, the share of moves that the enemy is taken to draw uniformly, whether it learns from finished games,
    /// threads and a seed.
    pub fn new(
        networks: Arc<GeisterNetworks>,
        plan: SearchPlan,
        blunders: f64,
        learns: bool,
        threads: usize,
        seed: u64,
    ) -> Self {
        let threads = threads.clamp(1, MOST_THREADS);
        Self {
            searchers: (0..threads).map(|_| Searcher::new()).collect(),
            tree: Mutex::new(GhostTree::of_threads(threads)),
            models: EnemyModels::new(networks),
            plan,
            belief: Belief::new(blunders, Prior::default()),
            blunders,
            opponent: learns.then(|| Opponent::new(seed)),
            past: Vec::new(),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            last: None,
        }
    }

    fn search(&mut self, root: &Root, limit: Option<Duration>) -> Vec<Candidate<Move>> {
        let plan = SearchPlan {
            time: self.plan.time.into_iter().chain(limit).min(),
            ..self.plan
        };
        let job = TreeJob {
            models: &self.models,
            root,
            plan: &plan,
            tree: &self.tree,
            start: Instant::now(),
        };
        let each = self.plan.simulations.div_ceil(self.searchers.len() as u32);
        let rngs = split(&mut self.rng, self.searchers.len());
        let mut workers: Vec<_> = self.searchers.iter_mut().zip(rngs).collect();
        lock(job.tree).clear();
        fan_out(&mut workers, |_, (searcher, rng)| {
            searcher.run(&job, each, rng);
        });
        lock(job.tree).candidates()
    }
}

impl Engine for GeisterBest {
    fn placement(&mut self) -> Placement {
        random_placement(&mut self.rng)
    }

    fn begin(&mut self, _view: &View) {
        let mut prior = Prior::default();
        if let Some(opponent) = &mut self.opponent {
            prior = opponent.prior();
            opponent.begin();
        }
        self.belief = Belief::new(self.blunders, prior);
        self.past.clear();
    }

    fn choose(&mut self, view: &View, limit: Option<Duration>) -> Move {
        let mut moves = MoveList::new();
        view.legal_moves(&mut moves);
        let escape = view.escape();
        if let Some(mv) = escape.or((moves.len() == 1).then(|| moves[0])) {
            let reason = match escape {
                Some(_) => "escape",
                None => "only move",
            };
            self.last = Some(Last::Sure(mv, reason));
            return mv;
        }
        let enemies = self.belief.enemies(view);
        let repeats = |&mv: &Move| board_after(view, mv).is_some_and(|b| self.past.contains(&b));
        let repeated = moves.iter().copied().filter(repeats).collect();
        let root = Root::new(view, &enemies, repeated);
        let candidates = self.search(&root, limit);
        let best = most_tried(&candidates)
            .expect("the seat is to move, so it has a move")
            .mv;
        let tree = lock(&self.tree);
        self.last = Some(Last::Searched {
            nodes: tree.len(),
            priors: tree.moves(ROOT).iter().map(|edge| edge.prior).collect(),
            red: self.belief.red(view),
            candidates,
        });
        best
    }

    fn observe(&mut self, before: &View, mv: Move, _captured: Option<Colour>) {
        if before.to_move() == Some(before.seat()) {
            self.past.extend(board_after(before, mv));
        } else {
            self.belief.observe(&self.models, before, mv);
            if let Some(opponent) = &mut self.opponent {
                opponent.observe(before, mv);
            }
        }
    }

    fn end(&mut self, view: &View) {
        // With all colours known one placement is left.
        let mut placements = view.placements();
        if let (Some(opponent), Some(enemy), None) =
            (&mut self.opponent, placements.next(), placements.next())
        {
            opponent.reveal(&mut self.models, self.blunders, enemy);
        }
    }

    fn explain(&self) -> Option<Value> {
        Some(match self.last.as_ref()? {
            Last::Sure(mv, reason) => json!({
                "engine": "best",
                "move": mv.to_string(),
                "reason": reason,
            }),
            Last::Searched {
                candidates,
                priors,
                nodes,
                red,
            } => json!({
                "engine": "best",
                "simulations": candidates.iter().map(|c| c.trials).sum::<u64>(),
                "nodes": nodes,
                "red": red,
                "moves": candidates.iter().zip(priors).map(|(c, prior)| json!({
                    "move": c.mv.to_string(),
                    "visits": c.trials,
                    "value": c.rate(),
                    "prior": prior,
                })).collect::<Vec<_>>(),
            }),
        })
    }
}

/// Where all ghosts stand after a move; `None` for one that captures, which no later move can repeat.
fn board_after(view: &View, mv: Move) -> Option<[Place; 16]> {
    let mut after = *view;
    after.follow(mv, None).ok()?;
    let ghosts = |n: usize| Ghost::from_index(n % 8).expect("there are eight");
    Some(std::array::from_fn(|n| {
        let ghost = ghosts(n);
        if n < 8 {
            after.own(ghost).0
        } else {
            after.enemy(ghost).0
        }
    }))
}
