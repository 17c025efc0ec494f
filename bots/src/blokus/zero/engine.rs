//! `blokus-zero` as an engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use games::blokus::{Board, Colour, Placement, Scene};
use log::error;
use models::NetworkError;
use serde_json::{Value, json};

use super::playouts::WithPlayouts;
use super::search::Worker;
use super::search::{Limits, Search};
use super::{BuildError, LeafEvaluator, Model, NetworkEvaluator, ZeroOptions};
use crate::blokus::Engine;
use crate::blokus::best::{best_packing, likeliest};
use crate::blokus::engine::NONE;
use crate::search::puct::{Plan, Puct};
use crate::search::{Budget, Candidate, Game as _, Shaped, Stopwatch, fan_out};

/// Moves tried in the search for the best packing, for each simulation of a budget.
const PACKING: u64 = 4;

/// What may be set of a [`ZeroEngine`] beside its budget.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The search.
    pub plan: Plan,
    /// Positions that a thread has evaluated together, at least 1.
    pub batch: usize,
    /// How much of the worth of a game's end is the share by score; the evaluator's values are mixed in the same way.
    pub score_share: f64,
    /// Whether the best packing is looked for once one colour alone can move.
    pub packing: bool,
    /// What [`Engine::explain`] says of the evaluator.
    pub about: Value,
}

/// A network, and playouts if they are wanted.
type Playing = WithPlayouts<NetworkEvaluator>;

/// Why the last move was played.
#[derive(Clone, Copy, Debug)]
enum Reason {
    None,
    /// There was no other.
    Only,
    /// It begins the best packing.
    Exact,
    /// There was no time to evaluate even the position itself: it is the likeliest to the judge of `best`.
    NoTime,
    Search,
}

/// A tree search guided by what evaluates positions. Threads share the tree, each with an evaluator and batches of its own;
/// with one thread and no time the same positions get the same moves.
pub struct ZeroEngine<E> {
    settings: Settings,
    pub(super) budget: Budget,
    search: Search,
    pub(super) workers: Vec<Worker<E>>,
    /// The last position.
    pub(super) scene: Scene,
    moves: Vec<Placement>,
    reason: Reason,
    last: Vec<Candidate<Placement>>,
    chosen: Placement,
}

impl ZeroEngine<Playing> {
    /// With a network, one for each thread. It evaluates a position first, so that a network that cannot play fails here.
    ///
    /// # Errors
    /// The network cannot be run.
    pub fn of_model(
        model: &Arc<Model>,
        options: &ZeroOptions,
        budget: Budget,
        threads: usize,
        seed: u64,
    ) -> Result<Self, BuildError> {
        model.provide(threads.max(1))?;
        let score_share = model.score_share(options.score_share);
        let settings = Settings {
            plan: options.plan(),
            batch: options.batch,
            score_share,
            packing: options.packing,
            about: about(model, "leaf_playouts", options.playouts.count),
        };
        let evaluator = |_| {
            let network = NetworkEvaluator::new(Arc::clone(model), score_share);
            WithPlayouts::new(network, options.playouts, score_share, seed)
        };
        let evaluators = (0..threads.max(1)).map(evaluator).collect();
        Ok(Self::new(evaluators, settings, budget, seed)?)
    }
}

/// What an engine says of its network, and of how often it is asked.
pub(super) fn about(model: &Model, option: &str, number: u32) -> Value {
    json!({
        "model": model.name(),
        "nn_engine": model.engine().to_string(),
        "precision": model.metadata().precision.to_string(),
        option: number,
    })
}

/// Follows the game, so that the moves before the present are known; `moves` is memory.
pub(super) fn follow(scene: &mut Scene, board: &Board, moves: &mut Vec<Placement>) {
    for colour in Colour::ALL {
        if board.is_withdrawn(colour) && !scene.board().is_withdrawn(colour) {
            scene.withdraw(colour);
        }
    }
    if board.moves_since(scene.board(), moves) {
        for &mv in &*moves {
            scene.play_unchecked(mv);
        }
    } else {
        *scene = Scene::from(*board);
    }
}

impl<E: LeafEvaluator> ZeroEngine<E> {
    /// With an evaluator for each thread. Each is tried once.
    ///
    /// # Errors
    /// That of an evaluator.
    pub fn new(
        evaluators: Vec<E>,
        settings: Settings,
        budget: Budget,
        seed: u64,
    ) -> Result<Self, NetworkError> {
        let mut workers: Vec<_> = evaluators.into_iter().map(Worker::new).collect();
        for worker in &mut workers {
            worker.try_out()?;
        }
        Ok(Self {
            search: Search::new(Puct::new(settings.plan, seed)),
            settings,
            budget,
            workers,
            scene: Scene::new(),
            moves: Vec::new(),
            reason: Reason::None,
            last: Vec::new(),
            chosen: NONE,
        })
    }

    /// The first move of the best packing, if one colour alone can move and it is found in half of the time.
    fn pack(&self, board: &Board, budget: Budget) -> Option<Placement> {
        if !self.settings.packing {
            return None;
        }
        let mut watch = Stopwatch::start(Budget {
            playouts: budget.playouts.saturating_mul(PACKING),
            time: budget.time.map(|time| time / 2),
        });
        best_packing(board, &mut watch)
    }

    /// The move of a search, or the likeliest if there is no time to evaluate even the root.
    fn search(&mut self, begin: Instant, budget: Budget) -> (Reason, Placement) {
        let root = Shaped {
            position: self.scene,
            score_share: self.settings.score_share,
        };
        let limits = Limits {
            simulations: budget.playouts,
            deadline: budget.time.and_then(|time| begin.checked_add(time)),
            batch: self.settings.batch.max(1),
            threads: self.workers.len(),
        };
        // A Gumbel root shares out what there will be, on time too.
        let costs = self.workers.iter().map(|worker| worker.pace.usual());
        let cost = costs.sum::<Duration>() / self.workers.len().max(1) as u32;
        self.search.begin(&root, limits.expected(cost));
        // Not by what one takes on average: one hold-up would keep the network out of play for good.
        let alone = self.workers.iter().map(|worker| worker.alone).min();
        if self.search.lock().puct.size() == 0
            && !limits.has_time_for(alone.unwrap_or_default())
            && let Some(mv) = likeliest(self.scene.board())
        {
            return (Reason::NoTime, mv);
        }
        let search = &self.search;
        fan_out(&mut self.workers, |_, worker| worker.work(search, &limits));
        let state = self.search.lock();
        if let Some(failure) = &state.failure {
            error!("{failure}");
        }
        self.last = state.puct.candidates();
        (Reason::Search, state.puct.decide().unwrap_or(NONE))
    }
}

impl<E: LeafEvaluator> Engine for ZeroEngine<E> {
    fn choose(&mut self, board: &Board, limit: Option<Duration>) -> Placement {
        let begin = Instant::now();
        follow(&mut self.scene, board, &mut self.moves);
        self.last.clear();
        let budget = self.budget.within(limit);
        board.legal_moves(&mut self.moves);
        (self.reason, self.chosen) = match self.moves[..] {
            [] => (Reason::None, NONE),
            [only] => (Reason::Only, only),
            _ => match self.pack(board, budget) {
                Some(mv) => (Reason::Exact, mv),
                None => self.search(begin, budget),
            },
        };
        self.chosen
    }

    fn new_game(&mut self) {
        self.scene = Scene::new();
        self.search.lock().puct.forget();
    }

    fn explain(&self) -> Option<Value> {
        let mut reasons = json!({
            "engine": "blokus-zero",
            "move": self.chosen.to_string(),
        });
        match self.reason {
            Reason::None => return None,
            Reason::Only => reasons["only"] = json!(true),
            Reason::Exact => reasons["exact"] = json!(true),
            Reason::NoTime => reasons["no_time"] = json!(true),
            Reason::Search => {
                let state = self.search.lock();
                let best = self
                    .last
                    .iter()
                    .find(|candidate| candidate.mv == self.chosen);
                let most = |worker: &Worker<E>| worker.pace.usual().as_secs_f64() * 1e3;
                reasons["simulations"] = json!(state.simulations);
                reasons["evaluations"] = json!(state.evaluations);
                reasons["depth"] = json!(state.depths as f64 / state.evaluations.max(1) as f64);
                reasons["tree"] = json!(state.puct.size());
                reasons["tried"] = json!(best.map(|best| best.trials));
                reasons["value"] = json!(best.map(Candidate::rate));
                reasons["values"] = json!(state.puct.values());
                reasons["ms_per_simulation"] = json!(self.workers.iter().map(most).next());
            }
        }
        if let (Value::Object(reasons), Value::Object(about)) = (&mut reasons, &self.settings.about)
        {
            reasons.extend(about.clone());
        }
        Some(reasons)
    }

    fn values(&self) -> Vec<(Placement, f64, u64)> {
        let tried = self.last.iter().filter(|c| c.trials > 0);
        tried.map(|c| (c.mv, c.rate(), c.trials)).collect()
    }
}
