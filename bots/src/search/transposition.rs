//! The transposition table of the searches for two seats.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Exact,
    Lower,
    Upper,
}

/// The number of no move: an entry with it is empty. Its bits are turned around in a word, so that an empty table is all
/// zeros, which the system gives without a write.
const NO_MOVE: u16 = u16::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableEntry {
    pub(crate) score: i16,
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
    /// Number of the best move, below [`NO_MOVE`].
    pub(crate) mv: u16,
    age: u8,
}

impl TableEntry {
    const EMPTY: Self = Self {
        score: 0,
        depth: 0,
        bound: Bound::Exact,
        mv: NO_MOVE,
        age: 0,
    };

    const fn to_word(self) -> u64 {
        self.score.cast_unsigned() as u64
            | (self.depth as u64) << 16
            | (self.bound as u64) << 24
            | (self.age as u64) << 32
            | (!self.mv as u64) << 48
    }

    const fn of_word(word: u64) -> Self {
        Self {
            score: (word as u16).cast_signed(),
            depth: (word >> 16) as u8,
            bound: match word >> 24 & 3 {
                0 => Bound::Exact,
                1 => Bound::Lower,
                _ => Bound::Upper,
            },
            mv: !(word >> 48) as u16,
            age: (word >> 32) as u8,
        }
    }

    fn worth(self, age: u8) -> u32 {
        u32::from(self.depth) + 64 * u32::from(self.age == age)
    }
}

/// An entry and its key. Threads write without a lock: the key is stored combined with the entry, so that halves of two
/// entries have a key that no position has, but by chance (R. Hyatt and T. Mann, "A lock-less transposition-table
/// implementation for parallel search", ICGA Journal 25 (2002) 36-39).
#[derive(Debug)]
struct Slot {
    check: AtomicU64,
    word: AtomicU64,
}

impl Slot {
    #[inline]
    fn get(&self) -> (u64, TableEntry) {
        let word = self.word.load(Ordering::Relaxed);
        let key = self.check.load(Ordering::Relaxed) ^ word;
        (key, TableEntry::of_word(word))
    }

    #[inline]
    fn put(&self, key: u64, entry: TableEntry) {
        let word = entry.to_word();
        self.check.store(key ^ word, Ordering::Relaxed);
        self.word.store(word, Ordering::Relaxed);
    }
}

/// A table of fixed size with pairs of entries, which threads share: of a pair the shallower or older one is replaced.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    slots: Vec<[Slot; 2]>,
    /// Searches since it was empty; their number in a byte is the age of their entries.
    searches: AtomicU64,
}

impl TranspositionTable {
    /// With `2^bits` pairs of 32 bytes each.
    pub(crate) fn new(bits: u32) -> Self {
        let slot = |check, word| Slot {
            check: AtomicU64::new(check),
            word: AtomicU64::new(word),
        };
        // The words stay where they are: memory that no search touches is never written.
        let empty = vec![[0_u64; 4]; 1 << bits];
        let pairs = empty.into_iter();
        Self {
            slots: pairs.map(|[a, b, c, d]| [slot(a, b), slot(c, d)]).collect(),
            searches: AtomicU64::new(0),
        }
    }

    /// A new search begins: what is there is old.
    pub(crate) fn grow_old(&self) {
        self.searches.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn clear(&self) {
        if self.searches.swap(0, Ordering::Relaxed) > 0 {
            for slot in self.slots.iter().flatten() {
                slot.put(0, TableEntry::EMPTY);
            }
        }
    }

    #[inline]
    fn pair(&self, key: u64) -> &[Slot; 2] {
        &self.slots[key as usize & (self.slots.len() - 1)]
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<TableEntry> {
        let entries = self.pair(key).iter().map(Slot::get);
        let mut known = entries.filter(|(has, entry)| *has == key && entry.mv != NO_MOVE);
        known.next().map(|(_, entry)| entry)
    }

    #[inline]
    pub(crate) fn put(&self, key: u64, score: i32, depth: i32, bound: Bound, mv: u16) {
        let age = self.searches.load(Ordering::Relaxed) as u8;
        let pair = self.pair(key);
        let [first, second] = [pair[0].get(), pair[1].get()];
        let slot = if first.0 == key {
            0
        } else if second.0 == key {
            1
        } else {
            usize::from(first.1.worth(age) > second.1.worth(age))
        };
        let entry = TableEntry {
            score: score as i16,
            depth: depth.clamp(0, 127) as u8,
            bound,
            mv,
            age,
        };
        pair[slot].put(key, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_what_was_put() {
        let table = TranspositionTable::new(3);
        table.grow_old();
        let bounds = [Bound::Exact, Bound::Lower, Bound::Upper];
        for (i, score) in [-20_000, -1, 0, 1, 20_000].into_iter().enumerate() {
            for bound in bounds {
                let key = 0x9e37_79b9_7f4a_7c15_u64.rotate_left(i as u32);
                table.put(key, score, 60 + i as i32, bound, 63);
                let entry = table.get(key).expect("it was put");
                let score = i32::from(entry.score) == score;
                assert!(score && entry.bound == bound, "{entry:?}");
                assert_eq!((entry.depth, entry.mv), (60 + i as u8, 63));
                assert_eq!(table.get(key ^ 1 << 40), None);
            }
        }
    }

    /// Memory of zeros is an empty table, and no number of searches leaves anything behind.
    #[test]
    fn a_cleared_table_is_empty() {
        assert_eq!(TableEntry::EMPTY.to_word(), 0);
        let table = TranspositionTable::new(3);
        for searches in [0, 1, 255, 256, 257] {
            let empty = |key: u64| table.get(key).is_none();
            assert!((0..64).all(empty), "{searches}");
            for _ in 0..searches {
                table.grow_old();
                for key in 0..64 {
                    table.put(key, 5, 5, Bound::Exact, 5);
                }
            }
            assert_eq!((0..64).all(empty), searches == 0);
            table.clear();
        }
        assert!((0..64).all(|key| table.get(key).is_none()));
    }

    /// Words of an entry never get the key of another one, whatever order threads write in.
    #[test]
    fn threads_see_whole_entries() {
        let table = TranspositionTable::new(0);
        std::thread::scope(|scope| {
            for thread in 0..2_u64 {
                let table = &table;
                scope.spawn(move || {
                    for i in 0..50_000_u64 {
                        let key = 2 * (i % 7) + thread;
                        table.put(key, key as i32, key as i32, Bound::Exact, key as u16);
                        for key in 0..14 {
                            let score = table.get(key).map(|entry| entry.score);
                            assert!(score.is_none_or(|score| i64::from(score) == key as i64));
                        }
                    }
                });
            }
        });
    }
}
