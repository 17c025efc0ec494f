//! The moves at the root of a search, with their playouts.

/// A move at the root and its playouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<M> {
    pub mv: M,
    /// Playouts that began with it.
    pub trials: u64,
    /// Sum of their rewards for the seat to move, 0 to `trials`.
    pub sum: f64,
}

impl<M> Candidate<M> {
    /// Mean reward; 0 without playouts.
    pub fn rate(&self) -> f64 {
        if self.trials == 0 {
            0.0
        } else {
            self.sum / self.trials as f64
        }
    }
}

/// The weight of the mean of all moves, in playouts, in [`estimates`].
const PRIOR: f64 = 8.0;

/// What each move with playouts is worth to the seat to move, 0 to 1. A few playouts say little, so the mean of each move
/// is weighted with that of all moves: a move whose only playout was won is no certain win.
pub fn estimates<M: Copy>(candidates: &[Candidate<M>]) -> Vec<(M, f64, u64)> {
    let (sum, trials) = candidates.iter().fold((0.0, 0), |(sum, trials), one| {
        (sum + one.sum, trials + one.trials)
    });
    let mean = sum / trials.max(1) as f64;
    let estimate = |one: &Candidate<M>| {
        let worth = (one.sum + PRIOR * mean) / (one.trials as f64 + PRIOR);
        (one.mv, worth, one.trials)
    };
    let tried = candidates.iter().filter(|one| one.trials > 0);
    tried.map(estimate).collect()
}

/// The candidate with the best mean reward, the first among equals; `None` for no candidates.
pub fn best_rate<M>(candidates: &[Candidate<M>]) -> Option<&Candidate<M>> {
    let mut best: Option<&Candidate<M>> = None;
    for candidate in candidates {
        if best.is_none_or(|b| candidate.rate() > b.rate()) {
            best = Some(candidate);
        }
    }
    best
}

/// The candidate with the most playouts, the better mean reward among equals; `None` for no candidates.
pub fn most_tried<M>(candidates: &[Candidate<M>]) -> Option<&Candidate<M>> {
    let mut best: Option<&Candidate<M>> = None;
    for candidate in candidates {
        let is_better = |b: &Candidate<M>| {
            candidate.trials > b.trials
                || candidate.trials == b.trials && candidate.rate() > b.rate()
        };
        if best.is_none_or(is_better) {
            best = Some(candidate);
        }
    }
    best
}

/// Adds up the playouts of the same moves in searches from one root, each with a tree of its own; the moves are those of the first
/// search.
///
/// Source: T. Cazenave and N. Jouandeau, "On the parallelization of UCT", CGW 2007, 93-101 (root parallelisation).
pub fn add_up<M: PartialEq>(searches: Vec<Vec<Candidate<M>>>) -> Vec<Candidate<M>> {
    let mut searches = searches.into_iter();
    let mut candidates = searches.next().unwrap_or_default();
    for more in searches {
        for candidate in &mut candidates {
            for other in more.iter().filter(|other| other.mv == candidate.mv) {
                candidate.trials += other.trials;
                candidate.sum += other.sum;
            }
        }
    }
    candidates
}
