//! Transposition table.

/// What is known of positions, by hash. Each place keeps the newest entry: the table forgets, and it trusts
/// that two positions have different hashes.
#[derive(Debug)]
pub(super) struct Table<T> {
    slots: Vec<Option<(u64, T)>>,
    salt: u64,
}

impl<T: Copy> Table<T> {
    /// With 2^`bits` places.
    pub(super) fn new(bits: u32) -> Self {
        Self {
            slots: vec![None; 1 << bits],
            salt: 0,
        }
    }

    /// Forgets everything.
    pub(super) const fn clear(&mut self) {
        // Entries of other salts are never found again.
        self.salt = self.salt.wrapping_add(0x9e37_79b9_7f4a_7c15);
    }

    #[inline]
    const fn place(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }

    /// What was stored last under a hash, if it is still there.
    #[inline]
    pub(super) fn get(&self, hash: u64) -> Option<&T> {
        let key = hash ^ self.salt;
        match &self.slots[self.place(key)] {
            Some((stored, entry)) if *stored == key => Some(entry),
            _ => None,
        }
    }

    /// Stores an entry.
    #[inline]
    pub(super) fn put(&mut self, hash: u64, entry: T) {
        let key = hash ^ self.salt;
        let place = self.place(key);
        self.slots[place] = Some((key, entry));
    }
}
