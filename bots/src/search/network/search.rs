//! A tree that threads share, its threads, and when a search ends.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use models::NetworkError;

use super::{LeafEvaluator, Networked};
use crate::search::puct::{Puct, Selected};
use crate::search::{Game as _, Shaped, StepTime, is_stopped, lock};

#[derive(Clone, Copy, Debug)]
pub(super) struct GuidedLimits {
    pub(super) simulations: u64,
    pub(super) deadline: Option<Instant>,
    pub(super) batch: usize,
    pub(super) threads: usize,
}

impl GuidedLimits {
    /// Whether there is time for something that takes so long.
    pub(super) fn has_time_for(&self, cost: Duration) -> bool {
        self.deadline
            .is_none_or(|deadline| Instant::now() + cost <= deadline)
    }

    /// Simulations that the time allows at this cost of one on each thread; `None` without a time.
    fn on_time(&self, cost: Duration) -> Option<u64> {
        let left = self.deadline?.saturating_duration_since(Instant::now());
        let each = cost.as_secs_f64().max(1e-9);
        Some((left.as_secs_f64() / each * self.threads as f64) as u64)
    }
}

/// The tree and what is going on in it.
pub(super) struct SharedSearch<G: Networked> {
    state: Mutex<SharedState<G>>,
    changed: Condvar,
}

pub(super) struct SharedState<G: Networked> {
    pub(super) puct: Puct<Shaped<G>>,
    pub(super) simulations: u64,
    /// Evaluations, and the sum of the depths of their positions.
    pub(super) evaluations: u64,
    pub(super) depths: u64,
    pub(super) in_flight: usize,
    pub(super) is_over: bool,
    pub(super) failure: Option<NetworkError>,
}

/// Simulations between two looks at whether the best move can still be overtaken.
const LOOK: u64 = 16;

impl<G: Networked> SharedState<G> {
    /// Whether a simulation may begin, as the last of so many that are evaluated together, each at this cost.
    pub(super) fn may_begin(&self, limits: &GuidedLimits, together: usize, cost: Duration) -> bool {
        let time = cost.saturating_mul(u32::try_from(together).unwrap_or(u32::MAX));
        !self.is_over
            && self.simulations < limits.simulations.max(1)
            && limits.has_time_for(time)
            && !is_stopped()
    }

    /// Ends a search on time whose best move cannot be overtaken any more.
    pub(super) fn look(&mut self, limits: &GuidedLimits, cost: Duration) {
        if !self.simulations.is_multiple_of(LOOK) {
            return;
        }
        if let Some(left) = limits.on_time(cost) {
            let left = left.min(limits.simulations.saturating_sub(self.simulations));
            self.is_over |= self.puct.lead() > left + self.in_flight as u64;
        }
    }
}

impl<G: Networked> SharedSearch<G> {
    pub(super) const fn new(puct: Puct<Shaped<G>>) -> Self {
        Self {
            state: Mutex::new(SharedState {
                puct,
                simulations: 0,
                evaluations: 0,
                depths: 0,
                in_flight: 0,
                is_over: false,
                failure: None,
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, SharedState<G>> {
        lock(&self.state)
    }

    /// Begins a search that is to make about so many simulations.
    pub(super) fn begin(&self, root: &Shaped<G>, simulations: u64) {
        let mut state = self.lock();
        state.puct.begin(root, simulations);
        (state.simulations, state.evaluations, state.depths) = (0, 0, 0);
        (state.in_flight, state.is_over, state.failure) = (0, false, None);
    }

    pub(super) fn wait<'a>(
        &self,
        state: MutexGuard<'a, SharedState<G>>,
    ) -> MutexGuard<'a, SharedState<G>> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wake(&self) {
        self.changed.notify_all();
    }
}

/// A thread of a search, with an evaluator of its own: it takes positions from the tree that all share, has them
/// evaluated and puts them in. The memory is used again.
pub(crate) struct GuidedWorker<E> {
    pub(crate) evaluator: E,
    leaves: Vec<usize>,
    logits: Vec<f32>,
    pub(crate) pace: StepTime,
    /// What the evaluation of a position alone takes at the least: a batch takes longer.
    pub(super) alone: Duration,
}

/// What became of a batch that was to be gathered.
enum Gathered {
    Some,
    /// All ways lead to positions that other threads have evaluated just now.
    Blocked,
    Over,
}

/// Ends the search when its thread panics, so that no other waits for it.
struct Alarm<'a, G: Networked>(&'a SharedSearch<G>);

impl<G: Networked> Drop for Alarm<'_, G> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_over = true;
            self.0.wake();
        }
    }
}

/// Has the beginning of a game evaluated: what is needed later is there, and what it takes is known.
pub(crate) fn try_out<E: LeafEvaluator>(evaluator: &mut E) -> Result<StepTime, NetworkError> {
    let mut moves = Vec::new();
    let start = E::Position::beginning();
    start.moves(&mut moves);
    evaluator.clear();
    evaluator.add(&start, &moves);
    let mut fastest = Duration::MAX;
    // The first time takes longer than all others, unless a second is held up.
    for _ in 0..2 {
        let begin = Instant::now();
        evaluator.evaluate()?;
        fastest = fastest.min(begin.elapsed());
    }
    Ok(StepTime::of(fastest))
}

impl<E: LeafEvaluator> GuidedWorker<E> {
    pub(super) const fn new(evaluator: E) -> Self {
        Self {
            evaluator,
            leaves: Vec::new(),
            logits: Vec::new(),
            pace: StepTime::of(Duration::ZERO),
            alone: Duration::ZERO,
        }
    }

    pub(super) fn try_out(&mut self) -> Result<(), NetworkError> {
        self.pace = try_out(&mut self.evaluator)?;
        self.alone = self.pace.least();
        Ok(())
    }

    pub(super) fn work(&mut self, search: &SharedSearch<E::Position>, limits: &GuidedLimits) {
        let _alarm = Alarm(search);
        let mut state = search.lock();
        loop {
            let begin = Instant::now();
            match self.gather(&mut state, limits) {
                Gathered::Over => return,
                // No answer of a network is under way that could unblock the search.
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

    fn learn(&mut self, spent: Duration) {
        let count = self.leaves.len() as u32;
        self.pace.learn(spent / count.max(1));
        if count == 1 {
            self.alone = self.alone.min(spent);
        }
    }

    /// Takes positions from the tree. The root is evaluated in any case, unless that has failed.
    fn gather(
        &mut self,
        state: &mut MutexGuard<'_, SharedState<E::Position>>,
        limits: &GuidedLimits,
    ) -> Gathered {
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
                    self.evaluator.add(&position.position, moves);
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

    fn supply(&mut self, state: &mut MutexGuard<'_, SharedState<E::Position>>) {
        for (number, &leaf) in self.leaves.iter().enumerate() {
            let value = self.evaluator.answer(number, &mut self.logits);
            state.puct.supply(leaf, &self.logits, &value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_the_time() {
        let limits = |seconds: Option<u64>, threads| GuidedLimits {
            simulations: u64::MAX,
            deadline: seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
            batch: 1,
            threads,
        };
        let cost = Duration::from_secs(1);
        assert_eq!(limits(None, 1).on_time(cost), None);
        // The clock runs on.
        for threads in [1, 3] {
            let all = limits(Some(1000), threads).on_time(cost);
            let all = all.expect("a time") / threads as u64;
            assert!((900..=1000).contains(&all), "{all}");
        }
        assert_eq!(limits(Some(0), 1).on_time(cost), Some(0));
    }
}
