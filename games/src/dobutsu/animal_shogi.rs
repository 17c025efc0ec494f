//! Moves as the `AnimalShogiServer` writes them: `+2c2b`, `+h*2b` for a drop, `+2b2a+` for a promotion. Files
//! are 1 to 3 from left to right, the mirror image of USI.

use super::notation::excerpt;
use super::{Move, ParseError, PieceKind, Square};

/// The letter of a piece in hand: ひよこ, ぞう, キリン.
const fn letter(kind: PieceKind) -> char {
    match kind {
        PieceKind::Elephant => 'z',
        PieceKind::Giraffe => 'k',
        PieceKind::Lion | PieceKind::Chick | PieceKind::Hen => 'h',
    }
}

fn square_text(square: Square) -> String {
    let [file, rank] = [b'1' + square.x(), b'a' + square.y()].map(char::from);
    format!("{file}{rank}")
}

fn square(file: u8, rank: u8) -> Option<Square> {
    let y = rank.to_ascii_lowercase().wrapping_sub(b'a');
    Square::new(file.wrapping_sub(b'1'), y)
}

impl Move {
    /// The move of a seat as the server writes it.
    pub fn animal_shogi(self, seat: u8) -> String {
        let sign = if seat == 0 { '+' } else { '-' };
        let to = square_text(self.to());
        let promotes = if self.promotes() { "+" } else { "" };
        let held = self.dropped().map(|kind| format!("{}*", letter(kind)));
        let from = held.or(self.from().map(square_text)).unwrap_or_default();
        format!("{sign}{from}{to}{promotes}")
    }

    /// Reads what [`Move::animal_shogi`] writes: the seat and its move.
    ///
    /// # Errors
    /// If the text is no move.
    pub fn read_animal_shogi(text: &str) -> Result<(u8, Move), ParseError> {
        let read = || {
            let (seat, rest) = match text.as_bytes() {
                [b'+', rest @ ..] => (0, rest),
                [b'-', rest @ ..] => (1, rest),
                _ => return None,
            };
            let mv = match *rest {
                [held, b'*', file, rank] => {
                    let held = char::from(held.to_ascii_lowercase());
                    let kind = PieceKind::HELD
                        .into_iter()
                        .find(|&kind| letter(kind) == held)?;
                    Move::drop(kind, square(file, rank)?)
                }
                [f0, r0, f1, r1] => Move::step(square(f0, r0)?, square(f1, r1)?, false),
                [f0, r0, f1, r1, b'+'] => Move::step(square(f0, r0)?, square(f1, r1)?, true),
                _ => return None,
            };
            Some((seat, mv))
        };
        read().ok_or_else(|| ParseError::AnimalShogi(excerpt(text)))
    }
}
