//! The root of a search: its moves with their playouts, and threads that search from it at once.

use std::panic::resume_unwind;

use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A move at the root and its playouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<M> {
    /// The move.
    pub mv: M,
    /// Playouts that began with it.
    pub trials: u64,
    /// Sum of their rewards for the seat to move, 0 to `trials`.
    pub sum: f64,
}

impl<M> Candidate<M> {
    /// Mean reward; 0 without playouts.
    pub fn rate(&self) -> f64 {
        if self.trials == 0 {
            0.0
        } else {
            self.sum / self.trials as f64
        }
    }
}

/// The candidate with the best mean reward, the first among equals; `None` for no candidates.
pub fn best_rate<M>(candidates: &[Candidate<M>]) -> Option<&Candidate<M>> {
    let mut best: Option<&Candidate<M>> = None;
    for candidate in candidates {
        if best.is_none_or(|b| candidate.rate() > b.rate()) {
            best = Some(candidate);
        }
    }
    best
}

/// The candidate with the most playouts, the better mean reward among equals; `None` for no candidates.
pub fn most_tried<M>(candidates: &[Candidate<M>]) -> Option<&Candidate<M>> {
    let mut best: Option<&Candidate<M>> = None;
    for candidate in candidates {
        let is_better = |b: &Candidate<M>| {
            candidate.trials > b.trials
                || candidate.trials == b.trials && candidate.rate() > b.rate()
        };
        if best.is_none_or(is_better) {
            best = Some(candidate);
        }
    }
    best
}

/// Adds up the playouts of the same moves in searches from one root; the moves are those of the first search.
pub fn add_up<M: PartialEq>(searches: Vec<Vec<Candidate<M>>>) -> Vec<Candidate<M>> {
    let mut searches = searches.into_iter();
    let mut candidates = searches.next().unwrap_or_default();
    for more in searches {
        for candidate in &mut candidates {
            for other in more.iter().filter(|other| other.mv == candidate.mv) {
                candidate.trials += other.trials;
                candidate.sum += other.sum;
            }
        }
    }
    candidates
}

/// Returns the random numbers of a thread, counted from 0, by the seed of its engine.
pub fn rng_of(seed: u64, thread: usize) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed ^ (thread as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Splits off random numbers for each of so many threads: `rng` jumps ahead of all of them.
pub fn split(rng: &mut Xoshiro256PlusPlus, threads: usize) -> Vec<Xoshiro256PlusPlus> {
    let own = |_| {
        let own = rng.clone();
        rng.jump();
        own
    };
    (0..threads).map(own).collect()
}

/// Lets all workers search from one root at once, each with memory of its own, and returns what they found in their
/// order. The first searches on the thread that calls.
///
/// Source: T. Cazenave and N. Jouandeau, "On the parallelization of UCT", CGW 2007, 93-101 (root parallelisation).
///
/// # Panics
/// When a worker does: its panic is carried on once all others are done, so that nothing goes on with a part of a
/// search.
pub fn fan_out<W, R>(workers: &mut [W], search: impl Fn(usize, &mut W) -> R + Sync) -> Vec<R>
where
    W: Send,
    R: Send,
{
    let Some((first, others)) = workers.split_first_mut() else {
        return Vec::new();
    };
    let search = &search;
    std::thread::scope(|scope| {
        let spawn = |(thread, worker)| scope.spawn(move || search(thread, worker));
        let handles: Vec<_> = (1..).zip(others).map(spawn).collect();
        let mut found = vec![search(0, first)];
        let carry_on = |panic| resume_unwind(panic);
        found.extend(
            handles
                .into_iter()
                .map(|h| h.join().unwrap_or_else(carry_on)),
        );
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_workers_search_and_their_order_is_kept() {
        for count in 0..4 {
            let mut workers: Vec<usize> = (10..10 + count).collect();
            let found = fan_out(&mut workers, |thread, worker| {
                *worker += 1;
                (thread, *worker)
            });
            assert!(found.into_iter().eq((0..count).map(|n| (n, n + 11))));
        }
    }

    #[test]
    #[should_panic(expected = "thread 2 is lost")]
    fn a_panic_is_carried_on() {
        fan_out(&mut [(); 3], |thread, ()| {
            assert!(thread != 2, "thread {thread} is lost");
        });
    }
}
