//! How much a client may send.

use std::time::Duration;

/// What each line costs at least; a longer one costs its bytes.
pub const LINE_COST: usize = 256;
/// What may be spent at once: 256 short lines.
pub const BURST: usize = 64 * 1024;
/// What comes back in a second: 64 short lines.
pub const PER_SECOND: usize = 16 * 1024;

/// A bucket of credits: lines take from it, time and requests of the server fill it.
///
/// ```
/// use std::time::Duration;
/// use taikyoku_protocol::native::{BURST, LINE_COST, RateLimit};
///
/// let mut rate = RateLimit::default();
/// let second = Duration::from_secs(1);
/// assert!((0..BURST / LINE_COST).all(|_| rate.take(10, second)));
/// assert!(!rate.take(10, second));
/// assert!(rate.take(10, 2 * second));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateLimit {
    credit: usize,
    last: Option<Duration>,
}

impl Default for RateLimit {
    fn default() -> RateLimit {
        RateLimit {
            credit: BURST,
            last: None,
        }
    }
}

impl RateLimit {
    /// Takes what a line of so many bytes costs; gives whether there was enough.
    pub fn take(&mut self, bytes: usize, now: Duration) -> bool {
        self.take_bytes(bytes.max(LINE_COST), now)
    }

    /// As [`RateLimit::take`], for a part of a line.
    pub fn take_bytes(&mut self, cost: usize, now: Duration) -> bool {
        let last = *self.last.get_or_insert(now);
        let micros = now.saturating_sub(last).as_micros();
        let more = micros * PER_SECOND as u128 / 1_000_000;
        if more > 0 {
            self.last = Some(now);
            let most = BURST - self.credit;
            self.credit += usize::try_from(more).map_or(most, |more| more.min(most));
        }
        let enough = cost <= self.credit;
        self.credit = self.credit.saturating_sub(cost);
        enough
    }

    /// Credits two lines: the server has asked for a move.
    pub fn asked(&mut self) {
        self.credit = (self.credit + 2 * LINE_COST).min(BURST);
    }
}
