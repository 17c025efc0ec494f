//! Alpha-beta for Dobutsu shogi.
//!
//! Sources: principal variation search, T. A. Marsland and M. Campbell, "Parallel search of strongly ordered game
//! trees", Computing Surveys 14 (1982) 533-551; history heuristic, J. Schaeffer, IEEE Transactions on Pattern Analysis
//! and Machine Intelligence 11 (1989) 1203-1212; killer moves, S. G. Akl and M. M. Newborn, "The principal
//! continuation and the killer heuristic", ACM 1977, 466-473. Moves after which the lion can be caught are never
//! searched, catches and tries are seen a ply ahead, and where the lion is attacked the search goes a ply deeper.
//! A position of the line that is searched, and one that the game would repeat too often, is a draw.

use std::time::Instant;

use games::dobutsu::{
    Board, Dobutsu, MOST_MOVES, Move, MoveList, PieceKind, Position, Square, Variant,
};

use super::evaluation::evaluate;
use crate::dobutsu::engine::{Limits, Report, Score};
use crate::dobutsu::move_number::{MOVES, number};
use crate::search::{Bound, TranspositionTable, is_over, is_stopped};

/// A win in `n` plies is worth `WIN - n`.
const WIN: i32 = 30_000;
const WON: i32 = WIN - 1000;
/// No evaluation is above this.
const CLEAR: i32 = 20_000;
/// No line is longer.
const MOST_PLIES: usize = 128;
/// What a piece is worth to its captor, by kind.
const VICTIM: [i32; 5] = [0, 3, 3, 1, 4];
/// The squares from which the enemy lion can try.
const THIRD: u16 = 0b111 << 6;
/// Between looks at the clock, as a mask of the number of nodes.
const LOOK: u64 = 1023;

/// The search ran out of nodes or time, or was stopped.
struct Stopped;

#[derive(Clone, Copy, Debug)]
pub(in crate::dobutsu) struct Found {
    pub(in crate::dobutsu) mv: Move,
    pub(in crate::dobutsu) score: Score,
    pub(in crate::dobutsu) depth: u32,
    pub(in crate::dobutsu) nodes: u64,
}

/// The moves of a position after which no lion can be caught, with what is expected of them.
struct OrderedMoves {
    moves: [(i32, Move); MOST_MOVES],
    count: usize,
}

impl OrderedMoves {
    const fn new() -> Self {
        const NONE: Move = Move::step(Square::ALL[0], Square::ALL[0], false);
        Self {
            moves: [(0, NONE); MOST_MOVES],
            count: 0,
        }
    }

    /// Moves the best of the moves from `i` on to `i`, and gives it.
    #[inline]
    fn pick(&mut self, i: usize) -> (i32, Move) {
        let rest = &mut self.moves[i..self.count];
        let mut best = 0;
        for j in 1..rest.len() {
            if rest[j].0 > rest[best].0 {
                best = j;
            }
        }
        rest.swap(0, best);
        rest[0]
    }
}

/// What the moves of a position come to at once.
#[derive(Clone, Copy)]
enum Outlook {
    /// A move wins: the capture of the lion, or a try that cannot be answered.
    Win(Move),
    /// After each the lion is caught; `false` if there is no move at all.
    Lost(bool),
    Open,
}

pub struct AlphaBeta {
    table: TranspositionTable,
    history: [[i32; MOVES]; 2],
    killers: [[Option<Move>; 2]; MOST_PLIES],
    /// The positions of the game, then those of the line that is searched.
    path: Vec<u64>,
    /// How many of them belong to the game.
    played: usize,
    /// Occurrences that make a draw; 0 for none.
    repetition: usize,
    /// Whether the search looks for wins alone: it searches every move in full, and takes open positions to be worth nothing.
    wins_only: bool,
    variant: Variant,
    limits: Limits,
    until: Option<Instant>,
    nodes: u64,
    line: Vec<Move>,
    roots: Vec<(i32, Move)>,
}

impl AlphaBeta {
    /// With a table of `2^bits` pairs of positions, 32 bytes each.
    pub fn new(bits: u32) -> Self {
        Self {
            table: TranspositionTable::new(bits),
            history: [[0; MOVES]; 2],
            killers: [[None; 2]; MOST_PLIES],
            path: Vec::with_capacity(1024),
            played: 0,
            repetition: 0,
            wins_only: false,
            variant: Variant::default(),
            limits: Limits::default(),
            until: None,
            nodes: 0,
            line: Vec::with_capacity(MOST_PLIES),
            roots: Vec::with_capacity(MOST_MOVES),
        }
    }

    /// Forgets all, so that the next search depends on nothing before it.
    pub(in crate::dobutsu) fn forget(&mut self) {
        self.table.clear();
        self.history = [[0; MOVES]; 2];
        self.killers = [[None; 2]; MOST_PLIES];
    }

    /// The best move by searching to growing depths. The game must not be over.
    pub(super) fn deepen(
        &mut self,
        game: &Dobutsu,
        limits: &Limits,
        tell: &mut dyn FnMut(&Report<'_>),
    ) -> Found {
        let past = game.past().iter().map(|past| past.board().key());
        self.begin(game.board(), past, game.rules().repetition, limits);
        self.run(game.board(), limits, tell)
    }

    /// The best move within the limits, whatever was searched before. `past` has the boards before the root, and each that
    /// comes again is a draw. The game must not be over.
    pub(in crate::dobutsu) fn look(
        &mut self,
        root: &Position,
        past: &[u64],
        limits: &Limits,
    ) -> Found {
        self.forget();
        self.begin(root, past.iter().copied(), 2, limits);
        self.run(root, limits, &mut |_| ())
    }

    /// A move that wins soonest, and that win, whatever was searched before; `None` if no win takes at most as many plies as the
    /// limits allow, or if the search is stopped. It asks of each position only whether it is won so soon, which takes a small
    /// part of the time of [`Self::look`]. The arguments are those of that function. The next search must forget this one.
    pub(in crate::dobutsu) fn mate(
        &mut self,
        root: &Position,
        past: &[u64],
        limits: &Limits,
    ) -> Option<Found> {
        self.forget();
        self.begin(root, past.iter().copied(), 2, limits);
        let found = self.survey(root);
        if found.depth > 0 {
            return matches!(found.score, Score::Win(_)).then_some(found);
        }
        self.wins_only = true;
        let win = self.first_win(root, limits.depth.unwrap_or(u32::MAX).min(100));
        self.wins_only = false;
        self.path.truncate(self.played);
        win
    }

    /// The root move that wins soonest; `None` if none does or the search was stopped. A search of d plies sees the lion
    /// caught two plies later, and each second one goes a move of the mover deeper.
    fn first_win(&mut self, root: &Position, plies: u32) -> Option<Found> {
        for depth in (1..=plies.saturating_sub(2)).step_by(2) {
            // Attacks on the lion are searched deeper, but later wins are left to a later depth.
            let alpha = WIN - depth as i32 - 3;
            for i in 0..self.roots.len() {
                let mv = self.roots[i].1;
                let next = root.board().after(root.framed(mv));
                let score = self
                    .step(&next, depth as i32 - 1, 1, alpha, alpha + 1)
                    .ok()?;
                if score > alpha {
                    return Some(Found {
                        mv,
                        score: score_of(score),
                        depth,
                        nodes: self.nodes,
                    });
                }
            }
        }
        None
    }

    fn run(
        &mut self,
        root: &Position,
        limits: &Limits,
        tell: &mut dyn FnMut(&Report<'_>),
    ) -> Found {
        let mut found = self.survey(root);
        let depth = limits.depth.unwrap_or(u32::MAX).clamp(1, 100);
        if found.depth > 0 {
            self.report(root, &found, tell);
            return found;
        }
        for depth in 1..=depth {
            let Some(score) = self.iterate(root, depth as i32) else {
                // What the broken iteration has found better than the one before it, it has found for good.
                found.mv = self.roots[0].1;
                break;
            };
            let mv = self.roots[0].1;
            found = Found {
                mv,
                score: score_of(score),
                depth,
                nodes: self.nodes,
            };
            self.report(root, &found, tell);
            let is_sure = score.abs() > WON && depth as i32 >= WIN - score.abs();
            let is_single = self.roots.len() == 1 && limits.time.is_some();
            if is_sure || is_single || is_stopped() {
                break;
            }
        }
        found.nodes = self.nodes;
        found
    }

    fn begin(
        &mut self,
        root: &Position,
        past: impl Iterator<Item = u64>,
        repetition: u8,
        limits: &Limits,
    ) {
        self.limits = *limits;
        let end = |time| Instant::now().checked_add(time);
        self.until = limits.time.and_then(end);
        self.nodes = 0;
        self.table.grow_old();
        for count in self.history.iter_mut().flatten() {
            *count /= 8;
        }
        self.killers = [[None; 2]; MOST_PLIES];
        self.repetition = usize::from(repetition);
        self.variant = root.variant();
        self.path.clear();
        self.path.extend(past);
        self.path.push(root.board().key());
        self.played = self.path.len();
        self.path.reserve(MOST_PLIES);
    }

    /// Fills the list of root moves, the likely best first. The depth is 0 where there is something to search.
    fn survey(&mut self, root: &Position) -> Found {
        self.roots.clear();
        let decided = |mv, score| Found {
            mv: root.framed(mv),
            score,
            depth: 1,
            nodes: 1,
        };
        let mut moves = OrderedMoves::new();
        match self.outlook(root.board(), None, 0, &mut moves) {
            Outlook::Win(mv) => decided(mv, Score::Win(1)),
            Outlook::Lost(_) => {
                let mut all = MoveList::new();
                root.board().moves(self.variant.free_promotion, &mut all);
                let capture = |mv: &&Move| root.board().piece(mv.to()).is_some();
                let mv = all.iter().find(capture).or(all.first());
                decided(
                    *mv.expect("the game is not over: there is a move"),
                    Score::Loss(2),
                )
            }
            Outlook::Open => {
                for i in 0..moves.count {
                    let (_, mv) = moves.pick(i);
                    self.roots.push((0, root.framed(mv)));
                }
                Found {
                    mv: self.roots[0].1,
                    score: Score::Chicks(0),
                    depth: 0,
                    nodes: 0,
                }
            }
        }
    }

    /// Searches all root moves so deep, and moves the best one to the front; `None` if it was stopped.
    fn iterate(&mut self, root: &Position, depth: i32) -> Option<i32> {
        let board = root.board();
        let mut alpha = -WIN;
        for i in 0..self.roots.len() {
            let mv = self.roots[i].1;
            let next = board.after(root.framed(mv));
            let result = if i == 0 {
                self.step(&next, depth - 1, 1, -WIN, WIN)
            } else {
                match self.step(&next, depth - 1, 1, alpha, alpha + 1) {
                    Ok(score) if score > alpha => self.step(&next, depth - 1, 1, alpha, WIN),
                    other => other,
                }
            };
            let Ok(score) = result else {
                self.path.truncate(self.played);
                return None;
            };
            if score > alpha {
                alpha = score;
                self.roots[..=i].rotate_right(1);
            }
        }
        let mv = number(root.framed(self.roots[0].1));
        self.table
            .put(board.key(), alpha, depth, Bound::Exact, mv as u16);
        Some(alpha)
    }

    /// The value of a board for the side that has moved to it.
    #[inline]
    fn step(
        &mut self,
        next: &Board,
        depth: i32,
        ply: usize,
        alpha: i32,
        beta: i32,
    ) -> Result<i32, Stopped> {
        let key = next.key();
        if self.is_repeated(key) {
            return Ok(0);
        }
        self.path.push(key);
        let score = -self.search(next, depth, ply, -beta, -alpha)?;
        self.path.pop();
        Ok(score)
    }

    /// Whether a position that comes next is a draw.
    #[inline]
    fn is_repeated(&self, key: u64) -> bool {
        let before = self.path.iter().rev().skip(1).step_by(2);
        let in_line = self.path.len() - self.played;
        let mut count = 1;
        for (n, &past) in before.enumerate() {
            if past == key {
                count += 1;
                if 2 * n < in_line || self.repetition > 0 && count >= self.repetition {
                    return true;
                }
            }
        }
        false
    }

    #[inline]
    fn tick(&mut self) -> Result<(), Stopped> {
        // The first node is always granted.
        let is_spent = |most: u64| self.nodes >= most.max(1);
        if self.limits.nodes.is_some_and(is_spent)
            || self.nodes & LOOK == LOOK && is_over(self.until)
        {
            return Err(Stopped);
        }
        self.nodes += 1;
        Ok(())
    }

    /// Fills `moves`, which is empty, with the moves to be searched of a board in which nothing has ended the game yet.
    #[inline]
    fn outlook(
        &self,
        board: &Board,
        hint: Option<u16>,
        ply: usize,
        moves: &mut OrderedMoves,
    ) -> Outlook {
        let mut all = MoveList::new();
        board.moves(self.variant.free_promotion, &mut all);
        let target = board.enemy(PieceKind::Lion);
        let killers = self.killers[ply];
        for &mv in &all {
            if mv.to().bit() & target != 0 {
                return Outlook::Win(mv);
            }
            let next = board.after(mv);
            if next.is_tried() && (self.variant.any_try || !next.can_catch()) {
                return Outlook::Win(mv);
            }
            if next.can_catch() {
                continue;
            }
            let number = number(mv);
            let worth = if hint == Some(number as u16) {
                i32::MAX
            } else if let Some((victim, _)) = board.piece(mv.to()) {
                let by = mv
                    .from()
                    .and_then(|from| board.piece(from))
                    .map_or(0, |(kind, _)| VICTIM[kind as usize]);
                1 << 28 | (16 * VICTIM[victim as usize] + 8 - by)
            } else if mv.promotes() {
                1 << 27
            } else if killers.contains(&Some(mv)) {
                1 << 26
            } else {
                let check = i32::from(next.in_check()) << 12;
                self.history[ply & 1][number] + check
            };
            moves.moves[moves.count] = (worth, mv);
            moves.count += 1;
        }
        if moves.count == 0 {
            Outlook::Lost(!all.is_empty())
        } else {
            Outlook::Open
        }
    }

    /// The value of a board for its mover, exact between `alpha` and `beta`. No lion can be caught on it or has tried.
    fn search(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, Stopped> {
        let in_check = board.in_check();
        let mut depth = depth + i32::from(in_check);
        if depth <= 0 && self.wins_only && ply % 2 == 1 && board.enemy(PieceKind::Lion) & THIRD != 0
        {
            // If a try answers every move, no lion is caught, and `quiesce` does not see it.
            depth = 1;
        }
        if depth <= 0 || ply + 1 >= MOST_PLIES {
            return self.quiesce(board, ply, 0, alpha, beta);
        }
        self.tick()?;
        let plies = ply as i32;
        alpha = alpha.max(plies - WIN);
        beta = beta.min(WIN - plies - 1);
        if alpha >= beta {
            return Ok(alpha);
        }
        let key = *self.path.last().expect("the board is on the path");
        let mut hint = None;
        if let Some(entry) = self.table.get(key) {
            hint = Some(entry.mv);
            let score = from_table(i32::from(entry.score), plies);
            let (won, lost) = (score > WON, score < -WON);
            let deep = i32::from(entry.depth) >= depth;
            let enough = match entry.bound {
                Bound::Exact => deep,
                Bound::Lower => score >= beta && (deep || won),
                Bound::Upper => score <= alpha && (deep || lost),
            };
            if enough {
                return Ok(score);
            }
        }
        let mut moves = OrderedMoves::new();
        match self.outlook(board, hint, ply, &mut moves) {
            Outlook::Win(_) => return Ok(WIN - plies - 1),
            Outlook::Lost(true) => return Ok(plies + 2 - WIN),
            Outlook::Lost(false) => return Ok(plies - WIN),
            Outlook::Open => {}
        }
        let old_alpha = alpha;
        let (mut best, mut best_move) = (-WIN, moves.moves[0].1);
        for i in 0..moves.count {
            let (worth, mv) = moves.pick(i);
            let next = board.after(mv);
            let score = if i == 0 {
                self.step(&next, depth - 1, ply + 1, alpha, beta)?
            } else {
                let is_quiet = worth < 1 << 26 && !in_check && !next.in_check() && !self.wins_only;
                let late = i32::from(i >= 3) + i32::from(i >= 8) + i32::from(i >= 16);
                let less = if is_quiet && depth >= 3 { late } else { 0 };
                let mut score = self.step(&next, depth - 1 - less, ply + 1, alpha, alpha + 1)?;
                if score > alpha && less > 0 {
                    score = self.step(&next, depth - 1, ply + 1, alpha, alpha + 1)?;
                }
                if score > alpha && score < beta {
                    score = self.step(&next, depth - 1, ply + 1, alpha, beta)?;
                }
                score
            };
            if score > best {
                (best, best_move) = (score, mv);
                alpha = alpha.max(score);
                if alpha >= beta {
                    if board.piece(mv.to()).is_none() {
                        self.remember(mv, depth, ply);
                    }
                    break;
                }
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let mv = number(best_move) as u16;
        self.table.put(key, to_table(best, plies), depth, bound, mv);
        Ok(best)
    }

    /// A quiet move has refuted one of the other side.
    fn remember(&mut self, mv: Move, depth: i32, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let count = &mut self.history[ply & 1][number(mv)];
        *count += (depth * depth).min(400) - *count / 512;
    }

    /// The value once captures, promotions and attacks on lions are played out: evasions all, other moves that attack
    /// the lion at the first ply alone.
    fn quiesce(
        &mut self,
        board: &Board,
        ply: usize,
        beyond: u32,
        mut alpha: i32,
        beta: i32,
    ) -> Result<i32, Stopped> {
        self.tick()?;
        let plies = ply as i32;
        let mut moves = OrderedMoves::new();
        match self.outlook(board, None, ply, &mut moves) {
            Outlook::Win(_) => return Ok(WIN - plies - 1),
            Outlook::Lost(true) => return Ok(plies + 2 - WIN),
            Outlook::Lost(false) => return Ok(plies - WIN),
            Outlook::Open => {}
        }
        if self.wins_only {
            return Ok(0);
        }
        let in_check = board.in_check();
        let mut best = if in_check && ply + 1 < MOST_PLIES {
            -WIN
        } else {
            evaluate(board).clamp(-CLEAR, CLEAR)
        };
        alpha = alpha.max(best);
        if alpha >= beta || ply + 1 >= MOST_PLIES {
            return Ok(best);
        }
        for i in 0..moves.count {
            let (worth, mv) = moves.pick(i);
            let next = board.after(mv);
            let is_loud = worth >= 1 << 27 || beyond == 0 && next.in_check();
            if !in_check && !is_loud {
                continue;
            }
            let score = -self.quiesce(&next, ply + 1, beyond + 1, -beta, -alpha)?;
            if score > best {
                best = score;
                alpha = alpha.max(score);
                if alpha >= beta {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Tells of an iteration, with the line that the table remembers.
    fn report(&mut self, root: &Position, found: &Found, tell: &mut dyn FnMut(&Report<'_>)) {
        self.line.clear();
        self.line.push(found.mv);
        let mut position = *root;
        position.play_unchecked(found.mv);
        let mut moves = MoveList::new();
        while self.line.len() < (found.depth as usize).min(MOST_PLIES) {
            position.legal_moves(&mut moves);
            let Some(entry) = self.table.get(position.board().key()) else {
                break;
            };
            let is_best = |mv: &&Move| number(position.framed(**mv)) == usize::from(entry.mv);
            let Some(&mv) = moves.iter().find(is_best) else {
                break;
            };
            self.line.push(mv);
            position.play_unchecked(mv);
        }
        tell(&Report {
            depth: found.depth,
            score: found.score,
            nodes: found.nodes,
            line: &self.line,
        });
    }
}

fn score_of(score: i32) -> Score {
    if score > WON {
        Score::Win((WIN - score) as u32)
    } else if score < -WON {
        Score::Loss((WIN + score) as u32)
    } else {
        Score::Chicks(score)
    }
}

/// The table counts the plies to an end from its position on.
const fn to_table(score: i32, plies: i32) -> i32 {
    if score > WON {
        score + plies
    } else if score < -WON {
        score - plies
    } else {
        score
    }
}

const fn from_table(score: i32, plies: i32) -> i32 {
    if score > WON {
        score - plies
    } else if score < -WON {
        score + plies
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Whether the mover wins in at most so many plies, by all moves of both sides; `seen` has the boards before.
    fn wins(board: &Board, plies: u32, seen: &mut Vec<u64>) -> bool {
        let caught_or_tried =
            |next: &Board| next.is_caught() || next.is_tried() && !next.can_catch();
        let mut moves = MoveList::new();
        board.moves(false, &mut moves);
        let nexts: Vec<Board> = moves.iter().map(|&mv| board.after(mv)).collect();
        if plies == 0 || nexts.iter().any(caught_or_tried) {
            return plies > 0;
        }
        seen.push(board.key());
        let won = plies > 2
            && nexts
                .iter()
                .any(|next| !seen.contains(&next.key()) && loses(next, plies - 1, seen));
        seen.pop();
        won
    }

    /// Whether the mover loses in at most so many plies.
    fn loses(board: &Board, plies: u32, seen: &mut Vec<u64>) -> bool {
        let mut moves = MoveList::new();
        board.moves(false, &mut moves);
        seen.push(board.key());
        let lost = moves.iter().all(|&mv| {
            let next = board.after(mv);
            let ends = next.is_caught() || next.is_tried() && !next.can_catch();
            !ends && !seen.contains(&next.key()) && wins(&next, plies - 1, seen)
        });
        seen.pop();
        lost
    }

    #[test]
    fn quick_wins_are_those_of_a_search_of_all_moves() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut search = AlphaBeta::new(12);
        let mut moves = MoveList::new();
        let mut lengths = [0; 6];
        for _ in 0..80 {
            let mut position = Position::START;
            for _ in 0..60 {
                let board = position.board();
                let mut seen = Vec::new();
                let shortest = [1, 3, 5].into_iter().find(|&n| wins(board, n, &mut seen));
                lengths[shortest.unwrap_or(0) as usize] += 1;
                let found = search.mate(&position, &[], &Limits::of_depth(5));
                let found = found.map(|found| found.score);
                assert_eq!(found, shortest.map(Score::Win), "{position}");
                position.legal_moves(&mut moves);
                // Moves after which the game goes on, so that long wins occur as well.
                let open = |mv: &&Move| {
                    let next = board.after(position.framed(**mv));
                    !next.is_caught() && !next.can_catch() && !next.is_tried()
                };
                let open: Vec<Move> = moves.iter().filter(open).copied().collect();
                if open.is_empty() {
                    break;
                }
                position.play_unchecked(open[rng.random_range(0..open.len())]);
            }
        }
        assert!([0, 1, 3, 5].iter().all(|&n| lengths[n] > 20), "{lengths:?}");
    }
}
