//! `best` as an engine.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use games::score_four::{Peg, Position};
use serde_json::{Value, json};

use super::Solver;
use super::network::ValueNetwork;
use super::search::{Deepened, NetworkSearch, NodeLimits, ProvenMoves, WON_SOMEHOW};
use super::solver::SolvedPosition;
use crate::engine::Engine;
use crate::search::{Budget, fan_out};

/// Most pairs of positions in each of the two tables, as a power of 2: 32 bytes each.
const TABLE_BITS: u32 = 20;
/// Nodes of the solver in a second, roughly.
const NODES_A_SECOND: f64 = 4e6;
/// Fewest nodes with which a position with 32 empty squares goes to the solver.
const CHANCE: f64 = 60_000.0;
/// Most empty squares of a position that goes to the solver, whatever the budget is.
const SOLVABLE: f64 = 40.0;
/// Plies searched before that, for the order of moves and for short wins.
const SURVEY: u32 = 10;
/// Shares of the budget that are used at the end of the survey, of the solver's first turn, and of all.
const SURVEY_END: f64 = 0.1;
const SOLVER_END: f64 = 0.8;
/// The same where other threads search beside the solver.
const BESIDE_END: f64 = 0.85;
const END: f64 = 1.0;
/// Most of the time that is used: a search looks at the clock now and then.
const TIME_END: f64 = 0.97;
/// The share after which no other move is looked for where one is known to draw.
const DRAW_END: f64 = 0.9;

/// Alpha-beta with iterative deepening; the budget's playouts are nodes, of all threads together. With more than one thread
/// the others search while the first one solves, and then search the same position with a common table.
pub struct ScoreFourBest {
    searches: Vec<NetworkSearch>,
    solver: Solver,
    budget: Budget,
    nodes: u64,
    last: Option<Value>,
}

impl ScoreFourBest {
    /// With a budget for each move and threads, at least one. It needs no seed: with one thread a budget in nodes gives the
    /// same move.
    pub fn new(budget: Budget, threads: usize) -> Self {
        // Tables that a search cannot fill only take time to clear.
        let in_time = |time: Duration| (time.as_secs_f64() * NODES_A_SECOND) as u64;
        let in_time = budget.time.map_or(u64::MAX, in_time);
        let nodes = budget.playouts.min(in_time.saturating_mul(threads as u64));
        let bits = (nodes.max(1).ilog2() + 1).min(TABLE_BITS);
        let mut searches = vec![NetworkSearch::new(ValueNetwork::built_in(), bits)];
        for _ in 1..threads {
            searches.push(searches[0].follower());
        }
        Self {
            searches,
            solver: Solver::new(bits),
            budget,
            nodes: 0,
            last: None,
        }
    }

    /// What was found, with the square to play; `None` when the game is over.
    fn think(&mut self, position: &Position, budget: Budget) -> Option<Deepened> {
        let mut meter = Meter::start(budget);
        let found = self.find(position, &mut meter);
        self.nodes = meter.nodes;
        found
    }

    fn find(&mut self, position: &Position, meter: &mut Meter) -> Option<Deepened> {
        if self.budget.time.is_none() {
            // Told to count nodes: the move must not depend on the moves before, whatever the clock is.
            self.searches.iter_mut().for_each(NetworkSearch::forget);
        }
        let mut known = ProvenMoves::default();
        if may_be_solved(64 - u32::from(position.ply()), meter.budget) {
            let survey = self.search(position, SURVEY, known, meter, SURVEY_END)?;
            // Won, or lost at a known ball, or nothing to choose.
            if survey.best.score.abs() > WON_SOMEHOW || survey.value == Some(1) || survey.only {
                return Some(survey);
            }
            known.hopeless = survey.value == Some(-1);
            if !known.hopeless {
                if self.budget.time.is_none() {
                    self.solver.forget();
                }
                let solution = self.solve(position, survey.best.score, meter);
                match (solution.least, solution.most) {
                    (1, _) => return Some(survey.with(solution.ball, WON_SOMEHOW, Some(1))),
                    (0, _) => return self.at_least_a_draw(position, survey, &solution, meter),
                    (_, most) => {
                        known.hopeless = most < 0;
                        known.lost = solution.lost;
                        // Where no move wins, the evaluation still tells which is best.
                        known.not_won = if most > 0 { solution.not_won } else { 0 };
                    }
                }
            }
        }
        let mut found = self.search(position, 64, known, meter, END)?;
        if known.hopeless {
            found.value = Some(-1);
        }
        Some(found)
    }

    /// Searches to a depth, until a share of the budget is used.
    fn search(
        &mut self,
        position: &Position,
        depth: u32,
        known: ProvenMoves,
        meter: &mut Meter,
        end: f64,
    ) -> Option<Deepened> {
        let limits = meter.limits(end).of_each(self.searches.len());
        let stop = Arc::clone(&self.searches[0].stop);
        stop.store(false, Ordering::Relaxed);
        let found = fan_out(&mut self.searches, |thread, search| {
            search.begin(limits);
            let found = search.deepen(position, depth, known);
            if thread == 0 {
                stop.store(true, Ordering::Relaxed);
            }
            found
        });
        meter.nodes += self.searches.iter().map(|search| search.nodes).sum::<u64>();
        found.into_iter().next().flatten()
    }

    /// Solves a position that was searched, as far as its share of the budget allows; other threads go on with the search, so
    /// that it is deeper already if it is needed.
    fn solve(&mut self, position: &Position, expected: i32, meter: &mut Meter) -> SolvedPosition {
        let threads = self.searches.len();
        let end = if threads > 1 { BESIDE_END } else { SOLVER_END };
        let limits = meter.limits(end).of_each(threads);
        let order = self.searches[0].root.clone();
        let stop = Arc::clone(&self.searches[0].stop);
        stop.store(false, Ordering::Relaxed);
        let (solver, others) = (&mut self.solver, &mut self.searches[1..]);
        let solution = std::thread::scope(|scope| {
            for search in &mut *others {
                scope.spawn(move || {
                    search.begin(limits);
                    search.deepen(position, 64, ProvenMoves::default())
                });
            }
            let solution = solver.solution(position, &order, expected, limits);
            stop.store(true, Ordering::Relaxed);
            solution
        });
        let beside: u64 = others.iter().map(|search| search.nodes).sum();
        meter.nodes += solver.nodes() + beside;
        solution
    }

    /// Looks for a better move than one that draws, which is known: the best by evaluation, if the solver does not refute it.
    fn at_least_a_draw(
        &mut self,
        position: &Position,
        survey: Deepened,
        solution: &SolvedPosition,
        meter: &mut Meter,
    ) -> Option<Deepened> {
        let value = solution.value();
        let draw = survey.with(solution.ball, 0, value);
        let mut known = ProvenMoves {
            lost: solution.lost,
            not_won: if solution.most > 0 {
                solution.not_won
            } else {
                0
            },
            hopeless: false,
        };
        while meter.used() < DRAW_END {
            let middle = f64::midpoint(meter.used(), END);
            let found = self.search(position, 64, known, meter, middle)?;
            if found.best.ball == solution.ball {
                return Some(draw);
            }
            let limits = meter.limits(END);
            let keeps = (self.solver).reaches_with(position, found.best.ball, 0, limits);
            meter.nodes += self.solver.nodes();
            match keeps {
                Some(true) => {
                    let score = value.unwrap_or(found.best.score.max(0));
                    return Some(found.with(found.best.ball, score, value));
                }
                Some(false) => known.lost |= found.best.ball,
                None => break,
            }
        }
        Some(draw)
    }
}

struct Meter {
    begin: Instant,
    budget: Budget,
    nodes: u64,
}

impl Meter {
    fn start(budget: Budget) -> Self {
        Self {
            begin: Instant::now(),
            budget,
            nodes: 0,
        }
    }

    /// The share that is used, by nodes or by time.
    fn used(&self) -> f64 {
        let nodes = self.nodes as f64 / self.budget.playouts.max(1) as f64;
        let time = |time: Duration| self.begin.elapsed().as_secs_f64() / time.as_secs_f64();
        self.budget.time.map_or(nodes, |all| nodes.max(time(all)))
    }

    /// What may be used until a share of the whole is used.
    fn limits(&self, share: f64) -> NodeLimits {
        NodeLimits {
            nodes: ((self.budget.playouts as f64 * share) as u64).saturating_sub(self.nodes),
            until: self
                .budget
                .time
                .and_then(|time| self.begin.checked_add(time.mul_f64(share.min(TIME_END)))),
        }
    }
}

/// Whether the solver has a chance within a budget: positions of balanced games with 32 empty squares take it 140,000 nodes
/// in the median, and each more square doubles that.
fn may_be_solved(empty: u32, budget: Budget) -> bool {
    let in_time = budget
        .time
        .map_or(f64::MAX, |time| time.as_secs_f64() * NODES_A_SECOND);
    let nodes = in_time.min(budget.playouts as f64);
    let most = 32.0 + (nodes / CHANCE).max(f64::MIN_POSITIVE).log2();
    f64::from(empty) <= most.min(SOLVABLE)
}

impl Engine<Position> for ScoreFourBest {
    fn choose(&mut self, position: &Position, limit: Option<Duration>) -> Peg {
        let Some(found) = self.think(position, self.budget.within(limit)) else {
            return Peg::ALL[0];
        };
        let score = match found.value {
            Some(-1) => found.best.score.min(-WON_SOMEHOW),
            _ => found.best.score,
        };
        let peg = Peg::under(found.best.ball.trailing_zeros());
        self.last = Some(json!({
            "engine": "best",
            "peg": peg.to_string(),
            "score": score,
            "depth": found.depth,
            "nodes": self.nodes,
            "solved": found.value,
        }));
        peg
    }

    fn explain(&self) -> Option<Value> {
        self.last.clone()
    }
}
