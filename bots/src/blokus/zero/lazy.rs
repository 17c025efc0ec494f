//! `blokus-zero` with a network that is asked only about positions that have been visited often.

use std::sync::Arc;
use std::time::Duration;

use games::blokus::{Board, Placement, Scene};
use log::error;
use serde_json::Value;

use super::engine::{about, follow};
use crate::BuildError;
use crate::blokus::best::{AdvicePlan, Adviser, BestPlan, BlokusBest};
use crate::engine::Engine;
use crate::search::network::{LeafEvaluator, Model, NetworkEvaluator, try_out};
use crate::search::{Budget, Rewards, StepTime};

/// The search of `best`, whose judge of moves and playouts are quick, with a network as its adviser.
pub(in crate::blokus) struct LazyEngine {
    best: BlokusBest,
    scene: Scene,
    moves: Vec<Placement>,
    about: Value,
}

impl LazyEngine {
    /// With a network for each thread. It evaluates a position first, so that a network that cannot play fails here.
    pub(in crate::blokus) fn of_model(
        model: &Arc<Model<Scene>>,
        advice: AdvicePlan,
        budget: Budget,
        threads: usize,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let threads = threads.max(1);
        model.provide(threads)?;
        let defaults = BestPlan::default();
        let score_share = model.score_share(defaults.score_share);
        let plan = BestPlan {
            score_share,
            // The evaluation predicts nothing but shares by score.
            trust: if score_share < 1.0 {
                0.0
            } else {
                defaults.trust
            },
            ..defaults
        };
        let mut advisers: Vec<(Box<dyn Adviser>, StepTime)> = Vec::new();
        for _ in 0..threads {
            let mut network = NetworkEvaluator::new(Arc::clone(model), plan.score_share);
            let pace = try_out(&mut network)?;
            advisers.push((Box::new(network), pace));
        }
        Ok(Self {
            best: BlokusBest::advised(plan, advice, advisers, budget, seed),
            scene: Scene::new(),
            moves: Vec::new(),
            about: about(model, "lazy", advice.visits),
        })
    }
}

impl<E: LeafEvaluator<Position = Scene>> Adviser for E {
    fn advise(
        &mut self,
        scene: &Scene,
        moves: &[Placement],
        logits: &mut Vec<f32>,
    ) -> Option<Rewards> {
        self.clear();
        self.add(scene, moves);
        match self.evaluate() {
            Ok(()) => Some(self.answer(0, logits)),
            Err(failure) => {
                error!("{failure}");
                None
            }
        }
    }
}

impl Engine<Board> for LazyEngine {
    fn choose(&mut self, board: &Board, limit: Option<Duration>) -> Placement {
        follow(&mut self.scene, board, &mut self.moves);
        self.best.choose_in(&self.scene, limit)
    }

    fn new_game(&mut self) {
        self.scene = Scene::new();
    }

    fn explain(&self) -> Option<Value> {
        let mut reasons = self.best.explain()?;
        if let (Value::Object(reasons), Value::Object(about)) = (&mut reasons, &self.about) {
            reasons.insert("engine".to_owned(), "blokus-zero".into());
            if let Some(playouts) = reasons.get("playouts").cloned() {
                reasons.insert("simulations".to_owned(), playouts);
            }
            reasons.extend(about.clone());
        }
        Some(reasons)
    }

    fn values(&self) -> Vec<(Placement, f64, u64)> {
        self.best.values()
    }
}
