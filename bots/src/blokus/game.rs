//! Blokus as the searches see it.

use games::blokus::{Board, Cell, Colour, PLACEMENTS, Placement, SEATS, SIDE, Scene, Scoring};

use crate::search::{Evaluated, Game, OutOfTurn, Rewards, Values};

const LARGEST: i32 = 5;

fn squares_of(rows: &[u32; SIDE]) -> i32 {
    rows.iter().map(|row| row.count_ones() as i32).sum()
}

fn colour(seat: u8) -> Colour {
    Colour::ALL[usize::from(seat) % SEATS]
}

impl Game for Board {
    type Move = Placement;

    const SEATS: usize = SEATS;

    const MOVES: usize = PLACEMENTS;

    #[inline]
    fn index(mv: Placement) -> usize {
        mv.index()
    }

    #[inline]
    fn to_move(&self) -> Option<u8> {
        self.to_move().map(Colour::seat)
    }

    #[inline]
    fn moves(&self, out: &mut Vec<Placement>) {
        self.legal_moves(out);
    }

    #[inline]
    fn play(&mut self, mv: Placement) {
        self.play_unchecked(mv);
    }

    fn rewards(&self) -> Option<Rewards> {
        if self.to_move().is_some() {
            return None;
        }
        Some(win_shares(self, Scoring::Advanced))
    }

    fn worth(&self, score_share: f64) -> Option<Rewards> {
        if self.to_move().is_some() {
            return None;
        }
        let scores = counted(self, self.scores(Scoring::Advanced));
        Some(worth(scores, score_share))
    }

    fn moves_since(&self, earlier: &Board, out: &mut Vec<Placement>) -> bool {
        out.clear();
        let mut board = *earlier;
        while board.ply() < self.ply() {
            let Some(mv) = board.to_move().and_then(|mover| added(self, &board, mover)) else {
                return false;
            };
            if board.play(mv).is_err() {
                return false;
            }
            out.push(mv);
        }
        board == *self
    }
}

/// The same with the moves that led to it, for networks that are shown them.
impl Game for Scene {
    type Move = Placement;

    const SEATS: usize = SEATS;

    const MOVES: usize = PLACEMENTS;

    #[inline]
    fn index(mv: Placement) -> usize {
        mv.index()
    }

    #[inline]
    fn to_move(&self) -> Option<u8> {
        Game::to_move(self.board())
    }

    #[inline]
    fn moves(&self, out: &mut Vec<Placement>) {
        self.board().legal_moves(out);
    }

    #[inline]
    fn play(&mut self, mv: Placement) {
        self.play_unchecked(mv);
    }

    fn rewards(&self) -> Option<Rewards> {
        self.board().rewards()
    }

    fn worth(&self, score_share: f64) -> Option<Rewards> {
        self.board().worth(score_share)
    }

    fn moves_since(&self, earlier: &Scene, out: &mut Vec<Placement>) -> bool {
        self.board().moves_since(earlier.board(), out)
    }
}

/// What a colour has on `board` beyond `earlier`, if it is one piece.
fn added(board: &Board, earlier: &Board, colour: Colour) -> Option<Placement> {
    let mut cells = Vec::with_capacity(6);
    let rows = board.own_rows(colour).iter().zip(earlier.own_rows(colour));
    for (y, (new, old)) in (0_u16..).zip(rows) {
        let mut row = new & !old;
        while row != 0 {
            cells.extend(Cell::new(y * SIDE as u16 + row.trailing_zeros() as u16));
            row &= row - 1;
            if cells.len() > LARGEST as usize {
                return None;
            }
        }
    }
    Placement::from_cells(&cells).ok()
}

/// Less than any score of the rules, and within 127 of them.
const WITHDRAWN: i16 = -107;

/// Scores by seat as they count for the places: a withdrawn seat stands behind all others.
pub(super) fn counted(board: &Board, mut scores: [i16; SEATS]) -> [i16; SEATS] {
    for colour in Colour::ALL {
        if board.is_withdrawn(colour) {
            scores[colour.index()] = WITHDRAWN;
        }
    }
    scores
}

/// The best score wins; several that have it share the win.
pub(super) fn shares_of(scores: [i16; SEATS]) -> Rewards {
    let best = scores.into_iter().max().unwrap_or_default();
    let count = scores.iter().filter(|&&score| score == best).count();
    scores.map(|score| {
        if score == best {
            1.0 / count as f64
        } else {
            0.0
        }
    })
}

/// Points of difference by which a seat's share by score changes by a factor of e, as networks learn it.
const SCALE: f64 = 6.0;

/// Shares by score, 1 in sum: the softmax of the scores over [`SCALE`].
fn by_score(scores: [i16; SEATS]) -> Rewards {
    let best = scores.into_iter().max().unwrap_or_default();
    let weights = scores.map(|score| (f64::from(score - best) / SCALE).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// What an end with these scores is worth to each seat, with the share of the score in it.
pub(super) fn worth(scores: [i16; SEATS], share: f64) -> Rewards {
    let (wins, points) = (shares_of(scores), by_score(scores));
    std::array::from_fn(|seat| wins[seat] + share * (points[seat] - wins[seat]))
}

/// The rewards as the board stands: those with the best score share the win.
pub fn win_shares(board: &Board, scoring: Scoring) -> Rewards {
    shares_of(counted(board, board.scores(scoring)))
}

impl OutOfTurn for Board {
    #[inline]
    fn moves_of(&self, seat: u8, out: &mut Vec<Placement>) {
        self.legal_moves_of(colour(seat), out);
    }

    #[inline]
    fn play_of(&mut self, seat: u8, mv: Placement) {
        self.put(colour(seat), mv);
    }

    #[inline]
    fn give_turn(&mut self, seat: u8) {
        self.give_turn(colour(seat));
    }
}

impl Evaluated for Board {
    #[inline]
    fn evaluate(&self) -> Values {
        Colour::ALL.map(|colour| i32::from(self.squares(colour)))
    }

    #[inline]
    fn evaluate_after(&self, seat: u8, mv: Placement) -> Values {
        let mut values = self.evaluate();
        values[usize::from(seat)] += i32::from(mv.size());
        values
    }

    #[inline]
    fn gain(&self, _seat: u8, mv: Placement) -> i32 {
        i32::from(mv.size())
    }

    /// Squares are never taken back.
    #[inline]
    fn floor(&self) -> Values {
        self.evaluate()
    }

    /// The largest pieces left, one a turn, as far as there is room.
    #[inline]
    fn ceiling(&self, seat: u8, turns: u32) -> i32 {
        let colour = colour(seat);
        let has = i32::from(self.squares(colour));
        if turns == 0 || self.is_out(colour) {
            return has;
        }
        let left = self.pieces_left(colour);
        let (mut turns, mut more) = (turns, 0);
        for size in (1..=LARGEST as u8).rev() {
            let count = left.of_size(size).len().min(turns);
            more += i32::from(size) * count as i32;
            turns -= count;
        }
        has + more.min(squares_of(&self.free_rows(colour)))
    }

    /// Squares placed and those that somebody may still cover.
    fn ceiling_of_sum(&self) -> i32 {
        let mut free = [0; SIDE];
        for colour in Colour::ALL {
            if !self.is_out(colour) {
                let rows = self.free_rows(colour);
                free.iter_mut().zip(rows).for_each(|(all, row)| *all |= row);
            }
        }
        self.evaluate().iter().sum::<i32>() + squares_of(&free)
    }

    #[inline]
    fn is_out(&self, seat: u8) -> bool {
        self.is_out(colour(seat))
    }

    /// Largest pieces first.
    #[inline]
    fn ordered_moves_of(&self, seat: u8, out: &mut Vec<Placement>) {
        self.moves_of(seat, out);
        out.reverse();
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.key()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::RowPlayout;
    use crate::engine::OpenPosition as _;
    use crate::search::Playout;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn who_was_withdrawn_does_not_win() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut moves = Vec::new();
        let mut board = Board::new();
        while board.to_move().is_some_and(|_| board.ply() < 40) {
            board.legal_moves(&mut moves);
            // Blue places large pieces, the others small ones: it leads far.
            let is_blue = board.to_move() == Some(Colour::BLUE);
            board.play_unchecked(if is_blue {
                moves[moves.len() - 1]
            } else {
                moves[0]
            });
        }
        assert!(win_shares(&board, Scoring::Advanced)[0] > 0.99);
        board.withdraw(Colour::BLUE);
        let mut playout = RowPlayout::new(0.05);
        for _ in 0..50 {
            let rewards = playout.run(&board, &mut rng);
            assert!(rewards[0].abs() < 1e-9, "{rewards:?}");
            assert!((rewards.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn moves_are_found_after_a_colour_was_withdrawn() {
        for seed in 0..20 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let (mut board, mut moves, mut since) = (Board::new(), Vec::new(), Vec::new());
            let mut is_whole = true;
            while let Some(mover) = board.to_move() {
                if is_whole && u64::from(board.ply()) == 2 * seed {
                    is_whole = false;
                    board.withdraw(mover);
                    continue;
                }
                board.legal_moves(&mut moves);
                let mv = moves[rng.random_range(0..moves.len())];
                let before = board;
                board.play_unchecked(mv);
                assert!(board.moves_since(&before, &mut since));
                assert_eq!(since, [mv]);
            }
        }
    }

    #[test]
    fn ends_are_worth_the_win_and_the_score() {
        let end = Scene::from(Board::random_opening(100, 1));
        let rewards = |share| end.worth(share).expect("the game is over");
        let (wins, points) = (rewards(0.0), rewards(1.0));
        assert_eq!(Some(wins), end.rewards());
        let scores = end.board().scores(Scoring::Advanced);
        for seat in 0..SEATS {
            let mixed = 0.75 * wins[seat] + 0.25 * points[seat];
            assert!((rewards(0.25)[seat] - mixed).abs() < 1e-12);
            let ratio = (f64::from(scores[seat] - scores[0]) / 6.0).exp();
            assert!((points[seat] / points[0] / ratio - 1.0).abs() < 1e-9);
        }
        assert!((points.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(Scene::new().worth(0.5), None);
    }
}
