//! Random choices.

use rand::Rng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The bits below this one are the orientations of pieces of less than five squares.
const SMALL: u32 = 28;

/// A number below `n`, uniform but for 2^-32 n (D. Lemire, "Fast random integer generation in an
/// interval", ACM TOMACS 29 (2019), without the last correction).
#[inline]
pub(super) fn below(n: u32, rng: &mut Xoshiro256PlusPlus) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(n)) >> 32) as u32
}

/// The number of one of the bits of a set of orientations that is not empty, each equally likely.
#[inline]
pub(super) fn any_bit(set: u128, rng: &mut Xoshiro256PlusPlus) -> u32 {
    let (small, large) = (set as u64 & ((1 << SMALL) - 1), (set >> SMALL) as u64);
    if small == 0 {
        return SMALL + any_of(large, 63, rng);
    }
    if large == 0 {
        return any_of(small, SMALL, rng);
    }
    let count = small.count_ones();
    if below(count + large.count_ones(), rng) < count {
        any_of(small, SMALL, rng)
    } else {
        SMALL + any_of(large, 63, rng)
    }
}

/// One of the bits of a set that is not empty and lies below bit `end`.
#[inline]
fn any_of(mut set: u64, end: u32, rng: &mut Xoshiro256PlusPlus) -> u32 {
    // Most sets are dense, so guessing is faster than counting.
    for _ in 0..3 {
        let bit = below(end, rng);
        if set >> bit & 1 == 1 {
            return bit;
        }
    }
    for _ in 0..below(set.count_ones(), rng) {
        set &= set - 1;
    }
    set.trailing_zeros()
}
