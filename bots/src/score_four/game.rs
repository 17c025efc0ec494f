//! Score four as the searches and the engines see it, and late positions that random moves lead to.

use games::score_four::{Peg, Position};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::{OpenPosition, PlayedGame};
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

impl OpenPosition for Position {
    type Move = Peg;

    fn beginning() -> Self {
        Self::START
    }

    fn seat(&self) -> Option<usize> {
        self.to_move().map(usize::from)
    }

    fn list_moves(&self, out: &mut Vec<Peg>) {
        out.clear();
        out.extend(self.legal_pegs());
    }

    fn try_move(&mut self, mv: Peg) -> bool {
        self.play(mv).is_ok()
    }
}

impl PlayedGame<Position, 2> {
    pub fn winner(&self) -> Option<u8> {
        self.end.end().and_then(|end| end.winner)
    }
}

fn after(position: &Position, peg: Peg) -> Position {
    let mut next = *position;
    next.play_unchecked(peg);
    next
}

/// Whether the seat to move completes a line with some ball.
fn wins_at_once(position: &Position) -> bool {
    position.legal_pegs().any(|peg| {
        after(position, peg)
            .end()
            .is_some_and(|end| end.winner.is_some())
    })
}

/// A position for exact solving that goes on, with `empty` empty squares (1 to 64), by random moves that complete no line and
/// let the other seat complete none with its next ball.
pub fn late_position(empty: u8, rng: &mut Xoshiro256PlusPlus) -> Position {
    let balls = 64 - empty.clamp(1, 64);
    let mut position = Position::START;
    while position.ply() < balls {
        let mut quiet = [Position::START; 16];
        let mut count = 0;
        for peg in position.legal_pegs() {
            let next = after(&position, peg);
            if next.end().is_none() && !wins_at_once(&next) {
                quiet[count] = next;
                count += 1;
            }
        }
        position = match count {
            0 => Position::START,
            n => quiet[rng.random_range(0..n)],
        };
    }
    position
}
