//! What a step of a search takes.

use std::time::Duration;

/// What a step takes, by experience: usually, and at the least. Whoever waits for the usual time never begins again after one
/// step that took long by chance; what must be tried again at some time goes by the least.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    usual: Duration,
    least: Duration,
}

impl Pace {
    /// After the first step.
    pub const fn of(first: Duration) -> Self {
        Self {
            usual: first,
            least: first,
        }
    }

    /// One more step: quickly when it takes longer than was thought.
    pub fn learn(&mut self, spent: Duration) {
        self.least = self.least.min(spent);
        self.usual = if spent > self.usual {
            (self.usual + spent) / 2
        } else {
            (7 * self.usual + spent) / 8
        };
    }

    /// What a step usually takes.
    pub const fn usual(&self) -> Duration {
        self.usual
    }

    /// What a step takes at the least.
    pub const fn least(&self) -> Duration {
        self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_cautious_soon_and_bold_later() {
        let ms = Duration::from_millis;
        let mut pace = Pace::of(ms(10));
        pace.learn(ms(30));
        assert_eq!((pace.usual(), pace.least()), (ms(20), ms(10)));
        pace.learn(ms(4));
        assert_eq!((pace.usual(), pace.least()), (ms(18), ms(4)));
    }
}
