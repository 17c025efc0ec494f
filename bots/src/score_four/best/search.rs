//! Alpha-beta with iterative deepening.
//!
//! Sources: principal variation search, T. A. Marsland and M. Campbell, "Parallel search of strongly
//! ordered game trees", Computing Surveys 14 (1982) 533-551; late moves are searched less deeply, as in many programs for
//! chess. A ball that must stop a line costs no depth, so that forced wins are found far beyond it; a ball below a threat of
//! the other seat is not tried.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use games::score_four::Position;

use super::board::{Board, Moves};
use super::network::{UnitSums, ValueNetwork};
use super::order::{Candidates, NO_SQUARE, Order};
use super::proof::upper_bound;
use crate::search::{Bound, TranspositionTable, is_over};

/// The score of a line completed with ball `n` is `WIN - n` for its owner.
pub(super) const WIN: i32 = 20_000;
/// A higher score is a proven win, its negative a proven loss.
pub const WON: i32 = WIN - 100;
/// A win by strategy, at a ball unknown; scores beyond this are won with a known ball.
pub(super) const WON_SOMEHOW: i32 = WIN - 70;
/// Most empty squares where strategies are looked for.
const STRATEGY_FROM: u32 = 40;
/// Half the width of the first window around the last score.
const WINDOW: i32 = 300;
/// A window that failed becomes `WIDER` times as wide.
const WIDER: i32 = 4;
/// A wider window than this is the whole.
const WIDEST: i32 = 3_000;

/// A node: the board, and the sums of the evaluation.
#[derive(Clone, Copy)]
struct VisitedNode {
    board: Board,
    sums: UnitSums,
    balls: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct RootChoice {
    /// The square of the ball.
    pub ball: u64,
    /// The score for the seat to move, in thousandths of a logit.
    pub score: i32,
}

/// When a search ends.
#[derive(Clone, Copy, Debug)]
pub struct NodeLimits {
    pub(super) nodes: u64,
    pub(super) until: Option<Instant>,
}

impl NodeLimits {
    pub(super) const NONE: Self = Self {
        nodes: u64::MAX,
        until: None,
    };

    pub const fn nodes(nodes: u64) -> Self {
        Self { nodes, until: None }
    }

    /// The same for each of some threads: the nodes are theirs together.
    pub(super) const fn of_each(self, threads: usize) -> Self {
        Self {
            nodes: self.nodes / threads as u64,
            ..self
        }
    }

    /// Whether a search that has had `nodes` nodes must stop; it looks at the clock now and then.
    #[inline]
    pub(super) fn reached(&self, nodes: u64) -> bool {
        nodes >= self.nodes || nodes.is_multiple_of(1024) && is_over(self.until)
    }
}

/// What is known of the moves of a position before its search.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProvenMoves {
    /// Moves that lose: they are searched only if there is no other.
    pub(super) lost: u64,
    /// Moves that do not win: their score is a draw at most.
    pub(super) not_won: u64,
    /// Whether the seat to move loses: strategies, which the other seat may not know, are left out of the search.
    pub(super) hopeless: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Deepened {
    pub best: RootChoice,
    pub(super) depth: u32,
    pub(super) only: bool,
    /// The value for the seat to move, 1 or -1, if the search has proven it.
    pub(super) value: Option<i32>,
}

impl Deepened {
    /// Another move with its score, and the value.
    pub(super) fn with(self, ball: u64, score: i32, value: Option<i32>) -> Self {
        Self {
            best: RootChoice { ball, score },
            value,
            ..self
        }
    }
}

/// Alpha-beta with its table, whose memory is used again.
pub struct NetworkSearch {
    network: &'static ValueNetwork,
    /// Shared by the threads of a search, as `stop` is.
    table: Arc<TranspositionTable>,
    pub(super) stop: Arc<AtomicBool>,
    /// Whether others follow this search: the others begin a ply deeper.
    leads: bool,
    order: Order,
    /// Plies that late moves are searched less, by depth and number of the move.
    reductions: [[i32; 17]; 65],
    /// Whether nodes take their value from a strategy.
    strategies: bool,
    /// Moves of the last root, the most promising first.
    pub(super) root: Vec<u64>,
    limits: NodeLimits,
    pub(super) nodes: u64,
    stopped: bool,
}

pub(super) struct OutOfLimits;

impl NetworkSearch {
    /// With a table of `2^bits` pairs of positions.
    pub fn new(network: &'static ValueNetwork, bits: u32) -> Self {
        let reduction = |depth: usize, i: usize| match (depth, i) {
            (3.., 2..) => (0.3 + 0.5 * (depth as f64).ln() * (i as f64).ln()) as i32,
            _ => 0,
        };
        Self {
            network,
            table: Arc::new(TranspositionTable::new(bits)),
            stop: Arc::default(),
            leads: true,
            order: Order::new(),
            reductions: std::array::from_fn(|depth| std::array::from_fn(|i| reduction(depth, i))),
            strategies: true,
            root: Vec::new(),
            limits: NodeLimits::NONE,
            nodes: 0,
            stopped: false,
        }
    }

    /// One for another thread, which shares the table.
    pub(super) fn follower(&self) -> Self {
        Self {
            network: self.network,
            table: Arc::clone(&self.table),
            stop: Arc::clone(&self.stop),
            leads: false,
            order: Order::new(),
            reductions: self.reductions,
            strategies: true,
            root: Vec::new(),
            limits: NodeLimits::NONE,
            nodes: 0,
            stopped: false,
        }
    }

    /// A search of another position of any game begins.
    pub fn begin(&mut self, limits: NodeLimits) {
        self.limits = limits;
        self.nodes = 0;
        self.stopped = false;
        if self.leads {
            self.table.grow_old();
        }
        self.order.grow_old();
    }

    /// Forgets all, so that the next search depends on nothing before it.
    pub(super) fn forget(&mut self) {
        if self.leads {
            self.table.clear();
        }
        self.order = Order::new();
    }

    /// The node after a ball, which leads to `board`.
    #[inline]
    fn child(&self, node: &VisitedNode, ball: u64, board: Board) -> VisitedNode {
        let boards = (&node.board, &board, node.balls);
        VisitedNode {
            board,
            sums: self
                .network
                .after(&node.sums, ball.trailing_zeros(), boards),
            balls: node.balls + 1,
        }
    }

    #[inline]
    fn evaluate(&self, node: &VisitedNode) -> i32 {
        self.network.value_for_mover(&node.sums, node.balls)
    }

    fn tick(&mut self) -> Result<(), OutOfLimits> {
        let is_told = || self.stop.load(Ordering::Relaxed);
        if self.limits.reached(self.nodes) || self.nodes.is_multiple_of(1024) && is_told() {
            self.stopped = true;
            return Err(OutOfLimits);
        }
        self.nodes += 1;
        Ok(())
    }

    /// The value of the node after a ball for its mover, exact between `alpha` and `beta`. The ball completes no line.
    fn search(
        &mut self,
        parent: &VisitedNode,
        ball: u64,
        depth: i32,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, OutOfLimits> {
        self.tick()?;
        let board = parent.board.after(ball);
        let balls = parent.balls as i32 + 1;
        let safe = match board.moves() {
            Moves::Win(_) => return Ok(WIN - (balls + 1)),
            Moves::Lost => return Ok(-(WIN - (balls + 2))),
            Moves::Full => return Ok(0),
            Moves::Forced(reply) => {
                let node = self.child(parent, ball, board);
                return Ok(-self.search(&node, reply, depth, -beta, -alpha)?);
            }
            Moves::Safe(safe) => safe,
        };
        // Neither seat wins with its next ball.
        alpha = alpha.max(-(WIN - (balls + 4)));
        beta = beta.min(WIN - (balls + 3));
        if alpha >= beta {
            return Ok(alpha);
        }
        if depth <= 0 {
            return Ok(self.evaluate(&self.child(parent, ball, board)));
        }
        let key = board.key();
        let mut hint = NO_SQUARE;
        if let Some(entry) = self.table.get(key) {
            let score = i32::from(entry.score);
            hint = u32::from(entry.mv);
            // Won games are won at any depth.
            let (won, lost) = (score > WON, score < -WON);
            let deep = i32::from(entry.depth) >= depth;
            let enough = match entry.bound {
                Bound::Exact => deep || won || lost,
                Bound::Lower => score >= beta && (deep || won),
                Bound::Upper => score <= alpha && (deep || lost),
            };
            let by_strategy = (won || lost) && score.abs() <= WON_SOMEHOW;
            if enough && (self.strategies || !by_strategy) {
                return Ok(score);
            }
        }
        let mut most = WIN;
        if self.strategies && 64 - balls as u32 <= STRATEGY_FROM {
            match upper_bound(&board) {
                -1 => return Ok(-WON_SOMEHOW),
                0 if alpha >= 0 => return Ok(0),
                0 => most = 0,
                _ => {}
            }
            beta = beta.min(most.max(alpha + 1));
        }
        let node = self.child(parent, ball, board);
        let seat = (balls & 1) as usize;
        let mut moves = Candidates::of(seat, ball.trailing_zeros());
        let mut rest = safe;
        while rest != 0 {
            let ball = rest & rest.wrapping_neg();
            rest ^= ball;
            if depth > 1 {
                let boards = (&board, &board.after(ball));
                moves.push(&self.order, boards, ball, hint, 0);
            } else {
                moves.push_worth(i32::from(ball.trailing_zeros() == hint), ball);
            }
        }
        let old_alpha = alpha;
        let mut best = RootChoice {
            ball: 0,
            score: -WIN,
        };
        let reductions = self.reductions[depth as usize & 63];
        while let Some(ball) = moves.next() {
            let less = reductions[moves.taken() - 1];
            let mut score = alpha + 1;
            if best.ball != 0 {
                score = -self.search(&node, ball, (depth - 1 - less).max(0), -alpha - 1, -alpha)?;
                if score > alpha && less > 0 {
                    score = -self.search(&node, ball, depth - 1, -alpha - 1, -alpha)?;
                }
            }
            if best.ball == 0 || score > alpha && score < beta {
                score = -self.search(&node, ball, depth - 1, -beta, -alpha)?;
            }
            if score > best.score {
                best = RootChoice { ball, score };
                alpha = alpha.max(score);
                if alpha >= beta {
                    if depth > 1 {
                        self.order.reward(&moves, depth as u32);
                    }
                    break;
                }
            }
        }
        // The evaluation may promise more than the strategy allows.
        best.score = best.score.min(most);
        let bound = if best.score >= beta {
            Bound::Lower
        } else if best.score > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let square = best.ball.trailing_zeros();
        self.table.put(key, best.score, depth, bound, square as u16);
        Ok(best.score)
    }

    /// The best move by searching to growing depths, up to `most` plies. The position must not be over.
    pub fn deepen(
        &mut self,
        position: &Position,
        most: u32,
        known: ProvenMoves,
    ) -> Option<Deepened> {
        self.strategies = !known.hopeless;
        let node = VisitedNode {
            board: Board::of(position),
            sums: self.network.sums(position),
            balls: u32::from(position.ply()),
        };
        let balls = node.balls as i32;
        let candidates = match node.board.moves() {
            Moves::Win(ball) => {
                let score = WIN - (balls + 1);
                return Some(Deepened {
                    best: RootChoice { ball, score },
                    depth: 1,
                    only: true,
                    value: Some(1),
                });
            }
            Moves::Forced(ball) => ball,
            Moves::Lost | Moves::Full => {
                // All lose at once: stop one line at least.
                let block = node.board.threats[1] & node.board.rests;
                if block == 0 { node.board.rests } else { block }
            }
            Moves::Safe(safe) if safe & !known.lost == 0 => safe,
            Moves::Safe(safe) => safe & !known.lost,
        };
        let mut moves: Vec<RootChoice> = (0..64)
            .map(|square| 1 << square)
            .filter(|ball| candidates & ball != 0)
            .map(|ball| {
                let next = self.child(&node, ball, node.board.after(ball));
                let score = -self.evaluate(&next);
                RootChoice { ball, score }
            })
            .collect();
        moves.sort_by_key(|choice| -choice.score);
        self.root.clear();
        self.root.extend(moves.iter().map(|choice| choice.ball));
        let mut found = Deepened {
            best: *moves.first()?,
            depth: 0,
            only: moves.len() == 1,
            value: None,
        };
        if found.only {
            return Some(found);
        }
        let first = if self.leads { 1 } else { 2 };
        for depth in first..=(64 - balls).min(most as i32) {
            let expected = found.best.score;
            let whole = depth <= 3 || expected.abs() > WON;
            let mut width = if whole { 2 * WIN } else { WINDOW };
            loop {
                let window = [
                    (expected - width).max(-WIN),
                    expected.saturating_add(width).min(WIN),
                ];
                let best = self.search_root(&node, known.not_won, depth, window, &mut found);
                // The best first, the one before it next, the others as they were.
                let place = self.root.iter().position(|&ball| ball == found.best.ball);
                self.root[..=place.unwrap_or(0)].rotate_right(1);
                let inside = best.map_or(window[0] == -WIN, |score| {
                    score < window[1] || window[1] == WIN
                });
                if self.stopped || inside {
                    break;
                }
                width = if width * WIDER > WIDEST {
                    2 * WIN
                } else {
                    width * WIDER
                };
            }
            if self.stopped {
                break;
            }
            found.depth = depth as u32;
            let score = found.best.score;
            if score.abs() > WON {
                found.value = Some(score.signum());
            }
            if !(-WON_SOMEHOW..=WON).contains(&score) {
                break;
            }
            if score < -WON {
                // The other seat may not know the strategy: the best defence is what it is without.
                self.strategies = false;
            }
        }
        Some(found)
    }

    /// Searches the moves of the root within a window; gives the best score above its lower end, if one is. `found` has the
    /// move with it. Moves of `not_won` draw at most.
    fn search_root(
        &mut self,
        node: &VisitedNode,
        not_won: u64,
        depth: i32,
        [low, high]: [i32; 2],
        found: &mut Deepened,
    ) -> Option<i32> {
        let mut alpha = low;
        let mut best = None;
        for i in 0..self.root.len() {
            let ball = self.root[i];
            let most = if not_won & ball == 0 { WIN } else { 0 };
            if i > 0 && alpha >= most {
                continue;
            }
            let high = high.min(most + 1).max(alpha + 1);
            let result = if i == 0 {
                self.search(node, ball, depth - 1, -high, -alpha)
            } else {
                match self.search(node, ball, depth - 1, -alpha - 1, -alpha) {
                    Ok(score) if -score > alpha => {
                        self.search(node, ball, depth - 1, -high, -alpha)
                    }
                    other => other,
                }
            };
            let score = (-result.ok()?).min(most);
            if score > alpha {
                alpha = score;
                best = Some(score);
                found.best = RootChoice { ball, score };
                if score >= high {
                    break;
                }
            } else if i == 0 && low > -WIN {
                // The move that was the best so far is worse than expected: the window must be wider.
                break;
            }
        }
        best
    }
}
