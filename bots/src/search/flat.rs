//! Flat Monte Carlo: every playout begins with a uniformly random move of the root.
//!
//! Source: B. Abramson, "Expected-outcome: a general model of static evaluation", IEEE Transactions on
//! Pattern Analysis and Machine Intelligence 12 (1990) 182-193; the random choice of the move is that
//! of the paper on 3D four-in-a-row that `docs/score_four.md` names.

use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

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
pub(super) fn candidates<G: Game>(root: &G) -> (Vec<Candidate<G::Move>>, Vec<G>) {
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
