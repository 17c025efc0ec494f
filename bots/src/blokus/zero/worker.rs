//! A thread of a search.

use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use games::blokus::Scene;
use models::NetworkError;

use super::LeafEvaluator;
use super::search::{Limits, Search, State};
use crate::search::Pace;
use crate::search::puct::Selected;

/// A thread of a search, with an evaluator of its own: it takes positions from the tree that all share, has them
/// evaluated and puts them in. The memory is used again.
pub(super) struct Worker<E> {
    pub(super) evaluator: E,
    /// The leaves of the batch.
    leaves: Vec<usize>,
    logits: Vec<f32>,
    /// What a simulation takes.
    pub(super) pace: Pace,
    /// What the evaluation of a position alone takes at the least: a batch takes longer.
    pub(super) alone: Duration,
}

/// What became of a batch that was to be gathered.
enum Gathered {
    /// There are positions to evaluate.
    Some,
    /// All ways lead to positions that other threads have evaluated just now.
    Blocked,
    /// The search is over.
    Over,
}

/// Ends the search when its thread panics, so that no other waits for it.
struct Alarm<'a>(&'a Search);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_over = true;
            self.0.wake();
        }
    }
}

/// Has the beginning of a game evaluated: what is needed later is there, and what it takes is known.
pub(super) fn try_out<E: LeafEvaluator>(evaluator: &mut E) -> Result<Pace, NetworkError> {
    let mut moves = Vec::new();
    let start = Scene::new();
    start.board().legal_moves(&mut moves);
    evaluator.clear();
    evaluator.add(&start, &moves);
    let mut fastest = Duration::MAX;
    // The first time takes longer than all others, unless a second is held up.
    for _ in 0..2 {
        let begin = Instant::now();
        evaluator.evaluate()?;
        fastest = fastest.min(begin.elapsed());
    }
    Ok(Pace::of(fastest))
}

impl<E: LeafEvaluator> Worker<E> {
    pub(super) const fn new(evaluator: E) -> Self {
        Self {
            evaluator,
            leaves: Vec::new(),
            logits: Vec::new(),
            pace: Pace::of(Duration::ZERO),
            alone: Duration::ZERO,
        }
    }

    /// Tries the evaluator out.
    pub(super) fn try_out(&mut self) -> Result<(), NetworkError> {
        self.pace = try_out(&mut self.evaluator)?;
        self.alone = self.pace.least();
        Ok(())
    }

    /// Searches until the search is over.
    pub(super) fn work(&mut self, search: &Search, limits: &Limits) {
        let _alarm = Alarm(search);
        let mut state = search.lock();
        loop {
            let begin = Instant::now();
            match self.gather(&mut state, limits) {
                Gathered::Over => return,
                // Nobody is there to wait for.
                Gathered::Blocked if state.in_flight == 0 => return,
                Gathered::Blocked => state = search.wait(state),
                Gathered::Some => {
                    drop(state);
                    let result = self.evaluator.evaluate();
                    state = search.lock();
                    state.in_flight -= self.leaves.len();
                    match result {
                        Ok(()) => {
                            self.supply(&mut state);
                            self.learn(begin.elapsed());
                        }
                        Err(failure) => {
                            state.failure = Some(failure);
                            state.is_over = true;
                        }
                    }
                    state.look(limits, self.pace.usual());
                    search.wake();
                }
            }
        }
    }

    /// Learns from what a batch took.
    fn learn(&mut self, spent: Duration) {
        let count = self.leaves.len() as u32;
        self.pace.learn(spent / count.max(1));
        if count == 1 {
            self.alone = self.alone.min(spent);
        }
    }

    /// Takes positions from the tree. The root is evaluated in any case, unless that has failed.
    fn gather(&mut self, state: &mut MutexGuard<'_, State>, limits: &Limits) -> Gathered {
        self.leaves.clear();
        self.evaluator.clear();
        let end = loop {
            if self.leaves.len() >= limits.batch {
                break Gathered::Some;
            }
            // A thread that fails may leave a search that is over and knows nothing.
            if state.is_over {
                break Gathered::Over;
            }
            let is_known = state.puct.size() > 0;
            if is_known && !state.may_begin(limits, self.leaves.len() + 1, self.pace.usual()) {
                break Gathered::Over;
            }
            match state.puct.select() {
                Selected::Leaf(number) => {
                    let depth = state.puct.depth(number);
                    // The evaluation of the root is no simulation.
                    state.simulations += u64::from(depth > 0);
                    state.depths += depth as u64;
                    state.evaluations += 1;
                    let (position, moves) = state.puct.leaf(number);
                    self.evaluator.add(&position.scene, moves);
                    self.leaves.push(number);
                }
                Selected::Over if is_known => {
                    state.simulations += 1;
                    state.look(limits, self.pace.usual());
                }
                Selected::Over => break Gathered::Over,
                Selected::Waits => break Gathered::Blocked,
            }
        };
        if self.leaves.is_empty() {
            return end;
        }
        state.in_flight += self.leaves.len();
        Gathered::Some
    }

    /// Puts the answers into the tree.
    fn supply(&mut self, state: &mut MutexGuard<'_, State>) {
        for (number, &leaf) in self.leaves.iter().enumerate() {
            let value = self.evaluator.answer(number, &mut self.logits);
            state.puct.supply(leaf, &self.logits, &value);
        }
    }
}
