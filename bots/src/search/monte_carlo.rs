//! Monte Carlo searches without a tree: flat, and with UCB1 at the root.

use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::bandit::{Arm, BanditRule};
use super::{Budget, Candidate, Game, Playout, Stopwatch, value};

/// Flat Monte Carlo: every playout begins with a uniformly random move of the root. Returns all moves; none when the
/// game is over.
///
/// Source: B. Abramson, "Expected-outcome: a general model of static evaluation", IEEE Transactions on
/// Pattern Analysis and Machine Intelligence 12 (1990) 182-193; the random choice of the move is that
/// of the paper on 3D four-in-a-row that `bots/README.md` names.
pub fn flat<G: Game, P: Playout<G>>(
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
    let mut watch = Stopwatch::start(budget);
    while watch.grant() {
        let i = rng.random_range(0..positions.len());
        let rewards = value(&positions[i], playout, rng);
        candidates[i].trials += 1;
        candidates[i].sum += rewards[usize::from(seat)];
    }
    candidates
}

/// The moves of a position without playouts, and where they lead.
fn candidates<G: Game>(root: &G) -> (Vec<Candidate<G::Move>>, Vec<G>) {
    let mut moves = Vec::new();
    if root.to_move().is_some() {
        root.moves(&mut moves);
    }
    let after = |&mv: &G::Move| {
        let mut next = root.clone();
        next.play(mv);
        next
    };
    let positions = moves.iter().map(after).collect();
    let fresh = |mv| Candidate {
        mv,
        trials: 0,
        sum: 0.0,
    };
    (moves.into_iter().map(fresh).collect(), positions)
}

/// Monte Carlo with UCB1 at the root: each move once, then the one with the largest
/// w/m + sqrt(2 ln n / m), for `w` the sum of rewards and `m` the number of playouts of the move and `n`
/// that of all. Returns all moves; none when the game is over.
///
/// Source: P. Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time analysis of the multiarmed bandit
/// problem", Machine Learning 47 (2002) 235-256, as [`BanditRule::Ucb1`].
pub fn ucb1<G: Game, P: Playout<G>>(
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
        let i = BanditRule::Ucb1.choose(&arms, total as f64);
        let rewards = value(&positions[i], playout, rng);
        arms[i].add(rewards[usize::from(seat)]);
    }
    for (candidate, arm) in candidates.iter_mut().zip(&arms) {
        candidate.trials = arm.trials as u64;
        candidate.sum = arm.sum;
    }
    candidates
}
