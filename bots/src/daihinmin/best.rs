//! The strongest engine: flat Monte Carlo on likely worlds, with certain wins and small endings
//! solved first, learned playouts, values that look to the next rank reset, and the exchange
//! chosen by playouts.

use std::time::Instant;

use games::daihinmin::{Cards, Meld, Position, View};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::Engine;
use super::endgame::winning_move;
use super::inference::{History, WorldOptions, prior, worlds};
use super::ingredients::Ingredients;
use super::monte_carlo::{Budget, Candidate, add_up, best_of, explain, root_moves};
use super::policy::{Scratch, Softmax, Weights};
use super::rank_value::place_values;
use super::simple::weakest;
use super::sure_win::sure_win;
use super::weighted::WeightedPlayout;
use crate::search::bandit::{Arm, Policy};
use crate::search::{fan_out, split};

/// The engine `best`.
#[derive(Debug)]
pub struct Best {
    pub(super) budget: Budget,
    pub(super) with: Ingredients,
    pub(super) weights: Weights,
    threads: usize,
    pub(super) rng: Xoshiro256PlusPlus,
    history: History,
    pub(super) scratch: Scratch,
    pub(super) last: Vec<Candidate>,
    reason: &'static str,
}

impl Best {
    /// The engine with its ingredients and weights.
    pub fn new(
        budget: Budget,
        with: Ingredients,
        weights: Weights,
        threads: usize,
        seed: u64,
    ) -> Best {
        let weights = if with.policy {
            weights
        } else {
            Weights::zero()
        };
        Best {
            budget,
            with,
            weights,
            threads: threads.max(1),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            history: History::default(),
            scratch: Scratch::default(),
            last: Vec::new(),
            reason: "",
        }
    }

    pub(super) fn values(&self, view: &View) -> [f64; 5] {
        place_values(if self.with.ranks {
            view.games_to_reset.unwrap_or(20)
        } else {
            0
        })
    }

    /// Monte Carlo over the root moves.
    fn search(&mut self, view: &View, moves: &[Meld], deadline: Option<Instant>) {
        let kept = (self.budget.playouts as usize / 4).clamp(16, 1024);
        let options = WorldOptions {
            candidates: kept * self.with.oversample,
            kept,
            trust: self.with.trust,
            deadline: deadline.map(|end| {
                let now = Instant::now();
                now + end.saturating_duration_since(now) / 2
            }),
        };
        let worlds = worlds(
            view,
            &self.history,
            &self.weights,
            options,
            &mut self.scratch,
            &mut self.rng,
        );
        let job = Job {
            view,
            moves,
            worlds: &worlds,
            values: self.values(view),
            policy: Softmax {
                weights: &self.weights,
                sharpness: self.with.sharpness,
            },
            prior: if self.with.prior > 0.0 {
                let chances = prior(view, &self.weights, moves);
                chances
                    .into_iter()
                    .map(|c| f64::from(c) * self.with.prior)
                    .collect()
            } else {
                Vec::new()
            },
            playouts: self.budget.playouts.div_ceil(self.threads as u32),
            deadline,
        };
        let mut rngs = split(&mut self.rng, self.threads);
        let found = fan_out(&mut rngs, |thread, rng| job.run(thread, rng));
        self.last = add_up(moves, &found);
    }
}

/// One search, as its threads share it.
struct Job<'a> {
    view: &'a View,
    moves: &'a [Meld],
    worlds: &'a [Position],
    values: [f64; 5],
    policy: Softmax<'a>,
    prior: Vec<f64>,
    playouts: u32,
    deadline: Option<Instant>,
}

impl Job<'_> {
    fn run(&self, thread: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<Arm> {
        let mut arms = vec![Arm::default(); self.moves.len()];
        let mut used = vec![thread * 17; self.moves.len()];
        let mut playout = WeightedPlayout {
            policy: self.policy,
            scratch: Scratch::default(),
        };
        for n in 0..self.playouts {
            if n % 16 == 15 && self.deadline.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            let i = self.choose(&arms, f64::from(n), rng);
            // Every move meets the same worlds in the same order, so luck in the deal cancels.
            let mut position = self.worlds[used[i] % self.worlds.len()];
            used[i] += 1;
            let place = playout.run(&mut position, self.moves[i], self.view.seat, rng);
            arms[i].add(self.values[usize::from(place)]);
        }
        arms
    }

    fn choose(&self, arms: &[Arm], total: f64, rng: &mut Xoshiro256PlusPlus) -> usize {
        if self.prior.is_empty() || arms.iter().any(|arm| arm.trials < 1.0) {
            return Policy::Ucb1Tuned.choose(arms, total, rng);
        }
        // Progressive bias (Chaslot et al. 2008): the prior fades with an arm's own trials.
        let log = total.max(1.0).ln();
        let mut best = (0, f64::NEG_INFINITY);
        for (i, arm) in arms.iter().enumerate() {
            let score = arm.ucb1_tuned(log) + self.prior[i] / (arm.trials + 1.0);
            if score > best.1 {
                best = (i, score);
            }
        }
        best.0
    }
}

impl Engine for Best {
    fn choose(&mut self, view: &View) -> Meld {
        let deadline = self.budget.time.map(|time| Instant::now() + time);
        let moves = root_moves(view);
        self.last.clear();
        self.reason = "only move";
        if moves.len() == 1 {
            return moves[0];
        }
        if self.with.sure_win
            && let Some(meld) = sure_win(view, deadline)
        {
            self.reason = "certain win";
            return meld;
        }
        if self.with.endgame
            && let Some(meld) = winning_move(view, deadline)
        {
            self.reason = "solved end";
            return meld;
        }
        self.reason = "playouts";
        self.search(view, &moves, deadline);
        best_of(&self.last)
    }

    fn gift(&mut self, view: &View, n: u32) -> Cards {
        if !self.with.exchange {
            return weakest(view.hand, n);
        }
        self.choose_gift(view, n)
    }

    fn game_begins(&mut self, _view: &View) {
        self.history.clear();
    }

    fn observe(&mut self, before: &View, meld: Meld) {
        if self.with.trust > 0.0 {
            self.history.push(before, meld);
        }
    }

    fn explain(&self) -> Option<Value> {
        let mut value = explain(&self.last).unwrap_or_else(|| json!({}));
        value["reason"] = json!(self.reason);
        Some(value)
    }
}
