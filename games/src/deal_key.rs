//! Keys of deals: 256 bits from which all follows that a dealer draws in one match, and the commitment to one that may
//! be published before the match.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// The key of a match or of a deal. It is secret until the match is over, so its `Debug` does not show it; its `Display`
/// does, as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "String", try_from = "String")
)]
pub struct DealKey([u8; 32]);

/// A text that is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key has 64 hexadecimal digits")]
pub struct NoKey;

impl DealKey {
    /// The key of these bytes, which should come from the system's randomness.
    pub const fn new(bytes: [u8; 32]) -> DealKey {
        DealKey(bytes)
    }

    /// Its bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key that stands for a seed, in tests and repeated matches. A player that guesses the seed has the key.
    pub fn of_seed(seed: u64) -> DealKey {
        hashed("taikyoku key of seed", &[&seed.to_le_bytes()])
    }

    /// The key of a part of what has this key, such as one game of several. A key of a part tells nothing about this one
    /// or those of other parts.
    #[must_use]
    pub fn part(&self, name: &str, numbers: &[u32]) -> DealKey {
        let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        hashed(
            "taikyoku key of part",
            &[&self.0, name.as_bytes(), &[0], &numbers],
        )
    }

    /// A seed for generators that have no more than 64 bits of it: the first eight bytes.
    pub const fn seed(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    /// The commitment to this key in the match of this name: it fixes the key, and does not tell it.
    pub fn commitment(&self, id: &str) -> String {
        hashed("taikyoku commitment", &[id.as_bytes(), &[0], &self.0]).to_string()
    }
}

/// SHA-256 of a domain, a zero byte and the parts.
fn hashed(domain: &str, parts: &[&[u8]]) -> DealKey {
    let mut hash = Sha256::new_with_prefix(domain);
    hash.update([0]);
    for part in parts {
        hash.update(part);
    }
    DealKey(hash.finalize().into())
}

impl fmt::Debug for DealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DealKey(secret)")
    }
}

impl fmt::Display for DealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for DealKey {
    type Err = NoKey;

    fn from_str(text: &str) -> Result<DealKey, NoKey> {
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(NoKey);
        let mut key = [0; 32];
        if text.len() != 2 * key.len() {
            return Err(NoKey);
        }
        for (byte, pair) in key.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(DealKey(key))
    }
}

impl From<DealKey> for String {
    fn from(key: DealKey) -> String {
        key.to_string()
    }
}

impl TryFrom<String> for DealKey {
    type Error = NoKey;

    fn try_from(text: String) -> Result<DealKey, NoKey> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_prints_what_it_reads_and_hides_from_debug() {
        let key = DealKey::of_seed(7);
        assert_eq!(key.to_string().parse(), Ok(key));
        assert_eq!(format!("{key:?}"), "DealKey(secret)");
        for text in ["", "0", &"g".repeat(64), &"é".repeat(32), &"0".repeat(63)] {
            assert_eq!(text.parse::<DealKey>(), Err(NoKey), "{text}");
        }
    }

    #[test]
    fn keys_and_commitments_are_sha_256_with_a_domain() {
        // From Python's hashlib, by the definition in docs/daihinmin.md.
        let key = DealKey::of_seed(7);
        let due = "62a0a9a997bf80ffc2edd9dfb38b31f1b3d72248b9cdaa1e7498b7f2bf5a3265";
        assert_eq!(key.to_string(), due);
        let due = "deb2fcafc967d4da74ba6d88eed509ac4fcfdda48144ff7296b97fd2e2718612";
        assert_eq!(key.part("game", &[1, 2]).to_string(), due);
        let due = "a1f1c44a197bc0e0be285611ea2c14014fe7c9b9bb19f095e3460d8f84a94284";
        assert_eq!(key.commitment("match-1"), due);
        assert_ne!(key.commitment("match-2"), due);
        assert_eq!(key.seed().to_le_bytes(), key.bytes()[..8]);
    }
}
