//! A tree that threads share, and when a search ends.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use models::NetworkError;

use super::position::Shaped;
use crate::search::puct::Puct;

/// What a search may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) simulations: u64,
    pub(super) deadline: Option<Instant>,
    /// Positions that a thread has evaluated together.
    pub(super) batch: usize,
    pub(super) threads: usize,
}

impl Limits {
    /// Whether there is time for something that takes so long.
    pub(super) fn has_time_for(&self, cost: Duration) -> bool {
        self.deadline
            .is_none_or(|deadline| Instant::now() + cost <= deadline)
    }

    /// Simulations that the search is likely to make at this cost of one on each thread, at least 1.
    pub(super) fn expected(&self, cost: Duration) -> u64 {
        let on_time = self.on_time(cost).unwrap_or(u64::MAX);
        on_time.min(self.simulations).max(1)
    }

    /// Simulations that there is time for.
    fn on_time(&self, cost: Duration) -> Option<u64> {
        let left = self.deadline?.saturating_duration_since(Instant::now());
        let each = cost.as_secs_f64().max(1e-9);
        Some((left.as_secs_f64() / each * self.threads as f64) as u64)
    }
}

/// The tree and what is going on in it.
pub(super) struct Search {
    state: Mutex<State>,
    /// Positions have been evaluated.
    changed: Condvar,
}

pub(super) struct State {
    pub(super) puct: Puct<Shaped>,
    /// Simulations begun.
    pub(super) simulations: u64,
    /// Evaluations, and the sum of the depths of their positions.
    pub(super) evaluations: u64,
    pub(super) depths: u64,
    /// Positions under way.
    pub(super) in_flight: usize,
    pub(super) is_over: bool,
    pub(super) failure: Option<NetworkError>,
}

/// Simulations between two looks at whether the best move can still be overtaken.
const LOOK: u64 = 16;

impl State {
    /// Whether a simulation may begin, as the last of so many that are evaluated together, each at this cost.
    pub(super) fn may_begin(&self, limits: &Limits, together: usize, cost: Duration) -> bool {
        let time = cost.saturating_mul(u32::try_from(together).unwrap_or(u32::MAX));
        !self.is_over && self.simulations < limits.simulations.max(1) && limits.has_time_for(time)
    }

    /// Ends a search on time whose best move cannot be overtaken any more.
    pub(super) fn look(&mut self, limits: &Limits, cost: Duration) {
        if !self.simulations.is_multiple_of(LOOK) {
            return;
        }
        if let Some(left) = limits.on_time(cost) {
            let left = left.min(limits.simulations.saturating_sub(self.simulations));
            self.is_over |= self.puct.lead() > left + self.in_flight as u64;
        }
    }
}

impl Search {
    pub(super) const fn new(puct: Puct<Shaped>) -> Self {
        Self {
            state: Mutex::new(State {
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

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a search that is to make about so many simulations.
    pub(super) fn begin(&self, root: &Shaped, simulations: u64) {
        let mut state = self.lock();
        state.puct.begin(root, simulations);
        (state.simulations, state.evaluations, state.depths) = (0, 0, 0);
        (state.in_flight, state.is_over, state.failure) = (0, false, None);
    }

    /// Waits until another thread has evaluated something.
    pub(super) fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the threads that wait.
    pub(super) fn wake(&self) {
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_is_what_there_is_time_and_budget_for() {
        let limits = |simulations, seconds: Option<u64>, threads| Limits {
            simulations,
            deadline: seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
            batch: 1,
            threads,
        };
        let cost = Duration::from_secs(1);
        assert_eq!(limits(70, None, 1).expected(cost), 70);
        assert_eq!(limits(70, Some(1000), 1).expected(cost), 70);
        // The clock runs on.
        let all = limits(u64::MAX, Some(1000), 1).expected(cost);
        assert!((900..=1000).contains(&all), "{all}");
        let all = limits(u64::MAX, Some(1000), 3).expected(cost);
        assert!((2700..=3000).contains(&all), "{all}");
        assert_eq!(limits(u64::MAX, Some(0), 1).expected(cost), 1);
    }
}
