//! The root of the search: growing depths, and exact values.

use games::score_four::Position;

use super::board::Moves;
use super::search::{AlphaBeta, Choice, Found, WIN, WON};

impl AlphaBeta {
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
            let at = moves.iter().position(|c| c.ball == best.ball).unwrap_or(0);
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
