//! A search with its threads, as engines use it.

use std::time::Instant;

use log::error;
use models::NetworkError;
use serde_json::{Value, json};

use super::LeafEvaluator;
use super::search::{GuidedLimits, GuidedWorker, SharedSearch};
use crate::search::puct::{Puct, PuctPlan};
use crate::search::{Budget, Candidate, Game, Rewards, Shaped, fan_out};

#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    pub begin: Instant,
    pub budget: Budget,
}

/// A tree search guided by what evaluates positions. Threads share the tree, each with an evaluator and batches of its
/// own; with one thread and no time the same positions get the same moves.
pub struct Guided<E: LeafEvaluator> {
    search: SharedSearch<E::Position>,
    pub(crate) workers: Vec<GuidedWorker<E>>,
    batch: usize,
    score_share: f64,
}

type Move<E> = <<E as LeafEvaluator>::Position as Game>::Move;

impl<E: LeafEvaluator> Guided<E> {
    /// With an evaluator for each thread, each of which has so many positions evaluated together; the ends of games are
    /// worth what the evaluator's values say with this share of the score in them. Each evaluator is tried once.
    pub fn new(
        evaluators: Vec<E>,
        plan: PuctPlan,
        batch: usize,
        score_share: f64,
        seed: u64,
    ) -> Result<Self, NetworkError> {
        let mut workers: Vec<_> = evaluators.into_iter().map(GuidedWorker::new).collect();
        for worker in &mut workers {
            worker.try_out()?;
        }
        Ok(Self {
            search: SharedSearch::new(Puct::new(plan, seed)),
            workers,
            batch: batch.max(1),
            score_share,
        })
    }

    /// Searches from a position whose game is not over; `false` if there was no time to evaluate even the position itself. A
    /// failure of an evaluator ends the search with what is known.
    pub fn search(&mut self, position: &E::Position, allowed: &Allowed) -> bool {
        let Allowed { begin, budget } = *allowed;
        let root = Shaped {
            position: position.clone(),
            score_share: self.score_share,
        };
        let limits = GuidedLimits {
            simulations: budget.playouts,
            deadline: budget.time.and_then(|time| begin.checked_add(time)),
            batch: self.batch,
            threads: self.workers.len(),
        };
        self.search.begin(&root, budget.playouts);
        // Not by what one takes on average: one hold-up would keep the network out of play for good.
        let alone = self.workers.iter().map(|worker| worker.alone).min();
        if self.search.lock().puct.size() == 0 && !limits.has_time_for(alone.unwrap_or_default()) {
            return false;
        }
        let search = &self.search;
        fan_out(&mut self.workers, |_, worker| worker.work(search, &limits));
        if let Some(failure) = &self.search.lock().failure {
            error!("{failure}");
        }
        true
    }

    pub fn forget(&mut self) {
        self.search.lock().puct.forget();
    }

    /// The move to play; `None` if nothing is known.
    pub fn decide(&self) -> Option<Move<E>> {
        self.search.lock().puct.decide()
    }

    pub fn candidates(&self) -> Vec<Candidate<Move<E>>> {
        self.search.lock().puct.candidates()
    }

    /// The mean of what the simulations of the last search came to, for each seat; `None` before the first.
    pub fn values(&self) -> Option<Rewards> {
        self.search.lock().puct.values()
    }

    pub fn simulations(&self) -> u64 {
        self.search.lock().simulations
    }

    /// Writes why a move was chosen among the candidates into the reasons of an engine.
    pub fn explain(&self, candidates: &[Candidate<Move<E>>], chosen: Move<E>, reasons: &mut Value) {
        let state = self.search.lock();
        let best = candidates.iter().find(|candidate| candidate.mv == chosen);
        let most = |worker: &GuidedWorker<E>| worker.pace.usual().as_secs_f64() * 1e3;
        let values = state.puct.values();
        reasons["simulations"] = json!(state.simulations);
        reasons["evaluations"] = json!(state.evaluations);
        reasons["depth"] = json!(state.depths as f64 / state.evaluations.max(1) as f64);
        reasons["tree"] = json!(state.puct.size());
        reasons["tried"] = json!(best.map(|best| best.trials));
        reasons["value"] = json!(best.map(Candidate::rate));
        reasons["values"] = json!(values.map(|values| values[..E::Position::SEATS].to_vec()));
        reasons["ms_per_simulation"] = json!(self.workers.iter().map(most).next());
    }
}
