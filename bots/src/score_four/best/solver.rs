//! The exact value of a position, by searches with two outcomes.
//!
//! Each search asks whether the mover gets at least a draw, or at least a win. Values by strategy ([`upper_bound`]) end lines
//! early, and positions that differ only in balls without an open line are one in the table. Where much is left to search, the
//! evaluation of the positions after the moves helps to order them.

use std::time::{Duration, Instant};

use games::score_four::{Peg, Position, open_squares};

use super::board::{Board, Moves, mix};
use super::network::ValueNetwork;
use super::order::{Candidates, NO_SQUARE, Order};
use super::proof::upper_bound;
use super::search::{NodeLimits, OutOfLimits};

/// Fewest empty squares with entries in the table under a key without dead balls.
const SHARED_FROM: u32 = 6;
/// Fewest empty squares where the bounds of all moves are asked before any is searched.
const BOUNDS_FROM: u32 = 9;

/// Fewest empty squares where the table is asked for the positions after all moves before any is searched: J. Schaeffer and
/// A. Plaat, "New advances in alpha-beta searching", ACM Conference on Computer Science (1996) 124-130.
const PROBED_FROM: u32 = 24;
/// Fewest empty squares where the evaluation helps to order the moves: below, it takes more time than it saves.
const JUDGED_FROM: u32 = 25;
/// What a thousandth of a logit of the evaluation counts as in the order.
const JUDGEMENT: i32 = 4;

#[derive(Clone, Copy, Default)]
struct SolverEntry {
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
struct EntryPair([SolverEntry; 2]);

/// Solves positions; what it finds stays in its table from position to position.
pub struct Solver {
    network: &'static ValueNetwork,
    /// Empty before the first search: a game may have none.
    table: Vec<EntryPair>,
    bits: u32,
    order: Order,
    age: u8,
    /// Most nodes of a search that is given no other number.
    most_nodes: u64,
    limits: NodeLimits,
    nodes: u64,
    proofs: bool,
}

/// What is known of a position and its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SolvedPosition {
    /// Bounds of the value for the seat to move, -1 to 1.
    pub(super) least: i32,
    pub(super) most: i32,
    /// A move that gets at least `least`.
    pub(super) ball: u64,
    pub(super) lost: u64,
    /// Moves that are known not to win.
    pub(super) not_won: u64,
}

impl SolvedPosition {
    pub(super) fn value(&self) -> Option<i32> {
        (self.least == self.most).then_some(self.least)
    }
}

impl Solver {
    /// With a table of `2^bits` pairs of positions, 32 bytes each.
    pub fn new(bits: u32) -> Self {
        Self {
            network: ValueNetwork::built_in(),
            table: Vec::new(),
            bits,
            order: Order::new(),
            age: 0,
            most_nodes: u64::MAX,
            limits: NodeLimits::NONE,
            nodes: 0,
            proofs: true,
        }
    }

    /// One that searches at most `nodes` nodes of a position.
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
    /// finished game, how it ended for that seat. `None` if a limit is reached first.
    pub fn value(&mut self, position: &Position, limit: Option<Duration>) -> Option<i32> {
        let until = limit.and_then(|limit| Instant::now().checked_add(limit));
        let nodes = self.most_nodes;
        self.value_within(position, NodeLimits { nodes, until })
    }

    /// As [`Solver::value`], within other limits.
    pub fn value_within(&mut self, position: &Position, limits: NodeLimits) -> Option<i32> {
        if let Some(end) = position.end() {
            return Some(if end.winner.is_some() { -1 } else { 0 });
        }
        self.begin(limits);
        let board = Board::of(position);
        let empty = 64 - u32::from(position.ply());
        if self.reaches(&board, empty, 1, (NO_SQUARE, false)).ok()? {
            return Some(1);
        }
        let draws = self.reaches(&board, empty, 0, (NO_SQUARE, false)).ok()?;
        Some(if draws { 0 } else { -1 })
    }

    /// The value that a legal move leaves its player, 1, 0 or -1; `None` if a limit is reached first.
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

    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Forgets all, so that the next search depends on nothing before it.
    pub(super) fn forget(&mut self) {
        self.table.fill(EntryPair::default());
        self.order = Order::new();
        self.age = 0;
    }

    fn begin(&mut self, limits: NodeLimits) {
        self.table.resize(1 << self.bits, EntryPair::default());
        self.nodes = 0;
        self.limits = limits;
        self.age = self.age.wrapping_add(1);
        self.order.grow_old();
    }

    /// Solves a position as far as the limits allow. `order` has its moves, the most promising first; the sign of `expected`
    /// tells which question comes first. Neither seat completes a line with its next ball.
    pub(super) fn solution(
        &mut self,
        position: &Position,
        order: &[u64],
        expected: i32,
        limits: NodeLimits,
    ) -> SolvedPosition {
        self.begin(limits);
        let board = Board::of(position);
        let mut solution = SolvedPosition {
            least: -1,
            most: 1,
            ball: order.first().copied().unwrap_or(0),
            lost: 0,
            not_won: 0,
        };
        let questions = if expected < 0 { [0, 1] } else { [1, 0] };
        for want in questions {
            if want <= solution.least || want > solution.most {
                continue;
            }
            let mut reaching = None;
            // A ball that draws is more likely to win than those that lose are.
            let ordered = [solution.ball].into_iter().chain(order.iter().copied());
            for ball in ordered {
                let refuted = solution.lost | if want == 1 { solution.not_won } else { 0 };
                if refuted & ball != 0 {
                    continue;
                }
                match self.keeps(&board, ball, want) {
                    Ok(true) => {
                        reaching = Some(ball);
                        break;
                    }
                    Ok(false) if want == 1 => solution.not_won |= ball,
                    Ok(false) => solution.lost |= ball,
                    Err(OutOfLimits) => return solution,
                }
            }
            match reaching {
                Some(ball) => (solution.least, solution.ball) = (want, ball),
                None => solution.most = want - 1,
            }
        }
        solution
    }

    /// Whether the mover of a position gets at least `want` with a ball that completes no line; `None` when a limit is reached
    /// first.
    pub(super) fn reaches_with(
        &mut self,
        position: &Position,
        ball: u64,
        want: i32,
        limits: NodeLimits,
    ) -> Option<bool> {
        self.begin(limits);
        self.keeps(&Board::of(position), ball, want).ok()
    }

    /// Whether the mover gets at least `want` with a ball that completes no line.
    fn keeps(&mut self, board: &Board, ball: u64, want: i32) -> Result<bool, OutOfLimits> {
        let empty = 64 - (board.sides[0] | board.sides[1]).count_ones();
        let square = ball.trailing_zeros();
        let other = self.reaches(&board.after(ball), empty - 1, 1 - want, (square, false))?;
        Ok(!other)
    }

    fn tick(&mut self) -> Result<(), OutOfLimits> {
        if self.limits.reached(self.nodes) {
            return Err(OutOfLimits);
        }
        self.nodes += 1;
        Ok(())
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        (key >> 20) as usize & (self.table.len() - 1)
    }

    /// Whether the mover gets at least `want`, 0 or 1, after the other seat's ball on the square `last`. `asked` says that no
    /// strategy of the other seat gives the answer.
    fn reaches(
        &mut self,
        board: &Board,
        empty: u32,
        want: i32,
        (last, asked): (u32, bool),
    ) -> Result<bool, OutOfLimits> {
        self.tick()?;
        let safe = match board.moves() {
            Moves::Win(_) => return Ok(true),
            Moves::Lost => return Ok(false),
            Moves::Full => return Ok(want == 0),
            Moves::Forced(ball) => {
                let square = ball.trailing_zeros();
                let next = board.after(ball);
                return Ok(!self.reaches(&next, empty - 1, 1 - want, (square, false))?);
            }
            Moves::Safe(safe) => safe,
        };
        let key = shared_key(board, empty);
        let index = self.index(key);
        let known = self.table[index].0;
        if self.proofs && !asked && upper_bound(board) < want {
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
        let all_asked = self.proofs && empty >= BOUNDS_FROM;
        let network = self.network;
        let sums = (empty >= JUDGED_FROM).then(|| network.sums(&board.position()));
        let mut rest = safe;
        while rest != 0 {
            let ball = rest & rest.wrapping_neg();
            rest ^= ball;
            let next = board.after(ball);
            if all_asked && next.threats[1] & next.rests == 0 && upper_bound(&next) < 1 - want {
                return Ok(true);
            }
            if empty >= PROBED_FROM && next.threats[1] & next.rests == 0 {
                let key = shared_key(&next, empty - 1);
                let known = &self.table[self.index(key)].0;
                let mut known = known.iter().filter(|entry| entry.key == key);
                if known.any(|entry| entry.work != 0 && i32::from(entry.most) < 1 - want) {
                    return Ok(true);
                }
            }
            let judgement = sums.as_ref().map_or(0, |sums| {
                let balls = 64 - empty;
                let sums = network.after(sums, ball.trailing_zeros(), (board, &next, balls));
                -JUDGEMENT * network.value_for_mover(&sums, balls + 1)
            });
            moves.push(&self.order, (board, &next), ball, hint, judgement);
        }
        let begin = self.nodes;
        let mut reached = None;
        while let Some(ball) = moves.next() {
            let square = ball.trailing_zeros();
            let next = board.after(ball);
            if !self.reaches(&next, empty - 1, 1 - want, (square, all_asked))? {
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
        let worth =
            |entry: &SolverEntry| u64::from(entry.work) << (2 * u32::from(entry.age == age));
        let slot = if pair[0].key == key {
            0
        } else if pair[1].key == key {
            1
        } else {
            usize::from(worth(&pair[0]) > worth(&pair[1]))
        };
        let entry = &mut pair[slot];
        if entry.key != key || entry.work == 0 {
            *entry = SolverEntry {
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
/// rest, which tell the number of balls as well.
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
            let order: Vec<u64> = (0..64)
                .map(|square| 1 << square)
                .filter(|ball| safe & ball != 0)
                .collect();
            for nodes in [1, 4, 16, 64, 256, 4096, u64::MAX] {
                for expected in [-1, 1] {
                    let mut of = |ball: u64| {
                        let peg = Peg::under(ball.trailing_zeros());
                        oracle.value_of(&position, peg, None).expect("no limit")
                    };
                    let mut solver = Solver::new(4);
                    let limits = NodeLimits { nodes, until: None };
                    let solution = solver.solution(&position, &order, expected, limits);
                    assert!(solver.nodes() <= nodes);
                    assert!(solution.least <= value && value <= solution.most);
                    assert!(of(solution.ball) >= solution.least, "{position}");
                    given += u32::from(solution.value().is_some());
                    for &ball in &order {
                        if solution.lost & ball != 0 {
                            assert_eq!(of(ball), -1, "{position}");
                            left_out += 1;
                        }
                        if solution.not_won & ball != 0 {
                            assert!(of(ball) <= 0, "{position}");
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
