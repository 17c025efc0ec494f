//! How an engine spreads the time of a game over its decisions.

use std::time::Duration;

/// The clock of one seat: a time for the whole game, and a time for each move once that is spent.
#[derive(Clone, Copy, Debug)]
pub struct GameClock {
    game: Duration,
    after: Duration,
    decisions: u32,
    spent: Duration,
    made: u32,
}

impl GameClock {
    /// Time for all decisions of a game, of which a seat usually makes `decisions`, and `after` it for each.
    pub fn new(game: Duration, after: Duration, decisions: u32) -> GameClock {
        GameClock {
            game,
            after,
            decisions: decisions.max(1),
            spent: Duration::ZERO,
            made: 0,
        }
    }

    pub fn new_game(&mut self) {
        self.spent = Duration::ZERO;
        self.made = 0;
    }

    /// Time for the next decision; `None` if all is spent. The time that is left is shared among the decisions that are
    /// usually to come, at least a quarter of all, and each has the time for a move in addition, as far as it is there.
    pub fn share(&self) -> Option<Duration> {
        let left = self.game.saturating_sub(self.spent);
        let to_come = self.decisions.saturating_sub(self.made);
        let share = left / to_come.max(self.decisions.div_ceil(4));
        let share = share.saturating_add(self.after).min(left).max(self.after);
        (share >= self.least()).then_some(share)
    }

    /// Below this a decision is not worth its time: a quarter of an equal share, which does not disappear by rounding.
    fn least(&self) -> Duration {
        (self.game / self.decisions / 4).max(Duration::from_nanos(1))
    }

    pub fn add(&mut self, spent: Duration) {
        self.spent = self.spent.saturating_add(spent);
        self.made += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_time_of_a_game_lasts_for_any_number_of_decisions() {
        let mut clock = GameClock::new(s(600), s(10), 40);
        assert_eq!(clock.share(), Some(s(25)));
        let mut all = Duration::ZERO;
        for made in 0..150 {
            let share = clock.share().expect("there is always the time for a move");
            assert!(share >= s(10) && share <= s(25), "{made}: {share:?}");
            let left = s(600).saturating_sub(all);
            assert!(share <= left.max(s(10)), "{made}: {share:?} of {left:?}");
            all += share;
            clock.add(share);
        }
        clock.new_game();
        assert_eq!(clock.share(), Some(s(25)));
    }

    #[test]
    fn quick_decisions_leave_time_for_others() {
        let mut clock = GameClock::new(s(18), Duration::ZERO, 18);
        for _ in 0..9 {
            assert!(clock.share() >= Some(s(1)));
            clock.add(Duration::ZERO);
        }
        assert_eq!(clock.share(), Some(s(2)));
        // Many more decisions than usual: shares become small, and then there are none.
        let mut all = Duration::ZERO;
        while let Some(share) = clock.share() {
            all += share;
            clock.add(share);
        }
        assert!(all > s(15) && all <= s(18), "{all:?}");
        clock.new_game();
        clock.add(s(100));
        assert_eq!(clock.share(), None);
    }
}
