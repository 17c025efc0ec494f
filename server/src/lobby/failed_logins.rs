//! Clients that come with a wrong token to a port, of an entrant or of watchers. Each token is heard, as the right one may come
//! from the same address; the answer to a wrong one takes its time.

use std::net::IpAddr;

use program::Permits;
use tokio::time::sleep;

use crate::config::limits::{MOST_GREETED, MOST_WRONG_TOKENS, WRONG_TOKEN_WAIT};

/// The clients with wrong tokens that wait for their answer.
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
