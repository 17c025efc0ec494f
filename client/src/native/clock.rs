//! How much of the time that is left a move may use.

use std::time::Duration;

/// A request's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// All that is left for the move.
    pub all: Duration,
    /// What of it is budget.
    pub budget: Duration,
    /// What comes back to the budget after the move.
    pub increment: Duration,
}

impl TimeLeft {
    /// What an engine may use. Some of the time goes with the message, and on a busy machine with waiting
    /// for the processor. With `moves` left to make, a share of the budget is all that a move may have of it.
    pub fn to_use(self, moves: Option<u32>) -> Duration {
        let reserve = (self.all / 10)
            .max(Duration::from_millis(30))
            .min(Duration::from_millis(500))
            .min(self.all / 2);
        let most = self.all.saturating_sub(reserve);
        let share = moves.map_or(most, |moves| {
            let own = self.all.saturating_sub(self.budget);
            // The move's own time needs its reserve as well, or the budget pays for it.
            own.saturating_sub(reserve)
                + self.increment.min(self.budget)
                + self.budget / moves.max(1)
        });
        share.min(most).max(Duration::from_millis(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn left(all: u64, budget: u64, increment: u64) -> TimeLeft {
        TimeLeft {
            all: ms(all),
            budget: ms(budget),
            increment: ms(increment),
        }
    }

    #[test]
    fn some_of_the_time_is_kept_back() {
        for moves in [None, Some(1), Some(20)] {
            assert_eq!(left(1000, 0, 0).to_use(moves), ms(900));
            assert_eq!(left(100, 0, 0).to_use(moves), ms(70));
            assert_eq!(left(10_000, 0, 0).to_use(moves), ms(9500));
            assert_eq!(left(1, 0, 0).to_use(moves), ms(1));
        }
    }

    #[test]
    fn a_budget_is_shared_out() {
        assert_eq!(left(60_000, 60_000, 0).to_use(Some(20)), ms(3000));
        assert_eq!(left(60_000, 60_000, 0).to_use(None), ms(59_500));
        // The increment can be spent at once, the rest not.
        assert_eq!(left(60_000, 60_000, 1000).to_use(Some(20)), ms(4000));
        // A budget with time for each move besides.
        assert_eq!(left(22_000, 20_000, 0).to_use(Some(10)), ms(3500));
        // The last of a budget is never spent to the end.
        assert_eq!(left(200, 200, 1000).to_use(Some(1)), ms(170));
        assert_eq!(left(0, 0, 1000).to_use(Some(1)), ms(1));
    }
}
