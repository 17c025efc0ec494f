//! The Monte Carlo engines.

use std::num::NonZero;
use std::time::{Duration, Instant};

use games::blokus::{Board, Placement};
use log::warn;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::engine::NONE;
use super::{Engine, RowPlayout};
use crate::search::mcts::{Mcts, MctsPlan};
use crate::search::{Budget, Candidate, Stopwatch, add_up, fan_out, most_tried, rng_of};

struct MctsWorker {
    playout: RowPlayout,
    mcts: Mcts<Board>,
    rng: Xoshiro256PlusPlus,
}

/// Monte Carlo tree search that plays the move that was tried most. Several threads share the budget of
/// playouts, each with a tree of its own; the playouts of the moves at the root are added up. A
/// search on time uses no more threads than there are processors: more would only wait for each other.
pub struct MctsEngine {
    name: &'static str,
    budget: Budget,
    workers: Vec<MctsWorker>,
    processors: usize,
    /// Workers of the last search, the first ones.
    used: usize,
    last: Vec<Candidate<Placement>>,
}

impl MctsEngine {
    /// With the name for [`Engine::explain`], the search, whose memory the threads share, how games are played out, what it may use for each
    /// move, threads (at least one) and a seed. Only a search of one thread stops early, for a move that no other
    /// can overtake in one tree may be overtaken in the sum of them.
    pub fn new(
        name: &'static str,
        plan: MctsPlan,
        playout: &RowPlayout,
        budget: Budget,
        threads: usize,
        seed: u64,
    ) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        if threads > processors {
            warn!("{threads} threads on {processors} processors");
        }
        let plan = MctsPlan {
            early_stop: plan.early_stop && threads <= 1,
            memory: plan.memory / threads.max(1),
            ..plan
        };
        let worker = |thread: usize| MctsWorker {
            playout: playout.clone(),
            mcts: Mcts::new(plan),
            rng: rng_of(seed, thread),
        };
        Self {
            name,
            budget,
            workers: (0..threads.max(1)).map(worker).collect(),
            processors,
            used: 0,
            last: Vec::new(),
        }
    }

    /// All moves of a board after a search.
    pub fn search(&mut self, board: &Board, limit: Option<Duration>) -> Vec<Candidate<Placement>> {
        let begin = Instant::now();
        let budget = self.budget.within(limit);
        let most = budget.time.map_or(usize::MAX, |_| self.processors);
        // A thread without a playout idles.
        let playouts = budget.playouts.max(1);
        let most = most.min(usize::try_from(playouts).unwrap_or(usize::MAX));
        self.used = self.workers.len().min(most);
        let used = self.used as u64;
        add_up(fan_out(&mut self.workers[..self.used], |thread, worker| {
            let share = Budget {
                playouts: playouts / used + u64::from((thread as u64) < playouts % used),
                ..budget
            };
            let MctsWorker { playout, mcts, rng } = worker;
            mcts.search_on(board, playout, Stopwatch::since(begin, share), rng)
        }))
    }
}

impl Engine for MctsEngine {
    fn choose(&mut self, board: &Board, limit: Option<Duration>) -> Placement {
        self.last = self.search(board, limit);
        most_tried(&self.last).map_or(NONE, |candidate| candidate.mv)
    }

    fn new_game(&mut self) {
        for worker in &mut self.workers {
            worker.mcts.forget();
        }
    }

    fn explain(&self) -> Option<Value> {
        let best = most_tried(&self.last)?;
        let workers = &self.workers[..self.used];
        let depth = workers.first()?.mcts.depth();
        Some(json!({
            "engine": self.name,
            "playouts": workers.iter().map(|w| w.mcts.playouts()).sum::<u64>(),
            "depth": depth.mean,
            "deepest": depth.most,
            "tree": workers.iter().map(|w| w.mcts.size()).sum::<usize>(),
            "move": best.mv.to_string(),
            "tried": best.trials,
            "value": best.rate(),
        }))
    }

    fn values(&self) -> Vec<(Placement, f64, u64)> {
        let tried = self.last.iter().filter(|c| c.trials > 0);
        tried.map(|c| (c.mv, c.rate(), c.trials)).collect()
    }
}
