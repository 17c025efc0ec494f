//! Addresses from which wrong tokens come to a port, of an entrant or of watchers: nobody finds a token out by trying.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::config::limits::{MOST_GUESSERS, MOST_WRONG_TOKENS, WRONG_TOKENS_WAIT};
use crate::table::places::whose;

/// The addresses, and how many wrong tokens have come from each. The right one takes none of them back: others may be
/// behind the same address, whose guesses it would begin anew.
#[derive(Debug, Default)]
pub(crate) struct Guesses(Mutex<Vec<Guesser>>);

#[derive(Debug)]
struct Guesser {
    address: IpAddr,
    wrong: u32,
    last: Instant,
}

impl Guesses {
    /// Whether connections of an address are turned away unheard.
    pub(crate) fn is_shut_out(&self, from: IpAddr) -> bool {
        let from = whose(from);
        let is_out = |one: &Guesser| one.address == from && one.wrong >= MOST_WRONG_TOKENS;
        self.known().iter().any(is_out)
    }

    /// A wrong token has come from an address.
    pub(crate) fn wrong(&self, from: IpAddr) {
        let (from, now) = (whose(from), Instant::now());
        let mut known = self.known();
        if let Some(one) = known.iter_mut().find(|one| one.address == from) {
            (one.wrong, one.last) = (one.wrong.saturating_add(1), now);
            return;
        }
        if known.len() >= MOST_GUESSERS {
            // The one that has been quiet longest.
            let quiet = (0..known.len()).min_by_key(|&place| known[place].last);
            quiet.map(|place| known.swap_remove(place));
        }
        known.push(Guesser {
            address: from,
            wrong: 1,
            last: now,
        });
    }

    /// Those of the last minute.
    fn known(&self) -> MutexGuard<'_, Vec<Guesser>> {
        // Each change is whole before anything can panic.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|one| one.last.elapsed() < WRONG_TOKENS_WAIT);
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_with_many_wrong_tokens_is_shut_out_for_a_while() {
        let guesses = Guesses::default();
        for _ in 1..MOST_WRONG_TOKENS {
            guesses.wrong(address(1));
            assert!(!guesses.is_shut_out(address(1)));
        }
        guesses.wrong(address(1));
        assert!(guesses.is_shut_out(address(1)) && !guesses.is_shut_out(address(2)));
        tokio::time::advance(WRONG_TOKENS_WAIT).await;
        assert!(!guesses.is_shut_out(address(1)));
        guesses.wrong(address(1));
        assert!(!guesses.is_shut_out(address(1)), "it begins anew");
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_of_addresses_takes_no_more_room() {
        let guesses = Guesses::default();
        for number in 0..2 * MOST_GUESSERS as u32 {
            guesses.wrong(IpAddr::from((167_772_160 + number).to_be_bytes()));
        }
        assert_eq!(guesses.known().len(), MOST_GUESSERS);
    }
}
