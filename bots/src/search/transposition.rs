//! The transposition table of the searches for two seats.

/// What a stored score is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The value.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// The number of no move: an entry with it is empty.
const NO_MOVE: u16 = u16::MAX;

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    key: u64,
    pub(crate) score: i16,
    /// Plies searched.
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
    /// Number of the best move, below [`NO_MOVE`].
    pub(crate) mv: u16,
    /// The search it comes from.
    age: u8,
}

/// A table of fixed size with pairs of entries: of a pair the shallower or older one is replaced.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    entries: Vec<[Entry; 2]>,
    age: u8,
}

impl TranspositionTable {
    /// With `2^bits` pairs of 16 bytes each.
    pub(crate) fn new(bits: u32) -> Self {
        let empty = Entry {
            key: 0,
            score: 0,
            depth: 0,
            bound: Bound::Lower,
            mv: NO_MOVE,
            age: 0,
        };
        Self {
            entries: vec![[empty; 2]; 1 << bits],
            age: 0,
        }
    }

    /// A new search begins: what is there is old.
    pub(crate) fn grow_old(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        for entry in self.entries.iter_mut().flatten() {
            entry.mv = NO_MOVE;
            entry.depth = 0;
            entry.key = 0;
            entry.age = 0;
        }
        self.age = 0;
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<Entry> {
        let pair = &self.entries[self.index(key)];
        let known = |entry: &&Entry| entry.key == key && entry.mv != NO_MOVE;
        pair.iter().find(known).copied()
    }

    #[inline]
    pub(crate) fn put(&mut self, key: u64, score: i32, depth: i32, bound: Bound, mv: u16) {
        let (age, index) = (self.age, self.index(key));
        let pair = &mut self.entries[index];
        let worth = |entry: &Entry| u32::from(entry.depth) + 64 * u32::from(entry.age == age);
        let slot = if pair[0].key == key {
            0
        } else if pair[1].key == key {
            1
        } else {
            usize::from(worth(&pair[0]) > worth(&pair[1]))
        };
        pair[slot] = Entry {
            key,
            score: score as i16,
            depth: depth.clamp(0, 127) as u8,
            bound,
            mv,
            age,
        };
    }
}
