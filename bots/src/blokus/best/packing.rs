//! The end of a game in which one colour alone can still move.

use games::blokus::{Board, Colour, Placement};

use crate::search::Stopwatch;

/// The first move of a line that places the most, searched depth-first with larger pieces first; `None` if a
/// rival can still move, or if the budget did not suffice to be sure.
pub(in crate::blokus) fn best_packing(board: &Board, watch: &mut Stopwatch) -> Option<Placement> {
    let colour = board.to_move()?;
    let mut others = Colour::ALL.into_iter().filter(|&other| other != colour);
    if others.any(|other| board.has_move(other)) {
        return None;
    }
    let mut packing = Packing {
        colour,
        watch,
        best: i16::MIN,
        first: None,
        is_complete: true,
    };
    packing.deepen(board, None);
    packing.first.filter(|_| packing.is_complete)
}

struct Packing<'a> {
    colour: Colour,
    watch: &'a mut Stopwatch,
    best: i16,
    first: Option<Placement>,
    is_complete: bool,
}

impl Packing<'_> {
    fn deepen(&mut self, board: &Board, first: Option<Placement>) {
        let score = board.score(self.colour);
        if score > self.best {
            self.best = score;
            self.first = first;
        }
        if self.bound(board) <= self.best {
            return;
        }
        let mut moves = Vec::new();
        board.legal_moves_of(self.colour, &mut moves);
        for &mv in moves.iter().rev() {
            if !self.watch.grant() {
                self.is_complete = false;
                return;
            }
            let mut next = *board;
            next.put(self.colour, mv);
            self.deepen(&next, first.or(Some(mv)));
        }
    }

    /// The most that can come of it: all pieces placed, or all free squares covered.
    fn bound(&self, board: &Board) -> i16 {
        let free = board.free_rows(self.colour);
        let space: u32 = free.iter().map(|row| row.count_ones()).sum();
        let left = board.squares_left(self.colour);
        if space >= u32::from(left) {
            return 20;
        }
        -(i16::from(left) - space as i16)
    }
}
