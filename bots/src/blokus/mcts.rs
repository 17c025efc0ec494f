//! The Monte Carlo engines.

use std::num::NonZero;
use std::time::{Duration, Instant};

use games::blokus::{Board, Placement};
use log::warn;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::RowPlayout;
use super::engine::NONE;
use crate::engine::Engine;
use crate::search::mcts::{Mcts, MctsPlan};
use crate::search::{Budget, Candidate, Stopwatch, add_up, estimates, fan_out, most_tried, rng_of};

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

impl Engine<Board> for MctsEngine {
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
            "value": self.values().iter().find(|(mv, ..)| *mv == best.mv)?.1,
        }))
    }

    fn values(&self) -> Vec<(Placement, f64, u64)> {
        estimates(&self.last)
    }
}

#[cfg(test)]
mod tests {
    use games::blokus::Rules;
    use games::{Blokus, Game as _};

    use super::*;
    use crate::search::mcts::OpponentModel;

    /// The values of an engine with so many playouts after these moves of the largest pieces.
    fn values(playouts: u64, position: &str) -> (f64, Vec<(Placement, f64, u64)>) {
        let game = Blokus::read(&Rules::default(), position).expect("a position");
        let budget = Budget::playouts(playouts);
        let plan = MctsPlan::new(OpponentModel::Maxn);
        let mut engine = MctsEngine::new("x", plan, &RowPlayout::new(0.1), budget, 1, 3);
        engine.choose(game.board(), None);
        let told = engine.explain().expect("a search");
        (told["value"].as_f64().expect("a value"), engine.values())
    }

    #[test]
    fn a_few_playouts_are_no_certain_win() {
        // Here each of some hundred moves has one playout.
        let opening = "b17,a18,b18,a19,a20;t20;t1;a1";
        for playouts in [1, 20, 60, 200] {
            let (value, all) = values(playouts, opening);
            let trials: u64 = all.iter().map(|(.., trials)| trials).sum();
            assert_eq!(trials, playouts);
            if playouts >= 20 {
                assert!((0.05..0.8).contains(&value), "{playouts}: {value}");
                assert!(all.iter().all(|(_, value, _)| *value < 0.8), "{playouts}");
            }
        }
        // The mean of many playouts hardly changes.
        let (value, all) = values(5000, opening);
        let best = all
            .iter()
            .max_by_key(|(.., trials)| *trials)
            .expect("moves");
        assert!(best.2 > 100 && (value - best.1).abs() < 1e-12);
    }
}
