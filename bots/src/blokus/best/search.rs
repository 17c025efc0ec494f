//! The search of `best`: every seat for itself, guided by what [`Judge`] thinks of the moves, with values of [`Evaluation`] and
//! of playouts.
//!
//! The selection is the PUCT of D. Silver et al., "Mastering the game of Go without human knowledge",
//! Nature 550 (2017) 354-359, with the value of a move that has not been tried set to that of its position
//! less a constant.

use std::sync::Arc;
use std::time::Instant;

use games::blokus::{Board, Placement, SEATS, Scene, Scoring};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::evaluation::Evaluation;
use super::judge::{Judge, Judged};
use super::survey::Inputs;
use super::tree::{Edge, NONE, Tree};
use crate::blokus::RowPlayout;
use crate::blokus::game::counted;
use crate::search::{Budget, Candidate, Pace, Rewards, Stopwatch};

/// What may be set of the search of `best`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Weight of the trust in a move against its value.
    pub exploration: f64,
    /// What a move that was not tried is expected to be worth less than its position.
    pub pessimism: f64,
    /// Divides the logits of the moves before the softmax.
    pub temperature: f64,
    /// Share of the scores in the reward, in [0, 1]; the rest is the share in the win.
    pub score_share: f64,
    /// Points of difference by which the score's part of the reward changes by a factor of e.
    pub score_scale: f64,
    /// Epsilon of the playouts.
    pub epsilon: f64,
    /// Visits of a move after which the position after it is searched.
    pub threshold: u32,
    /// Most moves of a position that are searched, but for the root.
    pub width: usize,
    /// Share of the [`Evaluation`] in the value of a position, in [0, 1]; the rest comes from a playout. It falls to nothing
    /// between plies 40 and 60, after which playouts predict better.
    pub trust: f64,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            exploration: 0.35,
            pessimism: 0.05,
            temperature: 1.0,
            score_share: 1.0,
            score_scale: 6.0,
            epsilon: 0.05,
            threshold: 1,
            width: 48,
            trust: 0.75,
        }
    }
}

/// Plies between which the share of the evaluation falls to nothing.
const FADES: [f64; 2] = [40.0, 60.0];
/// Moves at which the tree stops growing: 200 MB, and less than 400 MB as the memory doubles.
const FULL: usize = 10_000_000;
/// The root's number in the tree.
const ROOT: u32 = 0;
/// Most moves of the root that are searched.
const ROOT_WIDTH: usize = 400;

/// A search whose memory is used again from move to move.
pub(super) struct Search {
    plan: Plan,
    pub(super) advice: Option<Advice>,
    /// When the search is to be over.
    deadline: Option<Instant>,
    shaping: Shaping,
    judge: Judge,
    evaluation: Arc<Evaluation>,
    inputs: [Inputs; SEATS],
    playout: RowPlayout,
    tree: Tree,
    judged: Vec<Judged>,
    path: Vec<(usize, u32, u8)>,
    pub(super) depths: u64,
    pub(super) playouts: u64,
}

impl Search {
    pub(super) fn new(
        plan: Plan,
        judge: Judge,
        evaluation: Arc<Evaluation>,
        advice: Option<Advice>,
    ) -> Self {
        Self {
            advice,
            deadline: None,
            shaping: Shaping::new(plan.score_share, plan.score_scale),
            judge,
            evaluation,
            inputs: Default::default(),
            playout: RowPlayout::new(plan.epsilon),
            tree: Tree::default(),
            judged: Vec::with_capacity(2048),
            path: Vec::with_capacity(128),
            depths: 0,
            playouts: 0,
            plan,
        }
    }

    /// Searches from `root` and gives its moves with their playouts; none when the game is over.
    pub(super) fn search(
        &mut self,
        scene: &Scene,
        mut budget: Budget,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<Candidate<Placement>> {
        let root = scene.board();
        (self.depths, self.playouts) = (0, 0);
        self.tree.clear();
        if root.to_move().is_none() {
            return Vec::new();
        }
        let node = self.expand(root, ROOT_WIDTH);
        if self.tree.moves(node).len() == 1 {
            budget.playouts = 1;
        }
        let begin = Instant::now();
        let mut watch = Stopwatch::since(begin, budget);
        self.deadline = budget.time.and_then(|time| begin.checked_add(time));
        if let Some(advice) = &mut self.advice {
            advice.begin();
            if self.tree.moves(node).len() > 1 {
                self.take_advice(scene, node);
            }
        }
        while watch.grant() {
            self.run(scene, rng);
            if watch.done().is_multiple_of(64)
                && watch
                    .left_on_time()
                    .is_some_and(|left| self.lead() > self.visits_of(left, watch.done()))
            {
                break;
            }
        }
        self.playouts = watch.done();
        let edges = &self.tree.edges[self.tree.moves(0)];
        let candidate = |edge: &Edge| Candidate {
            mv: edge.mv,
            trials: u64::from(edge.visits),
            sum: f64::from(edge.sum),
        };
        edges.iter().map(candidate).collect()
    }

    /// By how many playouts the first move leads before the second.
    fn lead(&self) -> u64 {
        let (mut first, mut second) = (0, 0);
        for edge in &self.tree.edges[self.tree.moves(0)] {
            if edge.visits > first {
                (first, second) = (edge.visits, first);
            } else {
                second = second.max(edge.visits);
            }
        }
        u64::from(first - second)
    }

    /// Visits that the playouts that are left will be, if they are like those that are done: advice counts as several.
    fn visits_of(&self, left: u64, done: u64) -> u64 {
        let Some(advice) = &self.advice else {
            return left;
        };
        let visits = u64::from(self.tree.node(ROOT).visits);
        left.saturating_mul(visits) / done.max(1) + u64::from(advice.plan.weight)
    }

    /// Takes advice on a position of the tree; gives its worth, which is booked on the way there. In the position's own
    /// mean, from which the value of its untried moves is taken, it made the search weaker (.443 +- .072 against without).
    fn take_advice(&mut self, scene: &Scene, node: u32) -> Option<Rewards> {
        let advice = self.advice.as_mut()?;
        self.tree.nodes[node as usize].is_advised = true;
        let (logits, worth) = advice.ask(scene, node == ROOT, self.deadline)?;
        self.judge.judge(scene.board(), &mut self.judged);
        let scale = 1.0 / self.plan.temperature as f32;
        for (judged, logit) in self.judged.iter_mut().zip(logits) {
            judged.logit = logit * scale;
        }
        let width = if node == ROOT {
            ROOT_WIDTH
        } else {
            self.plan.width
        };
        self.tree.replace(node, &mut self.judged, width);
        Some(worth)
    }

    fn expand(&mut self, board: &Board, width: usize) -> u32 {
        self.judge.judge(board, &mut self.judged);
        let scale = 1.0 / self.plan.temperature as f32;
        for judged in &mut self.judged {
            judged.logit *= scale;
        }
        self.tree.add(&mut self.judged, width)
    }

    fn run(&mut self, root: &Scene, rng: &mut Xoshiro256PlusPlus) {
        let mut board = *root.board();
        let mut node = 0;
        self.path.clear();
        let mut weight = 1;
        let rewards = loop {
            let Some(mover) = board.to_move() else {
                break self
                    .shaping
                    .rewards(counted(&board, board.scores(Scoring::Advanced)));
            };
            let edge = self.select(node);
            self.path.push((edge, node, mover.seat()));
            let Glance { mv, visits, child } = self.glance(edge);
            board.play_unchecked(mv);
            if board.to_move().is_none() {
                continue;
            }
            if child != NONE {
                node = child;
                if let Some(rewards) = self.advised(root, node) {
                    weight = self.advice.as_ref().map_or(1, |advice| advice.plan.weight);
                    break rewards;
                }
            } else if visits < self.plan.threshold || self.tree.edges.len() > FULL {
                break self.value(&board, rng);
            } else {
                node = self.expand(&board, self.plan.width);
                self.tree.edges[edge].child = node;
            }
        };
        self.depths += self.path.len() as u64;
        self.book(&rewards, weight);
    }

    /// What a position that is new to the tree is worth to each seat.
    fn value(&mut self, board: &Board, rng: &mut Xoshiro256PlusPlus) -> Rewards {
        let [begin, end] = FADES;
        let ply = f64::from(board.ply());
        let trust = self.plan.trust * ((end - ply) / (end - begin)).clamp(0.0, 1.0);
        let mut value = [0.0; SEATS];
        if trust > 0.0 {
            value = self.evaluation.shares(board, &mut self.inputs);
        }
        if trust < 1.0 {
            let rewards = self.shaping.rewards(self.playout.scores(board, rng));
            for (value, reward) in value.iter_mut().zip(rewards) {
                *value = trust * *value + (1.0 - trust) * reward;
            }
        }
        value
    }

    /// The advice on the position that the path has come to, if it is time for it.
    fn advised(&mut self, root: &Scene, node: u32) -> Option<Rewards> {
        let advice = self.advice.as_ref()?;
        let known = self.tree.node(node);
        let is_full = self.tree.edges.len() > FULL;
        if known.is_advised || known.visits < advice.plan.visits || is_full {
            return None;
        }
        let mut scene = *root;
        for &(edge, ..) in &self.path {
            scene.play_unchecked(self.tree.edges[edge].mv);
        }
        self.take_advice(&scene, node)
    }

    fn glance(&self, edge: usize) -> Glance {
        let edge = &self.tree.edges[edge];
        Glance {
            mv: edge.mv,
            visits: edge.visits,
            child: edge.child,
        }
    }

    fn book(&mut self, rewards: &Rewards, weight: u32) {
        for &(edge, node, seat) in &self.path {
            let reward = rewards[usize::from(seat) % SEATS] as f32;
            let edge = &mut self.tree.edges[edge];
            edge.visits += weight;
            edge.sum += reward * weight as f32;
            let node = &mut self.tree.nodes[node as usize];
            node.visits += weight;
            node.sum += reward * weight as f32;
        }
    }

    /// The move to try next. All moves that were not tried have the same value, so only the likeliest of
    /// them need be looked at.
    fn select(&mut self, node: u32) -> usize {
        let range = self.tree.moves(node);
        let tried = usize::from(self.tree.node(node).tried);
        let here = self.tree.node(node);
        let total = here.visits.max(1) as f32;
        let scale = self.plan.exploration as f32 * total.sqrt();
        let fallback = if here.visits == 0 {
            0.25
        } else {
            here.sum / total - self.plan.pessimism as f32
        };
        let (mut best, mut best_score) = (range.start, f32::NEG_INFINITY);
        for (i, edge) in self.tree.edges[range.clone()]
            .iter()
            .enumerate()
            .take(tried + 1)
        {
            let visits = edge.visits as f32;
            let value = if edge.visits == 0 {
                fallback
            } else {
                edge.sum / visits
            };
            let score = value + scale * edge.prior / (1.0 + visits);
            if score > best_score {
                (best, best_score) = (range.start + i, score);
            }
        }
        if best == range.start + tried {
            self.tree.nodes[node as usize].tried += 1;
        }
        best
    }
}

/// What a playout needs of a move.
struct Glance {
    mv: Placement,
    visits: u32,
    child: u32,
}

/// Rewards that mix the share in the win with the scores: they tell a narrow loss from a clear one, which
/// the share in the win does not, and so more about a move from few playouts. The part of the scores is
/// their softmax. The sum over the seats is 1.
#[derive(Clone, Debug)]
pub(super) struct Shaping {
    score_share: f64,
    /// exp(-difference / scale), by difference to the best score.
    decay: [f64; 128],
}

impl Shaping {
    pub(super) fn new(score_share: f64, score_scale: f64) -> Self {
        let mut decay = [0.0; 128];
        for (difference, value) in decay.iter_mut().enumerate() {
            *value = (-(difference as f64) / score_scale).exp();
        }
        Self { score_share, decay }
    }

    /// The rewards by seat, from the advanced scores.
    pub(super) fn rewards(&self, scores: [i16; SEATS]) -> Rewards {
        let best = scores.into_iter().max().unwrap_or_default();
        let winners = scores.iter().filter(|&&score| score == best).count();
        let win = (1.0 - self.score_share) / winners as f64;
        let trust =
            scores.map(|score| self.decay[usize::from((best - score).unsigned_abs()) & 127]);
        let scale = self.score_share / trust.iter().sum::<f64>();
        let mut rewards = trust.map(|trust| trust * scale);
        for (reward, score) in rewards.iter_mut().zip(scores) {
            if score == best {
                *reward += win;
            }
        }
        rewards
    }
}

/// What knows more of positions than the judge of `best`.
pub(in crate::blokus) trait Adviser: Send {
    /// Clears `logits` and fills it with one for each of all legal `moves`, in their order; gives the worth of the position
    /// to each seat, 0 to 1, or nothing when it cannot.
    fn advise(
        &mut self,
        scene: &Scene,
        moves: &[Placement],
        logits: &mut Vec<f32>,
    ) -> Option<Rewards>;
}

/// When advice is taken, and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::blokus) struct AdvicePlan {
    /// Visits of a position after which advice on it is taken; the root's is taken first.
    pub visits: u32,
    /// Playouts that its value counts as.
    pub weight: u32,
}

/// An adviser, and what is needed to ask it about positions that have been visited often: a network knows more of a
/// position than [`Judge`] and a few playouts, but takes as long as dozens of them.
pub(super) struct Advice {
    pub(super) plan: AdvicePlan,
    adviser: Box<dyn Adviser>,
    moves: Vec<Placement>,
    logits: Vec<f32>,
    /// What an answer takes.
    pace: Pace,
    /// Answers of this search.
    pub(super) count: u64,
    /// It has failed: nothing more is asked in this search.
    is_silent: bool,
}

impl Advice {
    /// With an adviser and what an answer of it takes.
    pub(super) fn new((adviser, pace): (Box<dyn Adviser>, Pace), plan: AdvicePlan) -> Self {
        Self {
            plan,
            adviser,
            moves: Vec::new(),
            logits: Vec::new(),
            pace,
            count: 0,
            is_silent: false,
        }
    }

    /// A search begins.
    pub(super) const fn begin(&mut self) {
        (self.count, self.is_silent) = (0, false);
    }

    /// The logits of a position's legal moves, in the order of their indices, and its worth; nothing when there is no time
    /// for it. The root may take half of what there is, if an answer can be as quick as that: there is a sample of what
    /// answers take in every search.
    pub(super) fn ask(
        &mut self,
        scene: &Scene,
        is_root: bool,
        deadline: Option<Instant>,
    ) -> Option<(&[f32], Rewards)> {
        let begin = Instant::now();
        let cost = if is_root {
            2 * self.pace.least()
        } else {
            self.pace.usual()
        };
        if self.is_silent || deadline.is_some_and(|deadline| begin + cost > deadline) {
            return None;
        }
        scene.board().legal_moves(&mut self.moves);
        let worth = self
            .adviser
            .advise(scene, &self.moves, &mut self.logits)
            .filter(|_| self.logits.len() == self.moves.len());
        self.is_silent = worth.is_none();
        let worth = worth?;
        self.count += 1;
        self.pace.learn(begin.elapsed());
        Some((&self.logits, worth))
    }
}
