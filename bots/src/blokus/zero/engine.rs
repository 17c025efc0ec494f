//! `blokus-zero` as an engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use games::blokus::{Board, Colour, Placement, Scene};
use models::NetworkError;
use serde_json::{Value, json};

use super::BlokusZeroOptions;
use super::playouts::WithPlayouts;
use crate::BuildError;
use crate::blokus::best::{best_packing, likeliest};
use crate::blokus::engine::NONE;
use crate::engine::Engine;
use crate::search::network::{Allowed, Guided, LeafEvaluator, Model, NetworkEvaluator};
use crate::search::puct::PuctPlan;
use crate::search::{Budget, Candidate, Game as _};

#[derive(Clone, Debug)]
pub struct ZeroSettings {
    pub plan: PuctPlan,
    /// Positions that a thread has evaluated together, at least 1.
    pub batch: usize,
    /// How much of the worth of a game's end is the share by score; the evaluator's values are mixed in the same way.
    pub score_share: f64,
    /// What [`Engine::explain`] says of the evaluator.
    pub about: Value,
}

type Playing = WithPlayouts<NetworkEvaluator<Scene>>;

#[derive(Clone, Copy, Debug)]
enum MoveReason {
    None,
    /// There was no other.
    Only,
    Exact,
    /// There was no time to evaluate even the position itself: it is the likeliest to the judge of `best`.
    NoTime,
    Search,
}

/// A tree search guided by what evaluates positions. Threads share the tree, each with an evaluator and batches of its own;
/// with one thread and no time the same positions get the same moves.
pub struct ZeroEngine<E: LeafEvaluator<Position = Scene>> {
    settings: ZeroSettings,
    pub(super) budget: Budget,
    pub(super) guided: Guided<E>,
    pub(super) scene: Scene,
    moves: Vec<Placement>,
    reason: MoveReason,
    last: Vec<Candidate<Placement>>,
    chosen: Placement,
}

impl ZeroEngine<Playing> {
    /// With a network, one for each thread. It evaluates a position first, so that a network that cannot play fails here.
    pub fn of_model(
        model: &Arc<Model<Scene>>,
        options: &BlokusZeroOptions,
        budget: Budget,
        threads: usize,
        seed: u64,
    ) -> Result<Self, BuildError> {
        model.provide(threads.max(1))?;
        let score_share = model.score_share(BlokusZeroOptions::SCORE_SHARE);
        let settings = ZeroSettings {
            plan: options.plan(),
            batch: options.batch,
            score_share,
            about: about(model, "leaf_playouts", options.leaf_playouts),
        };
        let evaluator = |_| {
            let network = NetworkEvaluator::new(Arc::clone(model), score_share);
            WithPlayouts::new(network, options.leaf_playouts, score_share, seed)
        };
        let evaluators = (0..threads.max(1)).map(evaluator).collect();
        Ok(Self::new(evaluators, settings, budget, seed)?)
    }
}

/// What an engine says of its network, and of how often it is asked.
pub(super) fn about(model: &Model<Scene>, option: &str, number: u32) -> Value {
    let mut about = model.about();
    about[option] = number.into();
    about
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

impl<E: LeafEvaluator<Position = Scene>> ZeroEngine<E> {
    /// With an evaluator for each thread. Each is tried once.
    pub fn new(
        evaluators: Vec<E>,
        settings: ZeroSettings,
        budget: Budget,
        seed: u64,
    ) -> Result<Self, NetworkError> {
        let ZeroSettings {
            plan,
            batch,
            score_share,
            ..
        } = settings;
        Ok(Self {
            guided: Guided::new(evaluators, plan, batch, score_share, seed)?,
            settings,
            budget,
            scene: Scene::new(),
            moves: Vec::new(),
            reason: MoveReason::None,
            last: Vec::new(),
            chosen: NONE,
        })
    }

    /// The move of a search, or the likeliest if there is no time to evaluate even the root.
    fn search(&mut self, begin: Instant, budget: Budget) -> (MoveReason, Placement) {
        if self.guided.search(&self.scene, &Allowed { begin, budget }) {
            self.last = self.guided.candidates();
            return (MoveReason::Search, self.guided.decide().unwrap_or(NONE));
        }
        let likeliest = likeliest(self.scene.board());
        (
            MoveReason::NoTime,
            likeliest.expect("there are moves to choose from"),
        )
    }
}

impl<E: LeafEvaluator<Position = Scene>> Engine<Board> for ZeroEngine<E> {
    fn choose(&mut self, board: &Board, limit: Option<Duration>) -> Placement {
        let begin = Instant::now();
        follow(&mut self.scene, board, &mut self.moves);
        self.last.clear();
        let budget = self.budget.within(limit);
        board.legal_moves(&mut self.moves);
        (self.reason, self.chosen) = match self.moves[..] {
            [] => (MoveReason::None, NONE),
            [only] => (MoveReason::Only, only),
            _ => match best_packing(board, budget) {
                Some(mv) => (MoveReason::Exact, mv),
                None => self.search(begin, budget),
            },
        };
        self.chosen
    }

    fn new_game(&mut self) {
        self.scene = Scene::new();
        self.guided.forget();
    }

    fn explain(&self) -> Option<Value> {
        let mut reasons = json!({
            "engine": "blokus-zero",
            "move": self.chosen.to_string(),
        });
        match self.reason {
            MoveReason::None => return None,
            MoveReason::Only => reasons["only"] = json!(true),
            MoveReason::Exact => reasons["exact"] = json!(true),
            MoveReason::NoTime => reasons["no_time"] = json!(true),
            MoveReason::Search => {
                self.guided.explain(&self.last, self.chosen, &mut reasons);
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
