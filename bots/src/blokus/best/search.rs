//! The search of `best`: every seat for itself, guided by what [`Judge`] thinks of the moves, with values of [`Evaluation`] and
//! of playouts.
//!
//! The selection is the PUCT of D. Silver et al., "Mastering the game of Go without human knowledge",
//! Nature 550 (2017) 354-359, with the value of a move that has not been tried set to that of its position
//! less a constant.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use games::blokus::{Board, Placement, SEATS, Scene, Scoring};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::evaluation::Evaluation;
use super::judge::{Judge, Judged, Sheet};
use super::survey::SeatInputs;
use super::tree::{JudgedTree, TreeStep};
use crate::blokus::RowPlayout;
use crate::blokus::game::counted;
use crate::search::tree::{NONE, ROOT};
use crate::search::{Rewards, StepTime, Stopwatch, lock};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestPlan {
    /// Share of the scores in the reward, in [0, 1]; the rest is the share in the win.
    pub score_share: f64,
    /// Share of the [`Evaluation`] in the value of a position, in [0, 1]; the rest comes from a playout. It falls to nothing
    /// between plies 40 and 60, after which playouts predict better.
    pub trust: f64,
    /// Whether a search without advice uses only a part of its budget in the opening, where more has no proven gain. Searches
    /// to learn from should use all of it.
    pub saves: bool,
}

impl Default for BestPlan {
    fn default() -> Self {
        Self {
            score_share: 1.0,
            trust: 0.75,
            saves: true,
        }
    }
}

#[derive(Clone, Debug)]
pub struct BestNetworks {
    pub plan: BestPlan,
    pub judge: Arc<Judge>,
    pub evaluation: Arc<Evaluation>,
}

impl Default for BestNetworks {
    fn default() -> Self {
        Self {
            plan: BestPlan::default(),
            judge: Judge::built_in(),
            evaluation: Evaluation::built_in(),
        }
    }
}

/// Weight of the trust in a move against its value.
const EXPLORATION: f32 = 0.35;
/// What a move that was not tried is expected to be worth less than its position.
const PESSIMISM: f32 = 0.05;
/// Points of difference by which the score's part of the reward changes by a factor of e.
const SCORE_SCALE: f64 = 6.0;
const EPSILON: f64 = 0.05;
/// Most moves of a position that are searched, but for the root.
const WIDTH: usize = 48;
/// Plies between which the share of the evaluation falls to nothing.
const FADES: [f64; 2] = [40.0, 60.0];
/// Most moves of the root that are searched.
const ROOT_WIDTH: usize = 400;

/// Playouts of all threads in the opening, if the budget allows so many.
pub(super) const LEAST_PLAYOUTS: u64 = 1300;

/// The part of its budget, 0 to 1, that a search without advice uses if that is more than [`LEAST_PLAYOUTS`]; advice was not
/// measured. A playout takes the longest in the first 24 plies. There 7,000 in place of 1,300 have no proven gain (-0.1 +- 1.1
/// points), though they gain 0.8 +- 0.7 in plies 16 to 23 alone.
const fn part_of_budget(ply: u16) -> f64 {
    match ply {
        0..16 => 0.2,
        16..24 => 0.6,
        _ => 1.0,
    }
}

enum Stop {
    Over,
    /// The position is not to join the tree.
    Leaf,
    /// It is time for advice on a position.
    Due(u32),
    New(usize),
}

/// What a thread needs to search in a tree that it may share with others. Its memory is used again from move to move.
pub(super) struct BestSearch {
    plan: BestPlan,
    pub(super) advice: Option<Advice>,
    shaping: Shaping,
    judge: Arc<Judge>,
    sheet: Sheet,
    evaluation: Arc<Evaluation>,
    inputs: [SeatInputs; SEATS],
    playout: RowPlayout,
    judged: Vec<Judged>,
    path: Vec<TreeStep>,
    pub(super) depths: u64,
    pub(super) playouts: u64,
}

impl BestSearch {
    pub(super) fn new(networks: &BestNetworks, advice: Option<Advice>) -> Self {
        let plan = networks.plan;
        Self {
            advice,
            shaping: Shaping::new(plan.score_share, SCORE_SCALE),
            judge: Arc::clone(&networks.judge),
            sheet: Sheet::new(),
            evaluation: Arc::clone(&networks.evaluation),
            inputs: Default::default(),
            playout: RowPlayout::new(EPSILON),
            judged: Vec::with_capacity(2048),
            path: Vec::with_capacity(128),
            depths: 0,
            playouts: 0,
            plan,
        }
    }

    /// Makes `scene` the root of the tree, in place of what was there, and takes advice on it if it has several moves; gives
    /// their number. The game must not be over.
    pub(super) fn plant(&mut self, scene: &Scene, tree: &mut JudgedTree) -> usize {
        tree.clear();
        self.judge(scene.board());
        let root = tree.add_judged(&mut self.judged, ROOT_WIDTH);
        let moves = tree.moves(root).len();
        if moves > 1 && self.take_advice(scene, true).is_some() {
            tree.judge_again(root, &mut self.judged, ROOT_WIDTH);
        }
        moves
    }

    pub(super) fn begin(&mut self, deadline: Option<Instant>) {
        (self.depths, self.playouts) = (0, 0);
        if let Some(advice) = &mut self.advice {
            advice.begin(deadline);
        }
    }

    /// Expects an answer to take as long as one of `other`, which has asked about the root of this search.
    pub(super) const fn take_pace_of(&mut self, other: &Self) {
        if let (Some(own), Some(other)) = (&mut self.advice, &other.advice) {
            own.pace = other.pace;
        }
    }

    /// Searches from the root of `tree`, which is `scene`, for as long as `watch` grants playouts and another move could still
    /// be visited more than the first. In the opening it uses a part of the budget, but makes `least` playouts.
    pub(super) fn search(
        &mut self,
        scene: &Scene,
        tree: &Mutex<JudgedTree>,
        mut watch: Stopwatch,
        least: u64,
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let part = if self.plan.saves && self.advice.is_none() {
            part_of_budget(scene.board().ply())
        } else {
            1.0
        };
        while watch.grant() {
            self.run(scene, tree, rng);
            if watch.done().is_multiple_of(64) {
                let least = least.saturating_sub(watch.done());
                let left = watch.left(part).max(least.min(watch.left(1.0)));
                let tree = lock(tree);
                if left == 0 || tree.lead() > self.visits_of(left, watch.done(), &tree) {
                    break;
                }
            }
        }
        self.playouts = watch.done();
    }

    /// Visits that all threads still add, if this one has so many playouts left and the others are as fast: advice counts as
    /// several.
    fn visits_of(&self, left: u64, done: u64, tree: &JudgedTree) -> u64 {
        let weight = |advice: &Advice| u64::from(advice.plan.weight);
        let weight = self.advice.as_ref().map_or(0, weight);
        let visits = u64::from(tree.node(ROOT).visits);
        let edges = tree.moves(ROOT).iter();
        let pending: u64 = edges.map(|edge| u64::from(edge.pending)).sum();
        left.saturating_mul(visits) / done.max(1) + pending * weight.max(1) + weight
    }

    /// Takes advice on a position: `judged` are its moves with the logits of the advice. Gives its worth, which is booked on
    /// the way there. In the position's own mean, from which the value of its untried moves is taken, it made the search weaker
    /// (.443 +- .072 against without).
    fn take_advice(&mut self, scene: &Scene, is_root: bool) -> Option<Rewards> {
        let (logits, worth) = self.advice.as_mut()?.ask(scene, is_root)?;
        self.judge
            .judge(scene.board(), &mut self.sheet, &mut self.judged);
        for (judged, &logit) in self.judged.iter_mut().zip(logits) {
            judged.logit = logit;
        }
        Some(worth)
    }

    fn judge(&mut self, board: &Board) {
        self.judge.judge(board, &mut self.sheet, &mut self.judged);
    }

    /// One playout. Other threads use the tree while this one evaluates, judges or asks for advice.
    fn run(&mut self, root: &Scene, tree: &Mutex<JudgedTree>, rng: &mut Xoshiro256PlusPlus) {
        let mut board = *root.board();
        let mut node = ROOT;
        self.path.clear();
        let (rewards, weight) = loop {
            // The lock is held until the descent stops.
            let stop = self.descend(&mut lock(tree), node, &mut board);
            match stop {
                Stop::Over => {
                    let scores = counted(&board, board.scores(Scoring::Advanced));
                    break (self.shaping.rewards(scores), 1);
                }
                Stop::Leaf => break (self.value(&board, rng), 1),
                Stop::Due(due) => {
                    node = due;
                    let scene = self.scene(root, &lock(tree));
                    if let Some(worth) = self.take_advice(&scene, false) {
                        lock(tree).judge_again(node, &mut self.judged, WIDTH);
                        break (worth, self.weight());
                    }
                }
                Stop::New(edge) => {
                    self.judge(&board);
                    let mut tree = lock(tree);
                    // Another thread may have added the position in the meantime. If one has replaced these edges, the search does
                    // not find what this thread adds to them.
                    node = tree.edges[edge].child;
                    if node == NONE {
                        node = tree.add_judged(&mut self.judged, WIDTH);
                        tree.edges[edge].child = node;
                    }
                }
            }
        };
        self.depths += self.path.len() as u64;
        lock(tree).book(&self.path, &rewards, weight);
    }

    /// Goes down from a position of the tree, which is the board, to where something is to be done without the tree.
    fn descend(&mut self, tree: &mut JudgedTree, from: u32, board: &mut Board) -> Stop {
        let mut node = from;
        while let Some(mover) = board.to_move() {
            let number = tree.select(node, EXPLORATION, PESSIMISM);
            self.path.push((number, node, mover.seat()));
            let edge = tree.edges[number];
            board.play_unchecked(edge.mv);
            if board.to_move().is_none() {
                break;
            }
            node = edge.child;
            if node != NONE {
                if self.is_due(node, tree) {
                    tree.node_mut(node).data.is_advised = true;
                    return Stop::Due(node);
                }
            } else if edge.visits == 0 || tree.is_full() {
                return Stop::Leaf;
            } else {
                return Stop::New(number);
            }
        }
        Stop::Over
    }

    /// Playouts that advice counts as.
    fn weight(&self) -> u32 {
        self.advice.as_ref().map_or(1, |advice| advice.plan.weight)
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

    fn is_due(&self, node: u32, tree: &JudgedTree) -> bool {
        let node = tree.node(node);
        self.advice.as_ref().is_some_and(|advice| {
            !node.data.is_advised && node.visits >= advice.plan.visits && !tree.is_full()
        })
    }

    fn scene(&self, root: &Scene, tree: &JudgedTree) -> Scene {
        let mut scene = *root;
        for &(edge, ..) in &self.path {
            scene.play_unchecked(tree.edges[edge].mv);
        }
        scene
    }
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
    pace: StepTime,
    deadline: Option<Instant>,
    pub(super) count: u64,
    /// It has failed: nothing more is asked in this search.
    is_silent: bool,
}

impl Advice {
    pub(super) fn new((adviser, pace): (Box<dyn Adviser>, StepTime), plan: AdvicePlan) -> Self {
        Self {
            plan,
            adviser,
            moves: Vec::new(),
            logits: Vec::new(),
            pace,
            deadline: None,
            count: 0,
            is_silent: false,
        }
    }

    const fn begin(&mut self, deadline: Option<Instant>) {
        (self.count, self.is_silent, self.deadline) = (0, false, deadline);
    }

    /// The logits of a position's legal moves, in the order of their indices, and its worth; nothing when there is no time
    /// for it. The root may take half of what there is, if an answer can be as quick as that: there is a sample of what
    /// answers take in every search.
    fn ask(&mut self, scene: &Scene, is_root: bool) -> Option<(&[f32], Rewards)> {
        let begin = Instant::now();
        let cost = if is_root {
            2 * self.pace.least()
        } else {
            self.pace.usual()
        };
        if self.is_silent
            || self
                .deadline
                .is_some_and(|deadline| begin + cost > deadline)
        {
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
