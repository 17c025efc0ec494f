//! Tokens of seats.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Makes tokens that cannot be guessed: a keyed hash with a key from the system's randomness, of a
/// number that counts up.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    key: RandomState,
    count: u64,
}

impl Tokens {
    /// The next token: 32 hexadecimal digits.
    pub(crate) fn next(&mut self) -> String {
        self.count += 1;
        let half = |part: u8| {
            let mut hasher = self.key.build_hasher();
            hasher.write_u64(self.count);
            hasher.write_u8(part);
            hasher.finish()
        };
        format!("{:016x}{:016x}", half(0), half(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ() {
        let mut tokens = Tokens::default();
        let mut all: Vec<String> = (0..1000).map(|_| tokens.next()).collect();
        all.push(Tokens::default().next());
        assert!(all.iter().all(|token| token.len() == 32));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1001);
    }
}
