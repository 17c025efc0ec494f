//! Clients that are being greeted, each in a task of its own, and which of them goes when there are too many;
//! those whose token is wrong.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use program::{Permits, network_of};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::config::limits::{MOST_GREETED, MOST_WRONG_TOKENS, WRONG_TOKEN_WAIT};
use crate::lobby::CLIENTS;

/// The greetings at a door, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Handshakes(Arc<Mutex<Vec<Begun>>>);

#[derive(Debug)]
struct Begun {
    from: IpAddr,
    called_off: CancellationToken,
}

/// A greeting that goes on until this is dropped.
#[derive(Debug)]
pub struct Handshake {
    all: Handshakes,
    called_off: CancellationToken,
}

impl Handshakes {
    /// Begins to greet a client. If there are too many already, the greeting of another is called off.
    pub fn begin(&self, from: IpAddr) -> Handshake {
        let called_off = CancellationToken::new();
        let begun = Begun {
            from: network_of(from),
            called_off: called_off.clone(),
        };
        let mut all = self.all();
        if all.len() >= MOST_GREETED {
            let addresses: Vec<IpAddr> = all.iter().map(|begun| begun.from).collect();
            if let Some(place) = to_let_go(&addresses) {
                let begun = all.remove(place);
                log::warn!(target: CLIENTS, "{}: let go, too many clients say nothing", begun.from);
                begun.called_off.cancel();
            }
        }
        all.push(begun);
        drop(all);
        Handshake {
            all: self.clone(),
            called_off,
        }
    }

    fn all(&self) -> MutexGuard<'_, Vec<Begun>> {
        // Each change is whole before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Handshake {
    /// Cancelled when the greeting is called off.
    pub fn called_off(&self) -> CancellationToken {
        self.called_off.clone()
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        // Those that are called off are no longer among them.
        self.called_off.cancel();
        self.all
            .all()
            .retain(|begun| !begun.called_off.is_cancelled());
    }
}

/// Of clients that say nothing, the oldest first, the place of the one that is let go when room is needed: the
/// oldest of the address with the most, so that nobody fills the room for the others.
pub(crate) fn to_let_go(addresses: &[IpAddr]) -> Option<usize> {
    let mut counts: HashMap<IpAddr, usize> = HashMap::new();
    for address in addresses {
        *counts.entry(*address).or_default() += 1;
    }
    let most = counts.values().max()?;
    addresses
        .iter()
        .position(|address| counts[address] == *most)
}

/// Clients that have come with a wrong token to a port, of an entrant or of watchers, and wait for their answer. Each token is
/// heard, as the right one may come from the same address; the answer to a wrong one takes its time.
#[derive(Clone, Debug)]
pub struct FailedLogins(Permits);

impl Default for FailedLogins {
    fn default() -> FailedLogins {
        let by_address = MOST_WRONG_TOKENS;
        FailedLogins(Permits::new(MOST_GREETED, by_address, by_address))
    }
}

impl FailedLogins {
    /// Waits until a client of this address may be told that its token is wrong. Returns `false` at once if it is closed
    /// without an answer, because too many of them wait.
    pub async fn may_be_told(&self, from: IpAddr) -> bool {
        let Ok(_permit) = self.0.take(from, 1) else {
            return false;
        };
        sleep(WRONG_TOKEN_WAIT).await;
        true
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn the_oldest_of_the_address_with_the_most_goes_first() {
        assert_eq!(to_let_go(&[]), None);
        assert_eq!(to_let_go(&[1, 2].map(address)), Some(0));
        assert_eq!(to_let_go(&[1, 2, 3, 2, 1, 2].map(address)), Some(1));
    }

    #[test]
    fn a_flood_from_one_address_calls_off_its_own() {
        let greeters = Handshakes::default();
        let honest = greeters.begin(address(1));
        let mut flood: Vec<Handshake> = (1..MOST_GREETED)
            .map(|_| greeters.begin(address(2)))
            .collect();
        assert!(flood.iter().all(|one| !one.called_off.is_cancelled()));
        flood.push(greeters.begin(address(2)));
        assert!(flood[0].called_off.is_cancelled() && !honest.called_off.is_cancelled());
        drop(flood);
        assert_eq!(greeters.all().len(), 1);
        drop(honest);
        assert!(greeters.all().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn wrong_tokens_of_an_address_wait_a_second_and_few_at_once() {
        let (wrong, began) = (FailedLogins::default(), Instant::now());
        let one = IpAddr::from([10, 0, 0, 1]);
        let waiting = (0..=MOST_WRONG_TOKENS).map(|_| {
            let wrong = wrong.clone();
            tokio::spawn(async move { wrong.may_be_told(one).await })
        });
        let mut told = 0;
        for told_one in waiting.collect::<Vec<_>>() {
            told += usize::from(told_one.await.unwrap());
        }
        assert_eq!(
            (told, began.elapsed()),
            (MOST_WRONG_TOKENS, WRONG_TOKEN_WAIT)
        );
        assert!(wrong.may_be_told(one).await, "nothing is remembered");
    }
}
