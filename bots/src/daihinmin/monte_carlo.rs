//! Flat Monte Carlo: the engines `mc` and `crow`.
//!
//! Each playout draws a root move by a bandit rule, deals the unseen cards uniformly among the
//! deals that agree with what the seat knows, plays on uniformly at random and books the value.
//! `mc` books the reward R = 5 - place (5 for the first place); `crow` books the TD-weighted value
//! of [`TdValue`]. With alpha = 1 both are the same engine, move for move. The reward of an arm is (value - 1) / 4.

use std::time::{Duration, Instant};

use games::daihinmin::{Cards, Meld, View, legal_moves_no_waste};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::engine::{Engine, weakest};
use super::playout::{TdValue, playout};
use crate::search::bandit::{Arm, BanditRule};
use crate::search::{Budget, Candidate, fan_out, is_over, most_tried, split};

#[derive(Debug)]
pub struct MonteCarlo {
    budget: Budget,
    threads: usize,
    td: TdValue,
    rng: Xoshiro256PlusPlus,
    last: Vec<Candidate<Meld>>,
}

impl MonteCarlo {
    /// The engine `crow`; `alpha` = 1 is `mc`. Threads share the playouts. One thread and a budget without time give the same
    /// moves for the same seed.
    pub fn new(budget: Budget, alpha: f64, threads: usize, seed: u64) -> MonteCarlo {
        MonteCarlo {
            budget,
            threads: threads.max(1),
            td: TdValue { alpha },
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            last: Vec::new(),
        }
    }

    /// Searches and gives every root move with its trials, in generator order. The pass on an
    /// empty field is left out.
    pub fn search(&mut self, view: &View, limit: Option<Duration>) -> &[Candidate<Meld>] {
        let moves = root_moves(view);
        let found = if moves.len() > 1 {
            let budget = self.budget.within(limit);
            let deadline = budget.time.map(|time| Instant::now() + time);
            let share = budget.playouts.div_ceil(self.threads as u64);
            let td = self.td;
            // A single thread uses the engine's own random numbers.
            let mut rngs = match self.threads {
                1 => Vec::new(),
                threads => split(&mut self.rng, threads),
            };
            let rngs = match &mut rngs[..] {
                [] => std::slice::from_mut(&mut self.rng),
                rngs => rngs,
            };
            fan_out(rngs, |_, rng| run(view, &moves, share, deadline, td, rng))
        } else {
            Vec::new()
        };
        self.last = add_up(&moves, &found);
        &self.last
    }
}

/// Adds up the trials of each move over the threads.
pub(crate) fn add_up(moves: &[Meld], found: &[Vec<Arm>]) -> Vec<Candidate<Meld>> {
    let candidate = |(i, &mv): (usize, &Meld)| Candidate {
        mv,
        trials: found.iter().map(|arms| arms[i].trials as u64).sum(),
        sum: found.iter().map(|arms| arms[i].sum).sum(),
    };
    moves.iter().enumerate().map(candidate).collect()
}

/// Root moves: the legal ones that do not waste the joker, without the pass on an empty field.
pub(crate) fn root_moves(view: &View) -> Vec<Meld> {
    let mut moves = Vec::with_capacity(64);
    legal_moves_no_waste(&view.table, view.hand, &mut moves);
    if view.table.field.is_pass() && moves.len() > 1 {
        moves.remove(0);
    }
    moves
}

fn run(
    view: &View,
    moves: &[Meld],
    playouts: u64,
    deadline: Option<Instant>,
    td: TdValue,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Arm> {
    let mut arms = vec![Arm::default(); moves.len()];
    let start = f64::from(view.table.players_left());
    for n in 0..playouts {
        if n % 64 == 63 && is_over(deadline) {
            break;
        }
        let i = BanditRule::Ucb1Tuned.choose(&arms, n as f64);
        let mut position = view.determinize(rng);
        position.play_unchecked(moves[i]);
        let value = playout(&mut position, view.seat, td, start, rng);
        arms[i].add((value - 1.0) / 4.0);
    }
    arms
}

pub(crate) fn chosen(candidates: &[Candidate<Meld>]) -> Meld {
    most_tried(candidates).map_or(Meld::PASS, |candidate| candidate.mv)
}

/// The candidates as a reasoning log shows them: values in points (1..=5).
pub(crate) fn explain(candidates: &[Candidate<Meld>]) -> Option<Value> {
    if candidates.len() < 2 {
        return None;
    }
    let mut list: Vec<&Candidate<Meld>> = candidates.iter().collect();
    list.sort_by_key(|candidate| std::cmp::Reverse(candidate.trials));
    let moves: Vec<Value> = list
        .iter()
        .map(|c| {
            json!({
                "move": c.mv.to_string(),
                "playouts": c.trials,
                "value": 1.0 + 4.0 * c.rate(),
            })
        })
        .collect();
    Some(json!({ "candidates": moves }))
}

impl Engine for MonteCarlo {
    fn choose(&mut self, view: &View, limit: Option<Duration>) -> Meld {
        self.search(view, limit);
        chosen(&self.last)
    }

    fn gift(&mut self, view: &View, n: u32, _limit: Option<Duration>) -> Cards {
        self.last.clear();
        weakest(view.hand, n)
    }

    fn explain(&self) -> Option<Value> {
        explain(&self.last)
    }
}
