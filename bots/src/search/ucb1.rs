//! Monte Carlo with UCB1 at the root: each move once, then the one with the largest
//! w/m + sqrt(2 ln n / m), for `w` the sum of rewards and `m` the number of playouts of the move and `n`
//! that of all.
//!
//! Source: P. Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time analysis of the multiarmed bandit
//! problem", Machine Learning 47 (2002) 235-256, as [`bandit::Policy::Ucb1`](super::bandit::Policy).

use rand_xoshiro::Xoshiro256PlusPlus;

use super::bandit::{Arm, Policy};
use super::flat::candidates;
use super::{Budget, Candidate, Game, Playout, Stopwatch, value};

/// Searches from `root` and gives all its moves; none when the game is over.
pub fn search<G: Game, P: Playout<G>>(
    root: &G,
    playout: &mut P,
    budget: Budget,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Candidate<G::Move>> {
    let (mut candidates, positions) = candidates(root);
    let Some(seat) = root.to_move() else {
        return candidates;
    };
    playout.begin(root);
    let mut arms = vec![Arm::default(); positions.len()];
    let mut watch = Stopwatch::start(budget);
    while watch.grant() {
        let total = watch.done() - 1;
        let i = Policy::Ucb1.choose(&arms, total as f64, rng);
        let rewards = value(&positions[i], playout, rng);
        arms[i].add(rewards[usize::from(seat)]);
    }
    for (candidate, arm) in candidates.iter_mut().zip(&arms) {
        candidate.trials = arm.trials as u64;
        candidate.sum = arm.sum;
    }
    candidates
}
