//! The exact value of a position, by searches with two outcomes.
//!
//! Each search asks whether the mover gets at least a draw, or at least a win. Values by strategy ([`upper_bound`]) end lines
//! early, and positions that differ only in balls without an open line are one in the table.

use std::time::{Duration, Instant};

use games::score_four::{Peg, Position, open_squares};

use super::board::{Board, Moves, mix};
use super::order::{Candidates, NO_SQUARE, Order};
use super::proof::upper_bound;

/// Fewest empty squares with entries in the table under a key without dead balls.
const SHARED_FROM: u32 = 6;
/// Fewest empty squares where the bounds of all moves are asked before any is searched.
const BOUNDS_FROM: u32 = 9;

/// What is known of a position.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    /// Nodes that it took; 0 in an entry without a position.
    work: u32,
    least: i8,
    most: i8,
    /// The square of the move that reached `least`.
    square: u8,
    age: u8,
}

/// Two entries in half a line of a processor's cache.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Pair([Entry; 2]);

/// The search is out of nodes or time.
struct Stopped;

/// Solves positions; what it finds stays in its table from position to position.
pub struct Solver {
    table: Vec<Pair>,
    order: Order,
    age: u8,
    nodes: u64,
    most_nodes: u64,
    until: Option<Instant>,
    proofs: bool,
}

impl Solver {
    /// With a table of `2^bits` pairs of positions, 32 bytes each.
    pub fn new(bits: u32) -> Self {
        Self {
            table: vec![Pair::default(); 1 << bits],
            order: Order::new(),
            age: 0,
            nodes: 0,
            most_nodes: u64::MAX,
            until: None,
            proofs: true,
        }
    }

    /// One that searches so many nodes of a position at most.
    #[must_use]
    pub fn with_nodes(self, nodes: u64) -> Self {
        Self {
            most_nodes: nodes,
            ..self
        }
    }

    /// One that takes no value from a strategy.
    #[cfg(test)]
    pub(super) fn without_proofs(self) -> Self {
        Self {
            proofs: false,
            ..self
        }
    }

    /// The value for the seat to move with best play of both: 1 for a win, 0 for a draw, -1 for a loss. For a
    /// finished game, how it ended for that seat. `None` when the time or the nodes were over first.
    pub fn value(&mut self, position: &Position, limit: Option<Duration>) -> Option<i32> {
        if let Some(end) = position.end() {
            return Some(if end.winner.is_some() { -1 } else { 0 });
        }
        let until = limit.and_then(|limit| Instant::now().checked_add(limit));
        self.begin(self.most_nodes, until);
        let board = Board::of(position);
        let empty = 64 - u32::from(position.ply());
        if self.reaches(&board, empty, 1, NO_SQUARE).ok()? {
            return Some(1);
        }
        let draws = self.reaches(&board, empty, 0, NO_SQUARE).ok()?;
        Some(if draws { 0 } else { -1 })
    }

    /// As [`Solver::value`] of a position that is not over, within so many nodes.
    pub(super) fn value_within(&mut self, position: &Position, nodes: u64) -> Option<i32> {
        self.most_nodes = nodes;
        self.value(position, None)
    }

    /// The value that a legal move leaves its player, 1, 0 or -1; `None` when the time was over first.
    pub fn value_of(
        &mut self,
        position: &Position,
        peg: Peg,
        limit: Option<Duration>,
    ) -> Option<i32> {
        let mut next = *position;
        next.play_unchecked(peg);
        self.value(&next, limit).map(|value| -value)
    }

    /// Nodes of the last search.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Forgets all, so that the next search depends on nothing before it.
    pub(super) fn forget(&mut self) {
        self.table.fill(Pair::default());
        self.order = Order::new();
    }

    /// A search of another position begins.
    fn begin(&mut self, nodes: u64, until: Option<Instant>) {
        self.nodes = 0;
        self.most_nodes = nodes;
        self.until = until;
        self.age = self.age.wrapping_add(1);
        self.order.grow_old();
    }

    /// A move that keeps the value of a position, and that value. `first` is tried first, and is returned if all moves lose;
    /// the sign of `expected` tells which question comes first. When the limits come first, the error has the moves that are
    /// known to lose although another may not. The mover neither wins nor loses at once.
    pub(super) fn best_move(
        &mut self,
        position: &Position,
        (first, expected): (u64, i32),
        (nodes, until): (u64, Option<Instant>),
    ) -> Result<(u64, i32), u64> {
        self.begin(nodes, until);
        let board = Board::of(position);
        let candidates = match board.moves() {
            Moves::Win(ball) => return Ok((ball, 1)),
            Moves::Forced(ball) => ball,
            Moves::Lost | Moves::Full => return Err(0),
            Moves::Safe(safe) => safe,
        };
        let mut keeps = |want| self.reaching_move(&board, want, [first, candidates]);
        // A move that does not win may draw: it is not left out.
        if expected >= 0
            && let Some(ball) = keeps(1).map_err(|_| 0_u64)?
        {
            return Ok((ball, 1));
        }
        let Some(draws) = keeps(0)? else {
            return Ok((first, -1));
        };
        let wins = if expected < 0 {
            keeps(1).map_err(|_| 0_u64)?
        } else {
            None
        };
        Ok(wins.map_or((draws, 0), |ball| (ball, 1)))
    }

    /// A move after which the mover gets at least `want`, if there is one. When the limits come first, the error has the
    /// moves that do not.
    fn reaching_move(
        &mut self,
        board: &Board,
        want: i32,
        [first, candidates]: [u64; 2],
    ) -> Result<Option<u64>, u64> {
        let empty = 64 - (board.sides[0] | board.sides[1]).count_ones();
        let (mut rest, mut worse) = (candidates, 0);
        while rest != 0 {
            let lowest = rest & rest.wrapping_neg();
            let ball = if rest & first == 0 { lowest } else { first };
            rest &= !ball;
            let square = ball.trailing_zeros();
            match self.reaches(&board.after(ball), empty - 1, 1 - want, square) {
                Ok(false) => return Ok(Some(ball)),
                Ok(true) => worse |= ball,
                Err(Stopped) => return Err(worse),
            }
        }
        Ok(None)
    }

    fn tick(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        let out_of_time = || self.until.is_some_and(|until| Instant::now() >= until);
        if self.nodes >= self.most_nodes || self.nodes.is_multiple_of(1024) && out_of_time() {
            return Err(Stopped);
        }
        Ok(())
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        (key >> 20) as usize & (self.table.len() - 1)
    }

    /// Whether the mover gets at least `want`, 0 or 1, after the other seat's ball on the square `last`.
    fn reaches(
        &mut self,
        board: &Board,
        empty: u32,
        want: i32,
        last: u32,
    ) -> Result<bool, Stopped> {
        self.tick()?;
        let safe = match board.moves() {
            Moves::Win(_) => return Ok(true),
            Moves::Lost => return Ok(false),
            Moves::Full => return Ok(want == 0),
            Moves::Forced(ball) => {
                let square = ball.trailing_zeros();
                return Ok(!self.reaches(&board.after(ball), empty - 1, 1 - want, square)?);
            }
            Moves::Safe(safe) => safe,
        };
        let key = shared_key(board, empty);
        let index = self.index(key);
        // Read before it is needed: most of the time goes to fetching it.
        let known = self.table[index].0;
        if self.proofs && upper_bound(board) < want {
            return Ok(false);
        }
        let mut hint = NO_SQUARE;
        for entry in known {
            if entry.key == key && entry.work != 0 {
                if i32::from(entry.least) >= want {
                    return Ok(true);
                }
                if i32::from(entry.most) < want {
                    return Ok(false);
                }
                hint = u32::from(entry.square);
            }
        }
        let seat = (empty & 1) as usize;
        let mut moves = Candidates::of(seat, last);
        let mut rest = safe;
        while rest != 0 {
            let ball = rest & rest.wrapping_neg();
            rest ^= ball;
            let next = board.after(ball);
            if self.proofs
                && empty >= BOUNDS_FROM
                && next.threats[1] & next.rests == 0
                && upper_bound(&next) < 1 - want
            {
                return Ok(true);
            }
            moves.push(&self.order, board, &next, ball, hint);
        }
        let begin = self.nodes;
        let mut reached = None;
        while let Some(ball) = moves.next() {
            let square = ball.trailing_zeros();
            if !self.reaches(&board.after(ball), empty - 1, 1 - want, square)? {
                self.order.reward(&moves, empty);
                reached = Some(square);
                break;
            }
        }
        self.keep(key, want, reached, self.nodes - begin + 1);
        Ok(reached.is_some())
    }

    /// Keeps a result: the square that reached `want`, or that none did.
    fn keep(&mut self, key: u64, want: i32, reached: Option<u32>, work: u64) {
        let (age, index) = (self.age, self.index(key));
        let pair = &mut self.table[index].0;
        let worth = |entry: &Entry| u64::from(entry.work) << (2 * u32::from(entry.age == age));
        let slot = if pair[0].key == key {
            0
        } else if pair[1].key == key {
            1
        } else {
            usize::from(worth(&pair[0]) > worth(&pair[1]))
        };
        let entry = &mut pair[slot];
        if entry.key != key || entry.work == 0 {
            *entry = Entry {
                key,
                work: 0,
                least: -1,
                most: 1,
                square: NO_SQUARE as u8,
                age,
            };
        }
        if let Some(square) = reached {
            entry.least = entry.least.max(want as i8);
            entry.square = square as u8;
        } else {
            entry.most = entry.most.min(want as i8 - 1);
        }
        entry.work = entry
            .work
            .saturating_add(work.min(u64::from(u32::MAX)) as u32);
        entry.age = age;
    }
}

/// A hash of what can still matter: balls on lines without a ball of the other seat, and the squares where balls may come to
/// rest, which tell the seat to move as well.
#[inline]
fn shared_key(board: &Board, empty: u32) -> u64 {
    if empty < SHARED_FROM {
        return board.key();
    }
    let [own, other] = board.sides;
    let spread = mix((own & open_squares(other)).wrapping_add(0x9e37_79b9_7f4a_7c15));
    let spread = mix(spread ^ other & open_squares(own));
    mix(spread ^ board.rests)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::score_four::late_position;

    /// Whatever the limit is, a move that is given keeps the value, and a move that is left out loses.
    #[test]
    fn moves_are_right_and_only_lost_ones_are_left_out() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut oracle = Solver::new(12).without_proofs();
        let (mut given, mut left_out, mut draws) = (0, 0, 0);
        for i in 0..600_u32 {
            let position = late_position(6 + (i % 13) as u8, &mut rng);
            let board = Board::of(&position);
            let Moves::Safe(safe) = board.moves() else {
                continue;
            };
            let value = oracle.value(&position, None).expect("no limit");
            draws += u32::from(value == 0);
            let first = safe & safe.wrapping_neg();
            for nodes in [1, 4, 16, 64, 256, 4096, u64::MAX] {
                for expected in [-1, 1] {
                    let mut of = |ball: u64| {
                        let peg = Peg::under(ball.trailing_zeros());
                        oracle.value_of(&position, peg, None).expect("no limit")
                    };
                    let mut solver = Solver::new(4);
                    match solver.best_move(&position, (first, expected), (nodes, None)) {
                        Ok((ball, found)) => {
                            assert_eq!(found, value, "{position}");
                            assert_eq!(of(ball), value, "{position}");
                            given += 1;
                        }
                        Err(mut lost) => {
                            while lost != 0 {
                                assert_eq!(of(lost & lost.wrapping_neg()), -1, "{position}");
                                lost &= lost - 1;
                                left_out += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(
            given > 1000 && left_out > 100 && draws > 10,
            "{given} {left_out} {draws}"
        );
    }
}
