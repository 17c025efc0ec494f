//! Multi-armed bandits: which arm to try next.
//!
//! Rewards are in [0, 1]. Sources: UCB1 and UCB1-tuned from P. Auer, N. Cesa-Bianchi and
//! P. Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning 47
//! (2002) 235-256 (section 2 and, for UCB1-tuned, section 4).

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arm {
    pub trials: f64,
    pub sum: f64,
    pub squares: f64,
}

impl Arm {
    #[inline]
    pub fn add(&mut self, reward: f64) {
        self.trials += 1.0;
        self.sum += reward;
        self.squares += reward * reward;
    }

    /// Mean reward; 0 before the first trial.
    #[inline]
    pub fn mean(&self) -> f64 {
        if self.trials > 0.0 {
            self.sum / self.trials
        } else {
            0.0
        }
    }

    /// Variance of the rewards (maximum likelihood).
    #[inline]
    pub fn variance(&self) -> f64 {
        if self.trials > 0.0 {
            let mean = self.sum / self.trials;
            (self.squares / self.trials - mean * mean).max(0.0)
        } else {
            0.0
        }
    }

    /// Upper bound of UCB1-tuned, `log` being the natural logarithm of all trials. The arm must
    /// have been tried.
    #[inline]
    pub fn ucb1_tuned(&self, log: f64) -> f64 {
        let rate = log / self.trials;
        let bound = (self.variance() + (2.0 * rate).sqrt()).min(0.25);
        self.mean() + (rate * bound).sqrt()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BanditRule {
    /// mean + sqrt(2 ln N / n).
    Ucb1,
    /// mean + sqrt(ln N / n * min(1/4, variance + sqrt(2 ln N / n))).
    Ucb1Tuned,
}

impl BanditRule {
    /// The arm to try next: an untried arm first (the lowest index), then the rule. `total` is the
    /// number of trials of all arms. Gives 0 for no arms.
    #[inline]
    pub fn choose(self, arms: &[Arm], total: f64) -> usize {
        if let Some(untried) = arms.iter().position(|arm| arm.trials < 1.0) {
            return untried;
        }
        let log = total.max(1.0).ln();
        let mut best = 0;
        let mut best_score = f64::NEG_INFINITY;
        for (i, arm) in arms.iter().enumerate() {
            let score = match self {
                BanditRule::Ucb1 => arm.mean() + (2.0 * log / arm.trials).sqrt(),
                BanditRule::Ucb1Tuned => arm.ucb1_tuned(log),
            };
            if score > best_score {
                best = i;
                best_score = score;
            }
        }
        best
    }
}

/// The arm to try next by the rule of `AlphaZero` (D. Silver et al., 2018): the greatest of
/// mean + weight * chance * sqrt(N + 1) / (1 + n), to which `pull` * ln chance is added. An arm without trials has the mean of
/// all trials. Gives 0 for no arms.
#[inline]
pub fn puct(arms: &[Arm], chances: &[f64], weight: f64, pull: f64) -> usize {
    let (mut total, mut sum) = (0.0, 0.0);
    for arm in arms {
        total += arm.trials;
        sum += arm.sum;
    }
    let fresh = if total > 0.0 { sum / total } else { 0.0 };
    let root = weight * (total + 1.0).sqrt();
    let mut best = (0, f64::NEG_INFINITY);
    for (i, (arm, chance)) in arms.iter().zip(chances).enumerate() {
        let value = if arm.trials > 0.0 { arm.mean() } else { fresh };
        let score = value + root * chance / (1.0 + arm.trials) + pull * chance.max(1e-6).ln();
        if score > best.1 {
            best = (i, score);
        }
    }
    best.0
}

/// The arm with the most trials, the better mean among equals; `None` for no arms.
pub fn most_tried(arms: &[Arm]) -> Option<usize> {
    (0..arms.len()).max_by(|&a, &b| {
        let by_trials = arms[a].trials.total_cmp(&arms[b].trials);
        let by_mean = || arms[a].mean().total_cmp(&arms[b].mean());
        by_trials.then_with(by_mean).then(b.cmp(&a))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn every_policy_finds_the_best_bernoulli_arm() {
        let chances = [0.3, 0.5, 0.7, 0.2];
        for policy in [BanditRule::Ucb1, BanditRule::Ucb1Tuned] {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
            let mut arms = [Arm::default(); 4];
            for n in 0..4000 {
                let i = policy.choose(&arms, f64::from(n));
                let u = f64::from(rng.next_u32()) / 4_294_967_296.0;
                arms[i].add(f64::from(u8::from(u < chances[i])));
            }
            assert_eq!(most_tried(&arms), Some(2), "{policy:?}");
            assert!(arms[2].trials > 2400.0, "{policy:?}: {:?}", arms[2]);
            assert!(arms.iter().all(|arm| arm.trials >= 4.0), "{policy:?}");
        }
    }

    #[test]
    fn puct_begins_with_the_likeliest_and_ends_with_the_best() {
        assert_eq!(puct(&[], &[], 1.0, 0.0), 0);
        let chances = [0.2, 0.7, 0.1];
        let mut arms = [Arm::default(); 3];
        assert_eq!(puct(&arms, &chances, 1.0, 0.0), 1);
        for _ in 0..5000 {
            let i = puct(&arms, &chances, 1.0, 0.0);
            arms[i].add([0.3, 0.4, 0.6][i]);
        }
        assert_eq!(most_tried(&arms), Some(2));
        // A pull holds on to the likeliest arm as long as it is stronger than the difference.
        let mut arms = [Arm::default(); 3];
        for _ in 0..5000 {
            let i = puct(&arms, &chances, 1.0, 0.2);
            arms[i].add([0.3, 0.4, 0.6][i]);
        }
        assert_eq!(most_tried(&arms), Some(1));
    }

    #[test]
    fn ucb1_tuned_follows_its_formula() {
        let mut arms = [Arm::default(); 2];
        for reward in [0.0, 1.0] {
            arms[0].add(reward);
        }
        for reward in [0.5, 0.5, 0.5, 0.5, 0.5, 0.5] {
            arms[1].add(reward);
        }
        // ln 8 = 2.0794; arm 0: 0.5 + sqrt(1.0397 * 0.25) = 1.0098;
        // arm 1: 0.5 + sqrt(0.34657 * 0.25) = 0.7943.
        assert_eq!(BanditRule::Ucb1Tuned.choose(&arms, 8.0), 0);
    }
}
