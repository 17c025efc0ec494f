//! Work that threads share, and sets of numbers that they fill and empty together.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::thread;

/// Words of a set that a thread takes at a time.
const TAKEN: usize = 1 << 12;

/// Makes `count` things by their numbers on so many threads, which take the next number when they are ready; returns
/// them in order.
pub(super) fn share<T: Send>(
    threads: usize,
    count: usize,
    make: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= count {
                return made;
            }
            made.push((number, make(number)));
        }
    };
    let mut all = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            all.extend(
                other
                    .join()
                    .expect("a thread that shares work does not panic"),
            );
        }
        all
    });
    all.sort_unstable_by_key(|&(number, _)| number);
    all.into_iter().map(|(_, thing)| thing).collect()
}

/// A set of numbers below a limit: a bit for each.
pub(super) struct Bits(Vec<AtomicU64>);

impl Bits {
    pub(super) fn new(limit: u32) -> Bits {
        let words = (limit as usize).div_ceil(64);
        Bits((0..words).map(|_| AtomicU64::new(0)).collect())
    }

    /// Puts a number in; returns whether it was not there.
    #[inline]
    pub(super) fn insert(&self, number: u32) -> bool {
        let bit = 1 << (number % 64);
        let word = &self.0[number as usize / 64];
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| word.load(Relaxed) == 0)
    }

    /// Takes all numbers out on so many threads and calls `f` with each, and with what a part of them is
    /// summed up in. Numbers that are put in meanwhile are taken out as well, or stay there for the next time. Returns
    /// the sums and how many numbers there were.
    pub(super) fn drain<S: Default + Send>(
        &self,
        threads: usize,
        f: impl Fn(&mut S, u32) + Sync,
    ) -> (Vec<S>, u64) {
        let parts = share(threads, self.0.len().div_ceil(TAKEN), |part| {
            let (mut sum, mut count) = (S::default(), 0);
            let from = part * TAKEN;
            let to = self.0.len().min(from + TAKEN);
            for (word, at) in self.0[from..to].iter().zip(from as u32..) {
                if word.load(Relaxed) == 0 {
                    continue;
                }
                let mut bits = word.swap(0, Relaxed);
                count += u64::from(bits.count_ones());
                while bits != 0 {
                    f(&mut sum, at * 64 + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
            (sum, count)
        });
        let count = parts.iter().map(|(_, count)| count).sum();
        (parts.into_iter().map(|(sum, _)| sum).collect(), count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_out_once() {
        let bits = Bits::new(1_000_000);
        for number in (0..1_000_000).step_by(7) {
            assert!(bits.insert(number));
            assert!(!bits.insert(number));
        }
        let (parts, count) = bits.drain(3, |sum: &mut Vec<u32>, number| sum.push(number));
        let all: Vec<u32> = parts.into_iter().flatten().collect();
        assert_eq!(count, all.len() as u64);
        assert!(all.into_iter().eq((0..1_000_000).step_by(7)));
        assert!(bits.is_empty());
    }
}
