//! Dobutsu shogi as the searches see it.

use games::dobutsu::{Dobutsu, Move, PieceKind, SQUARES, Square};
use games::{Game as _, Seat};

use crate::search::{Game, OutOfTurn, Rewards, two_seats};

/// Squares of departure, and the kinds of a hand.
const ORIGINS: usize = SQUARES + 3;

/// The number of a move, below [`MOVES`].
#[inline]
pub(super) const fn number(mv: Move) -> usize {
    let origin = match (mv.from(), mv.dropped()) {
        (Some(from), _) => from.index(),
        (None, Some(kind)) => SQUARES + kind as usize - 1,
        (None, None) => unreachable!(),
    };
    (mv.promotes() as usize * ORIGINS + origin) * SQUARES + mv.to().index()
}

/// The move of a number; `None` where there is none.
pub fn move_of(number: u16) -> Option<Move> {
    let number = usize::from(number);
    let to = Square::from_index(number % SQUARES)?;
    let (promotes, origin) = match number / SQUARES {
        origin @ 0..ORIGINS => (false, origin),
        origin => (true, origin - ORIGINS),
    };
    match Square::from_index(origin) {
        Some(from) => Some(Move::step(from, to, promotes)),
        None if promotes => None,
        None => {
            let kind = PieceKind::HELD.get(origin.checked_sub(SQUARES)?)?;
            Some(Move::drop(*kind, to))
        }
    }
}

pub(super) const MOVES: usize = 2 * ORIGINS * SQUARES;

/// With its past: the third occurrence of a position is the end.
impl Game for Dobutsu {
    type Move = Move;

    const SEATS: usize = games::dobutsu::SEATS;

    const MOVES: usize = MOVES;

    fn index(mv: Move) -> usize {
        number(mv)
    }

    fn to_move(&self) -> Option<u8> {
        games::Game::to_move(self).map(|seat| seat.index() as u8)
    }

    fn moves(&self, out: &mut Vec<Move>) {
        self.legal_moves(out);
    }

    fn play(&mut self, mv: Move) {
        games::Game::play(self, mv).expect("a search plays legal moves");
    }

    fn rewards(&self) -> Option<Rewards> {
        Some(two_seats(self.outcome()?.points[Seat::new(0)]))
    }

    fn moves_since(&self, earlier: &Self, out: &mut Vec<Move>) -> bool {
        out.clear();
        let is_later = self.first() == earlier.first() && self.moves().starts_with(earlier.moves());
        if is_later {
            out.extend_from_slice(&self.moves()[earlier.moves().len()..]);
        }
        is_later
    }
}

impl OutOfTurn for Dobutsu {}
