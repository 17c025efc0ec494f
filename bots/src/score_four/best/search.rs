//! Alpha-beta with iterative deepening.
//!
//! Sources: principal variation search, T. A. Marsland and M. Campbell, "Parallel search of strongly
//! ordered game trees", Computing Surveys 14 (1982) 533-551; history heuristic, J. Schaeffer, IEEE
//! Transactions on Pattern Analysis and Machine Intelligence 11 (1989) 1203-1212. A ball that must stop a
//! line costs no depth, so that forced wins are found far beyond it; a ball below a threat of the other
//! seat is not tried.

use std::time::{Duration, Instant};

use games::score_four::Position;

use super::board::{Board, Moves};
use super::evaluation::{Lines, Weights};
use crate::search::{Bound, TranspositionTable};

/// The score of a line completed with ball `n` is `WIN - n` for its owner.
pub(crate) const WIN: i32 = 20_000;
/// Scores beyond this are won.
pub(crate) const WON: i32 = WIN - 100;
/// No evaluation is above this.
const CLEAR: i32 = 15_000;

/// A node: the board, and the contents of lines for the evaluation.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) lines: Lines,
    pub(super) balls: u32,
}

/// A root move and its score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// The square.
    pub(crate) ball: u64,
    /// The score for the seat to move.
    pub(crate) score: i32,
}

/// When a search must stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) nodes: u64,
    pub(crate) until: Option<Instant>,
}

/// What a search found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) best: Choice,
    /// Plies searched completely.
    pub(crate) depth: u32,
}

/// The search with its tables.
pub(crate) struct AlphaBeta {
    pub(super) weights: Weights,
    table: TranspositionTable,
    history: [[i32; 64]; 2],
    limits: Limits,
    pub(crate) nodes: u64,
    pub(super) stopped: bool,
}

/// The search ran out of nodes or time.
pub(super) struct Stopped;

impl AlphaBeta {
    /// With weights, and a table of `2^bits` pairs of positions.
    pub(crate) fn new(weights: Weights, bits: u32) -> Self {
        Self {
            weights,
            table: TranspositionTable::new(bits),
            history: [[0; 64]; 2],
            limits: Limits {
                nodes: 0,
                until: None,
            },
            nodes: 0,
            stopped: false,
        }
    }

    /// A search of another position of any game begins.
    pub(crate) fn begin(&mut self, limits: Limits) {
        self.limits = limits;
        self.nodes = 0;
        self.stopped = false;
        self.table.grow_old();
        for count in self.history.iter_mut().flatten() {
            *count /= 8;
        }
    }

    /// Forgets all, so that the next search depends on nothing before it.
    pub(crate) fn forget(&mut self) {
        self.table.clear();
        self.history = [[0; 64]; 2];
    }

    pub(super) fn node(&self, position: &Position) -> Node {
        Node {
            board: Board::of(position),
            lines: Lines::of(position, &self.weights),
            balls: u32::from(position.ply()),
        }
    }

    #[inline]
    pub(super) fn after(&self, node: &Node, ball: u64) -> Node {
        let mut lines = node.lines;
        lines.drop((node.balls & 1) as u8, ball.trailing_zeros(), &self.weights);
        Node {
            board: node.board.after(ball),
            lines,
            balls: node.balls + 1,
        }
    }

    /// The evaluation for the mover.
    #[inline]
    fn evaluate(&self, node: &Node) -> i32 {
        let Board { sides, threats, .. } = node.board;
        let taken = sides[0] | sides[1];
        if node.balls & 1 == 0 {
            (node.lines.sum + self.weights.of_threats(threats, taken)).clamp(-CLEAR, CLEAR)
        } else {
            let threats = [threats[1], threats[0]];
            -(node.lines.sum + self.weights.of_threats(threats, taken)).clamp(-CLEAR, CLEAR)
        }
    }

    fn tick(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes >= self.limits.nodes
            || self.nodes.is_multiple_of(1024)
                && self
                    .limits
                    .until
                    .is_some_and(|until| Instant::now() >= until)
        {
            self.stopped = true;
            return Err(Stopped);
        }
        Ok(())
    }

    /// The value of a node for its mover, exact between `alpha` and `beta`.
    pub(super) fn search(
        &mut self,
        node: &Node,
        depth: i32,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, Stopped> {
        self.tick()?;
        let balls = node.balls as i32;
        let safe = match node.board.moves() {
            Moves::Win(_) => return Ok(WIN - (balls + 1)),
            Moves::Lost => return Ok(-(WIN - (balls + 2))),
            Moves::Full => return Ok(0),
            Moves::Forced(ball) => {
                let next = self.after(node, ball);
                return Ok(-self.search(&next, depth, -beta, -alpha)?);
            }
            Moves::Safe(safe) => safe,
        };
        if depth <= 0 {
            return Ok(self.evaluate(node));
        }
        // Nobody wins with the next ball of his.
        alpha = alpha.max(-(WIN - (balls + 4)));
        beta = beta.min(WIN - (balls + 3));
        if alpha >= beta {
            return Ok(alpha);
        }
        let key = node.board.key();
        let mut hint = 255;
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
            if enough {
                return Ok(score);
            }
        }
        let (mut moves, count) = self.ordered(node, safe, hint, depth);
        let old_alpha = alpha;
        let mut best = Choice {
            ball: 0,
            score: -WIN,
        };
        let all_left = depth >= 64 - balls;
        for i in 0..count {
            if depth > 1 {
                pick(&mut moves[..count], i);
            }
            let (_, ball) = moves[i];
            let next = self.after(node, ball);
            let score = if i == 0 {
                -self.search(&next, depth - 1, -beta, -alpha)?
            } else {
                let late = i32::from(i >= 3 && depth >= 3) + i32::from(i >= 7 && depth >= 5);
                let less = if all_left { 0 } else { late };
                let mut score = -self.search(&next, depth - 1 - less, -alpha - 1, -alpha)?;
                if score > alpha && less > 0 {
                    score = -self.search(&next, depth - 1, -alpha - 1, -alpha)?;
                }
                if score > alpha && score < beta {
                    score = -self.search(&next, depth - 1, -beta, -alpha)?;
                }
                score
            };
            if score > best.score {
                best = Choice { ball, score };
                alpha = alpha.max(score);
                if alpha >= beta {
                    let count = &mut self.history[node.balls as usize & 1]
                        [ball.trailing_zeros() as usize & 63];
                    *count += (depth * depth).min(400) - *count / 512;
                    break;
                }
            }
        }
        let bound = if best.score >= beta {
            Bound::Lower
        } else if best.score > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let square = best.ball.trailing_zeros() & 63;
        self.table.put(key, best.score, depth, bound, square as u16);
        Ok(best.score)
    }

    /// Moves with what is expected of them; the best are picked one by one.
    fn ordered(&self, node: &Node, safe: u64, hint: u32, depth: i32) -> ([(i32, u64); 16], usize) {
        let mut moves = [(0, 0); 16];
        let mut count = 0;
        let mut rest = safe;
        let seat = (node.balls & 1) as u8;
        let sign = if seat == 0 { 1 } else { -1 };
        while rest != 0 {
            let ball = rest & rest.wrapping_neg();
            rest ^= ball;
            let square = ball.trailing_zeros();
            let mut worth = 0;
            if square == hint {
                worth = i32::MAX;
            } else if depth > 1 {
                worth = sign * node.lines.gain(seat, square, &self.weights);
                worth += self.history[usize::from(seat)][square as usize & 63] / 16;
            }
            moves[count & 15] = (worth, ball);
            count += 1;
        }
        if depth <= 1 && hint != 255 {
            pick(&mut moves[..count], 0);
        }
        (moves, count)
    }

    /// The best move by searching to growing depths, up to `most` plies. The position must not be over.
    pub(crate) fn deepen(&mut self, position: &Position, most: u32) -> Option<Found> {
        let node = self.node(position);
        let balls = node.balls as i32;
        let candidates = match node.board.moves() {
            Moves::Win(ball) => {
                let score = WIN - (balls + 1);
                return Some(Found {
                    best: Choice { ball, score },
                    depth: 1,
                });
            }
            Moves::Forced(ball) => ball,
            Moves::Lost | Moves::Full => {
                // All lose at once: stop one line at least.
                let block = node.board.threats[1] & node.board.rests;
                if block == 0 { node.board.rests } else { block }
            }
            Moves::Safe(safe) => safe,
        };
        let mut moves: Vec<Choice> = (0..64)
            .map(|square| 1 << square)
            .filter(|ball| candidates & ball != 0)
            .map(|ball| Choice { ball, score: 0 })
            .collect();
        for choice in &mut moves {
            let square = choice.ball.trailing_zeros();
            let gain = node.lines.gain((balls & 1) as u8, square, &self.weights);
            choice.score = if balls & 1 == 0 { gain } else { -gain };
        }
        moves.sort_by_key(|choice| -choice.score);
        let first = *moves.first()?;
        let mut found = Found {
            best: first,
            depth: 0,
        };
        if moves.len() == 1 {
            return Some(found);
        }
        let left = 64 - balls;
        for depth in 1..=left.min(most as i32) {
            let mut alpha = -WIN;
            for (i, choice) in moves.iter().enumerate() {
                let next = self.after(&node, choice.ball);
                let result = if i == 0 {
                    self.search(&next, depth - 1, -WIN, -alpha)
                } else {
                    match self.search(&next, depth - 1, -alpha - 1, -alpha) {
                        Ok(score) if -score > alpha => self.search(&next, depth - 1, -WIN, -alpha),
                        other => other,
                    }
                };
                let Ok(score) = result else {
                    break;
                };
                let score = -score;
                if score > alpha {
                    alpha = score;
                    found.best = Choice {
                        ball: choice.ball,
                        score,
                    };
                }
            }
            if self.stopped {
                break;
            }
            found.depth = depth as u32;
            // The best first, the one before it next, the others as they were.
            let best = found.best;
            let at = moves.iter().position(|c| c.ball == best.ball);
            let at = at.expect("the best move is one of the moves");
            moves[..=at].rotate_right(1);
            if best.score.abs() > WON {
                break;
            }
        }
        Some(found)
    }

    /// A move that keeps the value of the position, and that value as in [`AlphaBeta::solve`]; `first` is
    /// tried first. `None` when the limits came first. The position must not be over.
    pub(crate) fn solved_move(&mut self, position: &Position, first: u64) -> Option<(u64, i32)> {
        let node = self.node(position);
        let candidates = match node.board.moves() {
            Moves::Win(ball) => return Some((ball, 1)),
            Moves::Forced(ball) => ball,
            Moves::Lost | Moves::Full => return None,
            Moves::Safe(safe) => safe,
        };
        let mut best = (0, -2);
        let mut rest = candidates;
        while rest != 0 {
            let lowest = rest & rest.wrapping_neg();
            let ball = if rest & first == 0 { lowest } else { first };
            rest &= !ball;
            let next = self.after(&node, ball);
            let alpha = best.1.max(-1);
            let score = -self.search(&next, 63, -1, -alpha).ok()?;
            if score.signum() > best.1 {
                best = (ball, score.signum());
            }
            if best.1 == 1 {
                break;
            }
        }
        Some(best)
    }

    /// Whether the seat to move wins (1), draws (0) or loses (-1) with best play; `None` when the limits
    /// came first. The position must not be over.
    pub(crate) fn solve(&mut self, position: &Position) -> Option<i32> {
        let node = self.node(position);
        let value = self.search(&node, 64, -1, 1).ok()?;
        Some(value.signum())
    }
}

/// Moves the best of the moves from `i` on to `i`.
#[inline]
fn pick(moves: &mut [(i32, u64)], i: usize) {
    let mut best = i;
    for j in i + 1..moves.len() {
        if moves[j].0 > moves[best].0 {
            best = j;
        }
    }
    moves.swap(i, best);
}

/// The instant at which a search must stop; `None` for no limit.
pub(crate) fn until(limit: Option<Duration>) -> Option<Instant> {
    limit.and_then(|limit| Instant::now().checked_add(limit))
}
