//! Threads that search from one root at once, and their random numbers.

use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::StopFlag;

pub const MOST_THREADS: usize = 256;

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

/// Locks what threads share, also after one of them has panicked. In a search [`fan_out`] carries that panic on.
pub fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets all workers search from one root at once, and returns what they found in their order. The first searches on the thread
/// that calls; the flag that may end its search ends all.
///
/// # Panics
/// With the panic of a worker, once all other workers are done: a search never continues with the results of some
/// workers only.
pub fn fan_out<W, R>(workers: &mut [W], search: impl Fn(usize, &mut W) -> R + Sync) -> Vec<R>
where
    W: Send,
    R: Send,
{
    let Some((first, others)) = workers.split_first_mut() else {
        return Vec::new();
    };
    let (search, stop) = (&search, &StopFlag::of_thread());
    std::thread::scope(|scope| {
        let spawn = |(thread, worker)| scope.spawn(move || stop.guard(|| search(thread, worker)));
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
