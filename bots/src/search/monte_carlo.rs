//! Monte Carlo searches of the literature: flat, with UCB1 at the root, and UCT.

use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::bandit::{Arm, BanditRule};
use super::mcts_tree::make_room;
use super::{Budget, Candidate, Game, Playout, Stopwatch, value};

/// Flat Monte Carlo: every playout begins with a uniformly random move of the root. Returns all moves; none when the
/// game is over.
///
/// Source: B. Abramson, "Expected-outcome: a general model of static evaluation", IEEE Transactions on
/// Pattern Analysis and Machine Intelligence 12 (1990) 182-193; the random choice of the move is that
/// of the paper on 3D four-in-a-row that `bots/README.md` names.
pub fn flat<G: Game, P: Playout<G>>(
    root: &G,
    playout: &mut P,
    budget: Budget,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Candidate<G::Move>> {
    let choose = |arms: &[Arm], rng: &mut Xoshiro256PlusPlus| rng.random_range(0..arms.len());
    at_root(root, playout, budget, rng, choose)
}

/// Monte Carlo with UCB1 at the root: each move once, then the one with the largest
/// w/m + sqrt(2 ln n / m), for `w` the sum of rewards and `m` the number of playouts of the move and `n`
/// that of all. Returns all moves; none when the game is over.
///
/// Source: P. Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time analysis of the multiarmed bandit
/// problem", Machine Learning 47 (2002) 235-256, as [`BanditRule::Ucb1`].
pub fn ucb1<G: Game, P: Playout<G>>(
    root: &G,
    playout: &mut P,
    budget: Budget,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Candidate<G::Move>> {
    let mut total = 0.0;
    at_root(root, playout, budget, rng, |arms, _| {
        let i = BanditRule::Ucb1.choose(arms, total);
        total += 1.0;
        i
    })
}

/// Playouts after moves of the root that a rule chooses.
fn at_root<G: Game, P: Playout<G>>(
    root: &G,
    playout: &mut P,
    budget: Budget,
    rng: &mut Xoshiro256PlusPlus,
    mut choose: impl FnMut(&[Arm], &mut Xoshiro256PlusPlus) -> usize,
) -> Vec<Candidate<G::Move>> {
    let Some(seat) = root.to_move() else {
        return Vec::new();
    };
    let mut moves = Vec::new();
    root.moves(&mut moves);
    let after = |&mv: &G::Move| {
        let mut next = root.clone();
        next.play(mv);
        next
    };
    let positions: Vec<G> = moves.iter().map(after).collect();
    playout.begin(root);
    let mut arms = vec![Arm::default(); positions.len()];
    let mut watch = Stopwatch::start(budget);
    while watch.grant() {
        let i = choose(&arms, rng);
        let rewards = value(&positions[i], playout, rng);
        arms[i].add(rewards[usize::from(seat)]);
    }
    let candidate = |(mv, arm): (G::Move, Arm)| Candidate {
        mv,
        trials: arm.trials as u64,
        sum: arm.sum,
    };
    moves.into_iter().zip(arms).map(candidate).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UctPlan {
    /// Playouts of a leaf after which it is searched one level deeper, 1 or more.
    pub threshold: u32,
    /// The `c` of mean + c sqrt(ln n / m), for `m` playouts of the move and `n` of the position; sqrt 2 in
    /// UCB1.
    pub exploration: f64,
    /// Bytes of the tree. One that has no room left does not grow any more; the search goes on in it.
    pub memory: usize,
}

impl Default for UctPlan {
    fn default() -> Self {
        Self {
            threshold: 50,
            exploration: std::f64::consts::SQRT_2,
            memory: 400 << 20,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct UctNode<M> {
    mv: M,
    /// Index of the first reply in the arena, 0 before expansion.
    replies: u32,
    count: u32,
    trials: u32,
    /// Sum of rewards for the seat that made the move.
    sum: f64,
}

/// UCT: UCB1 at every node of a tree that grows where playouts go. The arena is used again from move to move.
///
/// Source: L. Kocsis and Cs. Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006, LNCS 4212,
/// 282-293. A leaf becomes a node when its playouts reach a threshold, as in R. Coulom, "Efficient
/// selectivity and backup operators in Monte-Carlo tree search", CG 2006, LNCS 4630, 72-83.
#[derive(Debug)]
pub struct Uct<G: Game> {
    plan: UctPlan,
    arena: Vec<UctNode<G::Move>>,
    moves: Vec<G::Move>,
    path: Vec<(u32, u8)>,
}

impl<G: Game> Uct<G> {
    pub const fn new(plan: UctPlan) -> Self {
        Self {
            plan,
            arena: Vec::new(),
            moves: Vec::new(),
            path: Vec::new(),
        }
    }

    const fn most_nodes(plan: &UctPlan) -> usize {
        plan.memory / size_of::<UctNode<G::Move>>()
    }

    /// Appends the moves of a position to the arena: where they begin and how many there are.
    fn expand(&mut self, position: &G) -> (u32, u32) {
        position.moves(&mut self.moves);
        let first = self.arena.len() as u32;
        make_room(
            &mut self.arena,
            self.moves.len(),
            Self::most_nodes(&self.plan),
        );
        self.arena.extend(self.moves.iter().map(|&mv| UctNode {
            mv,
            replies: 0,
            count: 0,
            trials: 0,
            sum: 0.0,
        }));
        (first, self.moves.len() as u32)
    }

    /// The node among `count` from `first` to try next: an untried one first, then by the formula.
    #[inline]
    fn select(&self, first: u32, count: u32, trials: u32) -> u32 {
        let log = f64::from(trials.max(1)).ln() * self.plan.exploration * self.plan.exploration;
        let (mut best, mut best_score) = (first, f64::NEG_INFINITY);
        let nodes = &self.arena[first as usize..(first + count) as usize];
        for (i, node) in (first..).zip(nodes) {
            if node.trials == 0 {
                return i;
            }
            let m = f64::from(node.trials);
            let score = node.sum / m + (log / m).sqrt();
            if score > best_score {
                (best, best_score) = (i, score);
            }
        }
        best
    }

    /// Searches from `root` with a fresh tree and gives all its moves; none when the game is over.
    pub fn search<P: Playout<G>>(
        &mut self,
        root: &G,
        playout: &mut P,
        budget: Budget,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<Candidate<G::Move>> {
        self.arena.clear();
        if root.to_move().is_none() {
            return Vec::new();
        }
        playout.begin(root);
        let (first, width) = self.expand(root);
        let most_nodes = Self::most_nodes(&self.plan);
        let mut watch = Stopwatch::start(budget);
        while watch.grant() {
            let mut position = root.clone();
            let (mut begin, mut count, mut trials) = (first, width, watch.done() as u32 - 1);
            self.path.clear();
            while let Some(seat) = position.to_move() {
                let chosen = self.select(begin, count, trials);
                self.path.push((chosen, seat));
                let node = self.arena[chosen as usize];
                position.play(node.mv);
                (begin, count, trials) = (node.replies, node.count, node.trials);
                if count == 0 {
                    let is_full = self.arena.len() >= most_nodes;
                    if trials < self.plan.threshold || is_full || position.to_move().is_none() {
                        break;
                    }
                    (begin, count) = self.expand(&position);
                    let node = &mut self.arena[chosen as usize];
                    (node.replies, node.count) = (begin, count);
                }
            }
            let rewards = value(&position, playout, rng);
            for &(i, seat) in &self.path {
                let node = &mut self.arena[i as usize];
                node.trials += 1;
                node.sum += rewards[usize::from(seat)];
            }
        }
        let nodes = &self.arena[first as usize..(first + width) as usize];
        let candidate = |node: &UctNode<G::Move>| Candidate {
            mv: node.mv,
            trials: u64::from(node.trials),
            sum: node.sum,
        };
        nodes.iter().map(candidate).collect()
    }

    pub const fn size(&self) -> usize {
        self.arena.len()
    }
}
