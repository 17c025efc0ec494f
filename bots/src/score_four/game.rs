//! Score four as the searches see it.

use games::score_four::{Peg, Position};

use crate::search::{Game, Rewards, two_seats};

impl Game for Position {
    type Move = Peg;

    const SEATS: usize = 2;

    const MOVES: usize = 16;

    #[inline]
    fn index(mv: Peg) -> usize {
        mv.index()
    }

    #[inline]
    fn to_move(&self) -> Option<u8> {
        self.to_move()
    }

    #[inline]
    fn moves(&self, out: &mut Vec<Peg>) {
        out.clear();
        out.extend(self.legal_pegs());
    }

    #[inline]
    fn play(&mut self, mv: Peg) {
        self.play_unchecked(mv);
    }

    #[inline]
    fn rewards(&self) -> Option<Rewards> {
        let end = self.end()?;
        Some(two_seats(match end.winner {
            Some(0) => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        }))
    }
}
