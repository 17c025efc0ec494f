//! How long a search may go on, what a step of it takes, and what the searches of a game have used.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::is_stopped;

/// A number of playouts, a time, or both: whichever ends first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub playouts: u64,
    pub time: Option<Duration>,
}

impl Budget {
    /// Playouts alone, which makes a search repeat itself with the same seed.
    pub const fn playouts(playouts: u64) -> Self {
        Self {
            playouts,
            time: None,
        }
    }

    /// What options give: a second without any limit.
    pub fn of(playouts: Option<u64>, time: Option<Duration>) -> Self {
        let unlimited = playouts.is_none() && time.is_none();
        Self {
            playouts: playouts.unwrap_or(u64::MAX),
            time: time.or(unlimited.then_some(Duration::from_secs(1))),
        }
    }

    /// The same with at most this much time.
    #[must_use]
    pub fn within(self, limit: Option<Duration>) -> Self {
        let time = match (self.time, limit) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { time, ..self }
    }
}

#[derive(Debug)]
pub struct Stopwatch {
    budget: Budget,
    begin: Instant,
    done: u64,
}

impl Stopwatch {
    /// Between looks at the clock, as a mask of the number of playouts.
    const LOOK: u64 = 7;

    pub fn start(budget: Budget) -> Self {
        Self::since(Instant::now(), budget)
    }

    /// Started then: threads that share a deadline begin at different times.
    pub const fn since(begin: Instant, budget: Budget) -> Self {
        Self {
            budget,
            begin,
            done: 0,
        }
    }

    /// Allows no more than so many playouts in all.
    pub fn at_most(&mut self, playouts: u64) {
        self.budget.playouts = self.budget.playouts.min(playouts);
    }

    /// Books one more playout if there is budget for it and no [`StopFlag`](super::StopFlag) is raised. The first one is
    /// always granted.
    #[inline]
    pub fn grant(&mut self) -> bool {
        if self.done >= self.budget.playouts.max(1) {
            return false;
        }
        let is_late = || {
            self.budget
                .time
                .is_some_and(|time| self.begin.elapsed() >= time)
        };
        if self.done & Self::LOOK == Self::LOOK && (is_stopped() || is_late()) {
            return false;
        }
        self.done += 1;
        true
    }

    /// Playouts that the time still allows at the speed so far; `None` without a time.
    pub fn left_on_time(&self) -> Option<u64> {
        self.left_on_part_of_time(1.0)
    }

    fn left_on_part_of_time(&self, part: f64) -> Option<u64> {
        self.left_after(self.begin.elapsed(), part)
    }

    /// Playouts that a part of the time still allows when so much of it is gone.
    fn left_after(&self, gone: Duration, part: f64) -> Option<u64> {
        let time = self.budget.time?.as_secs_f64() * part;
        let gone = gone.as_secs_f64();
        let left = self.done as f64 * ((time - gone).max(0.0) / gone.max(1e-9));
        Some((left as u64).min(self.budget.playouts.max(1) - self.done))
    }

    /// Playouts that a part of the budget, 0 to 1, still allows, with a time at the speed so far.
    pub fn left(&self, part: f64) -> u64 {
        let playouts = (self.budget.playouts.max(1) as f64 * part) as u64;
        let playouts = playouts.saturating_sub(self.done);
        let on_time = self.left_on_part_of_time(part);
        on_time.map_or(playouts, |left| left.min(playouts))
    }

    pub const fn done(&self) -> u64 {
        self.done
    }
}

/// What a step takes, by experience: usually, and at the least. A search that waits for the usual time never begins
/// again after one step that took long by chance; what must be tried again at some time goes by the least.
#[derive(Clone, Copy, Debug)]
pub struct StepTime {
    usual: Duration,
    least: Duration,
}

impl StepTime {
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

    pub const fn usual(&self) -> Duration {
        self.usual
    }

    pub const fn least(&self) -> Duration {
        self.least
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    pub moves: u32,
    pub time: Duration,
    pub longest: Duration,
    /// Playouts, simulations, or nodes of a depth-first search, as far as the engine tells.
    pub work: u64,
    /// Sum of the depths of its searches, in plies.
    pub depth: f64,
}

impl Usage {
    /// Adds a move, and what the engine tells of its search.
    pub fn add_move(&mut self, time: Duration, reasons: Option<&Value>) {
        self.moves += 1;
        self.time += time;
        self.longest = self.longest.max(time);
        if let Some(reasons) = reasons {
            let number = |key: &str| reasons.get(key).and_then(Value::as_f64);
            let work = ["playouts", "simulations", "nodes"]
                .into_iter()
                .find_map(number);
            self.work += work.unwrap_or(0.0) as u64;
            self.depth += number("depth").unwrap_or(0.0);
        }
    }

    pub fn add(&mut self, other: &Usage) {
        self.moves += other.moves;
        self.time += other.time;
        self.longest = self.longest.max(other.longest);
        self.work += other.work;
        self.depth += other.depth;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_the_rest_of_a_part() {
        let mut watch = Stopwatch::start(Budget::playouts(100));
        for _ in 0..30 {
            assert!(watch.grant());
        }
        assert_eq!([1.0, 0.5, 0.2].map(|part| watch.left(part)), [70, 20, 0]);
        watch.budget = watch.budget.within(Some(Duration::ZERO));
        assert_eq!([1.0, 0.5].map(|part| watch.left(part)), [0, 0]);
        watch.budget.time = Some(Duration::from_hours(1));
        assert_eq!(watch.left(1.0), 70);
        // Ten of thirty seconds are gone, for 30 playouts.
        let mut watch = Stopwatch::start(Budget {
            playouts: u64::MAX,
            time: Some(Duration::from_secs(30)),
        });
        watch.done = 30;
        let gone = Duration::from_secs(10);
        let left = [1.0, 0.5, 0.25].map(|part| watch.left_after(gone, part));
        assert_eq!(left, [Some(60), Some(15), Some(0)]);
    }

    #[test]
    fn it_is_cautious_soon_and_bold_later() {
        let ms = Duration::from_millis;
        let mut pace = StepTime::of(ms(10));
        pace.learn(ms(30));
        assert_eq!((pace.usual(), pace.least()), (ms(20), ms(10)));
        pace.learn(ms(4));
        assert_eq!((pace.usual(), pace.least()), (ms(18), ms(4)));
    }
}
