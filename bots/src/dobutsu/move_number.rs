//! The numbers of moves, which the searches, the signature and self-play share.

use games::dobutsu::{Move, PieceKind, SQUARES, Square};

/// Squares of departure, and the kinds of a hand.
const ORIGINS: usize = SQUARES + 3;

/// The number of a move, below [`MOVES`].
#[inline]
pub(crate) const fn number(mv: Move) -> usize {
    let origin = match (mv.from(), mv.dropped()) {
        (Some(from), _) => from.index(),
        (None, Some(kind)) => SQUARES + kind as usize - 1,
        (None, None) => unreachable!(),
    };
    (mv.promotes() as usize * ORIGINS + origin) * SQUARES + mv.to().index()
}

/// The move of a number, which is one of 0 to 359; `None` where there is none.
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
