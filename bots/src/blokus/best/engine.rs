//! `best` as an engine, and its exact end of a game in which one colour alone can still move.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use games::blokus::{Board, Colour, Placement, Scene};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::search::{
    Advice, AdvicePlan, Adviser, BestNetworks, BestPlan, BestSearch, LEAST_PLAYOUTS,
};
use super::tree::JudgedTree;
use crate::blokus::engine::NONE;
use crate::engine::Engine;
use crate::search::{
    Budget, Candidate, MOST_THREADS, StepTime, Stopwatch, fan_out, lock, most_tried, rng_of,
};

/// Moves tried in the search for the best packing, for each playout of a budget.
const PACKING: u64 = 4;

struct BestWorker {
    search: BestSearch,
    rng: Xoshiro256PlusPlus,
}

/// The strongest engine of the project. Several threads share the budget of playouts and one tree.
pub struct BlokusBest {
    budget: Budget,
    workers: Vec<BestWorker>,
    tree: Mutex<JudgedTree>,
    last: Vec<Candidate<Placement>>,
    packed: Option<Placement>,
}

impl BlokusBest {
    /// With what it may use for each move, threads (at least one) and a seed.
    pub fn new(networks: &BestNetworks, budget: Budget, threads: usize, seed: u64) -> Self {
        let threads = 0..threads.clamp(1, MOST_THREADS);
        let searches = threads.map(|_| BestSearch::new(networks, None));
        Self::of(searches.collect(), budget, seed)
    }

    /// With an adviser for each thread, of which there is at least one, and what an answer of it takes.
    pub(in crate::blokus) fn advised(
        plan: BestPlan,
        advice: AdvicePlan,
        advisers: Vec<(Box<dyn Adviser>, StepTime)>,
        budget: Budget,
        seed: u64,
    ) -> Self {
        let networks = BestNetworks {
            plan,
            ..BestNetworks::default()
        };
        let advice = |adviser| Some(Advice::new(adviser, advice));
        let searches = advisers.into_iter().map(advice);
        let searches = searches.map(|advice| BestSearch::new(&networks, advice));
        Self::of(searches.collect(), budget, seed)
    }

    fn of(searches: Vec<BestSearch>, budget: Budget, seed: u64) -> Self {
        let worker = |(thread, search): (usize, BestSearch)| BestWorker {
            search,
            rng: rng_of(seed, thread),
        };
        Self {
            budget,
            tree: Mutex::new(JudgedTree::of_threads(searches.len())),
            workers: searches.into_iter().enumerate().map(worker).collect(),
            last: Vec::new(),
            packed: None,
        }
    }

    /// The moves of a position with their visits; none when the game is over.
    fn search(&mut self, scene: &Scene, budget: Budget) -> Vec<Candidate<Placement>> {
        if scene.board().to_move().is_none() {
            return Vec::new();
        }
        let begin = Instant::now();
        let deadline = budget.time.and_then(|time| begin.checked_add(time));
        for worker in &mut self.workers {
            worker.search.begin(deadline);
        }
        let threads = self.workers.len() as u64;
        let Some((first, others)) = self.workers.split_first_mut() else {
            return Vec::new();
        };
        let moves = first.search.plant(scene, &mut lock(&self.tree));
        for worker in others {
            worker.search.take_pace_of(&first.search);
        }
        let playouts = if moves == 1 { 1 } else { budget.playouts };
        let share = Budget {
            playouts: playouts.div_ceil(threads),
            ..budget
        };
        let least = LEAST_PLAYOUTS.div_ceil(threads);
        let tree = &self.tree;
        fan_out(&mut self.workers, |_, worker| {
            let watch = Stopwatch::since(begin, share);
            let rng = &mut worker.rng;
            worker.search.search(scene, tree, watch, least, rng);
        });
        lock(&self.tree).candidates()
    }

    pub(in crate::blokus) fn choose_in(
        &mut self,
        scene: &Scene,
        limit: Option<Duration>,
    ) -> Placement {
        let board = scene.board();
        let budget = self.budget.within(limit);
        self.last.clear();
        let begin = Instant::now();
        self.packed = best_packing(board, budget);
        if let Some(mv) = self.packed {
            return mv;
        }
        let left = budget.time.map(|time| time.saturating_sub(begin.elapsed()));
        self.last = self.search(
            scene,
            Budget {
                time: left,
                ..budget
            },
        );
        most_tried(&self.last).map_or(NONE, |candidate| candidate.mv)
    }
}

impl Engine<Board> for BlokusBest {
    fn choose(&mut self, board: &Board, limit: Option<Duration>) -> Placement {
        self.choose_in(&Scene::from(*board), limit)
    }

    fn explain(&self) -> Option<Value> {
        if let Some(mv) = self.packed {
            return Some(json!({
                "engine": "best",
                "move": mv.to_string(),
                "exact": true,
            }));
        }
        let best = most_tried(&self.last)?;
        let searches = || self.workers.iter().map(|worker| &worker.search);
        let playouts = searches().map(|search| search.playouts).sum::<u64>();
        let depths = searches().map(|search| search.depths).sum::<u64>();
        let mut reasons = json!({
            "engine": "best",
            "playouts": playouts,
            "depth": depths as f64 / playouts.max(1) as f64,
            "move": best.mv.to_string(),
            "tried": best.trials,
            "value": best.rate(),
        });
        if self
            .workers
            .iter()
            .any(|worker| worker.search.advice.is_some())
        {
            let advice = searches().filter_map(|search| search.advice.as_ref());
            reasons["evaluations"] = json!(advice.map(|advice| advice.count).sum::<u64>());
        }
        Some(reasons)
    }

    fn values(&self) -> Vec<(Placement, f64, u64)> {
        let tried = self.last.iter().filter(|c| c.trials > 0);
        tried.map(|c| (c.mv, c.rate(), c.trials)).collect()
    }
}

/// The first move of a line that places the most, searched depth-first with larger pieces first; `None` if a
/// rival can still move, or if half of the time and [`PACKING`] did not suffice to be sure.
pub(in crate::blokus) fn best_packing(board: &Board, budget: Budget) -> Option<Placement> {
    let colour = board.to_move()?;
    let mut others = Colour::ALL.into_iter().filter(|&other| other != colour);
    if others.any(|other| board.has_move(other)) {
        return None;
    }
    let mut packing = Packing {
        colour,
        watch: Stopwatch::start(Budget {
            playouts: budget.playouts.saturating_mul(PACKING),
            time: budget.time.map(|time| time / 2),
        }),
        best: i16::MIN,
        first: None,
        is_complete: true,
    };
    packing.deepen(board, None);
    packing.first.filter(|_| packing.is_complete)
}

struct Packing {
    colour: Colour,
    watch: Stopwatch,
    best: i16,
    first: Option<Placement>,
    is_complete: bool,
}

impl Packing {
    fn deepen(&mut self, board: &Board, first: Option<Placement>) {
        let score = board.score(self.colour);
        if score > self.best {
            self.best = score;
            self.first = first;
        }
        if self.bound(board) <= self.best {
            return;
        }
        let mut moves = Vec::new();
        board.legal_moves_of(self.colour, &mut moves);
        for &mv in moves.iter().rev() {
            if !self.watch.grant() {
                self.is_complete = false;
                return;
            }
            let mut next = *board;
            next.put(self.colour, mv);
            self.deepen(&next, first.or(Some(mv)));
        }
    }

    /// The most that can come of it: all pieces placed, or all free squares covered.
    fn bound(&self, board: &Board) -> i16 {
        let free = board.free_rows(self.colour);
        let space: u32 = free.iter().map(|row| row.count_ones()).sum();
        let left = board.squares_left(self.colour);
        if space >= u32::from(left) {
            return 20;
        }
        -(i16::from(left) - space as i16)
    }
}
