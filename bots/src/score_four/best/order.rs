//! The order in which moves are tried: few answers and new threats first, with what past searches say of the squares.
//!
//! Source of the history: J. Schaeffer, "The history heuristic and alpha-beta search enhancements in practice", IEEE
//! Transactions on Pattern Analysis and Machine Intelligence 11 (1989) 1203-1212; of replies: J. W. H. M. Uiterwijk, "The
//! countermove heuristic", ICCA Journal 15 (1992) 8-15.

use super::board::Board;

pub(super) const NO_SQUARE: u32 = 64;

/// Less for each safe answer of the other seat.
const ANSWER: i32 = 400;
const THREAT: i32 = 1200;
/// A count changes by at most one part in `FADING` of itself, besides the reward.
const FADING: i32 = 512;
/// Moves that failed lose `BLAME` times the reward of the one that did not.
const BLAME: i32 = 8;
const PLIES: u32 = 20;

pub(super) struct Order {
    history: [[i32; 64]; 2],
    /// By the square of the move before and the square.
    replies: Vec<[i32; 64]>,
}

impl Order {
    pub(super) fn new() -> Self {
        Self {
            history: [[0; 64]; 2],
            replies: vec![[0; 64]; NO_SQUARE as usize + 1],
        }
    }

    /// A search of another position begins: what is known counts less.
    pub(super) fn grow_old(&mut self) {
        let counts = self.history.iter_mut().chain(&mut self.replies);
        counts.flatten().for_each(|count| *count /= 8);
    }

    /// The last move taken from `candidates` was good enough, those before it were not; `plies` were left to search.
    pub(super) fn reward(&mut self, candidates: &Candidates, plies: u32) {
        let plies = plies.min(PLIES);
        let reward = (plies * plies) as i32;
        let Some(((_, good), failed)) = candidates.moves[..candidates.taken].split_last() else {
            return;
        };
        let replies = &mut self.replies[candidates.last as usize];
        for counts in [&mut self.history[candidates.seat], replies] {
            let count = &mut counts[good.trailing_zeros() as usize & 63];
            *count += reward - *count / FADING;
            for (_, ball) in failed {
                let count = &mut counts[ball.trailing_zeros() as usize & 63];
                *count -= BLAME * (reward + *count / FADING);
            }
        }
    }
}

pub(super) struct Candidates {
    seat: usize,
    last: u32,
    moves: [(i32, u64); 16],
    count: usize,
    taken: usize,
}

impl Candidates {
    /// None yet, of a seat after a ball on the square `last`, or [`NO_SQUARE`].
    #[inline]
    pub(super) const fn of(seat: usize, last: u32) -> Self {
        Self {
            seat,
            last,
            moves: [(0, 0); 16],
            count: 0,
            taken: 0,
        }
    }

    /// Adds a move that leads from `board` to `next` and is worth `more` than these tell; the square `hint` comes first.
    #[inline]
    pub(super) fn push(
        &mut self,
        order: &Order,
        (board, next): (&Board, &Board),
        ball: u64,
        hint: u32,
        more: i32,
    ) {
        let square = ball.trailing_zeros();
        let worth = if square == hint {
            i32::MAX
        } else {
            let block = next.threats[1] & next.rests;
            let answers = match block.count_ones() {
                0 => (next.rests & !(next.threats[1] >> 16)).count_ones() as i32,
                1 => 1,
                _ => 0,
            };
            let threats = (next.threats[1] & !board.threats[0]).count_ones() as i32;
            let square = square as usize & 63;
            let known = order.history[self.seat & 1][square] / 8
                + order.replies[self.last as usize][square] / 4;
            known + THREAT * threats - ANSWER * answers + more
        };
        self.push_worth(worth, ball);
    }

    /// Adds a move with what it is worth.
    #[inline]
    pub(super) fn push_worth(&mut self, worth: i32, ball: u64) {
        self.moves[self.count & 15] = (worth, ball);
        self.count += 1;
    }

    pub(super) const fn taken(&self) -> usize {
        self.taken
    }
}

impl Iterator for Candidates {
    type Item = u64;

    /// The most promising of the moves that are left.
    #[inline]
    fn next(&mut self) -> Option<u64> {
        let rest = self.moves.get_mut(self.taken..self.count)?;
        let mut best = 0;
        for i in 1..rest.len() {
            if rest[i].0 > rest[best].0 {
                best = i;
            }
        }
        if rest.is_empty() {
            return None;
        }
        rest.swap(0, best);
        self.taken += 1;
        Some(rest[0].1)
    }
}
