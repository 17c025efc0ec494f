//! The Monte Carlo engines of the paper.

use std::time::Duration;

use games::score_four::{Peg, Position};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::search::monte_carlo::{Uct, UctPlan};
use crate::search::{Budget, Candidate, Playout, add_up, best_rate, fan_out, monte_carlo, rng_of};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MonteCarloMethod {
    Flat,
    Ucb1,
    Uct(UctPlan),
}

struct MonteCarloWorker<P> {
    playout: P,
    tree: Uct<Position>,
    rng: Xoshiro256PlusPlus,
}

impl<P: Playout<Position>> MonteCarloWorker<P> {
    fn search(
        &mut self,
        search: MonteCarloMethod,
        position: &Position,
        budget: Budget,
    ) -> Vec<Candidate<Peg>> {
        let (playout, rng) = (&mut self.playout, &mut self.rng);
        match search {
            MonteCarloMethod::Flat => monte_carlo::flat(position, playout, budget, rng),
            MonteCarloMethod::Ucb1 => monte_carlo::ucb1(position, playout, budget, rng),
            MonteCarloMethod::Uct(_) => self.tree.search(position, playout, budget, rng),
        }
    }
}

/// A Monte Carlo search that plays the candidate with the best rate. Several threads share the
/// budget of playouts, each with a search of its own, whose candidates are added up.
pub struct MonteCarloEngine<P> {
    name: &'static str,
    search: MonteCarloMethod,
    budget: Budget,
    workers: Vec<MonteCarloWorker<P>>,
    last: Vec<Candidate<Peg>>,
}

impl<P: Playout<Position> + Default + Send> MonteCarloEngine<P> {
    /// With the name for [`Engine::explain`], the search, whose memory the threads share, what it may use for each move,
    /// threads (at least one) and a seed.
    pub fn new(
        name: &'static str,
        search: MonteCarloMethod,
        budget: Budget,
        threads: usize,
        seed: u64,
    ) -> Self {
        let plan = match search {
            MonteCarloMethod::Uct(plan) => plan,
            MonteCarloMethod::Flat | MonteCarloMethod::Ucb1 => UctPlan::default(),
        };
        let plan = UctPlan {
            memory: plan.memory / threads.max(1),
            ..plan
        };
        let worker = |thread: usize| MonteCarloWorker {
            playout: P::default(),
            tree: Uct::new(plan),
            rng: rng_of(seed, thread),
        };
        Self {
            name,
            search,
            budget,
            workers: (0..threads.max(1)).map(worker).collect(),
            last: Vec::new(),
        }
    }

    pub fn search(&mut self, position: &Position, limit: Option<Duration>) -> Vec<Candidate<Peg>> {
        let budget = self.budget.within(limit);
        let share = Budget {
            playouts: budget.playouts.div_ceil(self.workers.len() as u64),
            ..budget
        };
        let search = self.search;
        add_up(fan_out(&mut self.workers, |_, worker| {
            worker.search(search, position, share)
        }))
    }
}

impl<P: Playout<Position> + Default + Send> Engine<Position> for MonteCarloEngine<P> {
    fn choose(&mut self, position: &Position, limit: Option<Duration>) -> Peg {
        self.last = self.search(position, limit);
        best_rate(&self.last).map_or(Peg::ALL[0], |candidate| candidate.mv)
    }

    fn explain(&self) -> Option<Value> {
        let candidate = |c: &Candidate<Peg>| json!({"peg": c.mv.to_string(), "playouts": c.trials, "rate": c.rate()});
        Some(json!({
            "engine": self.name,
            "playouts": self.last.iter().map(|c| c.trials).sum::<u64>(),
            "candidates": self.last.iter().map(candidate).collect::<Vec<_>>(),
        }))
    }
}
