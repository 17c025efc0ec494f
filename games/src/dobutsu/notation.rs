//! Squares, moves and positions as USI and SFEN write them, and a drawing for terminals.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use super::{Board, IllegalMove, Move, PieceKind, Position, Square, Variant};

/// Text that is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Not a move of USI.
    #[error(
        "`{0}` is not a move: write squares such as `2c2b`, `2b2a+` for a promotion, or `C*2c` for a drop"
    )]
    Move(String),
    /// Not a position.
    #[error("{0}: write a position such as `gle/1c1/1C1/ELG b - 1`")]
    Position(String),
    /// A sequence with a move that the rules forbid.
    #[error("move {0} of the sequence: {1}")]
    Illegal(usize, IllegalMove),
    /// Not a move as the `AnimalShogiServer` writes it.
    #[error("`{0}` is not a move: write a sign and squares such as `+2c2b`, or `+h*2b` for a drop")]
    AnimalShogi(String),
    /// Not a move as records of the kind of CSA write it.
    #[error(
        "`{0}` is not a move: write a sign, squares and a piece such as `+B3B2HI`, or `+00B3KI` for a drop"
    )]
    Csa(String),
    /// A record of the kind of CSA with a line that does not belong there.
    #[error("line {0}: {1}")]
    Line(usize, String),
}

/// What a message shows of a text that cannot be read.
pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(24).collect()
}

/// File 3 to 1 from left to right and rank a to d from the top, such as `2c`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char((b'3' - self.x()).into())?;
        f.write_char((b'a' + self.y()).into())
    }
}

/// A square of a digit and a letter, either of which may be beyond the board.
pub(super) fn square(digit: u8, letter: u8) -> Option<Square> {
    let y = letter.to_ascii_lowercase().wrapping_sub(b'a');
    Square::new(b'3'.wrapping_sub(digit), y)
}

/// As USI: `2c2b`, `2b2a+` for a promotion, `C*2c` for a drop.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from(), self.dropped()) {
            (Some(from), _) => write!(f, "{from}{}", self.to())?,
            (None, Some(kind)) => write!(f, "{}*{}", kind.letter(), self.to())?,
            (None, None) => unreachable!("a move is a step or a drop"),
        }
        f.write_str(if self.promotes() { "+" } else { "" })
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Move {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let read = || {
            let (bytes, promotes) = match text.as_bytes() {
                [step @ .., b'+'] => (step, true),
                bytes => (bytes, false),
            };
            match *bytes {
                [kind, b'*', digit, letter] if !promotes => {
                    let kind = PieceKind::from_letter(kind.into())?;
                    let to = square(digit, letter)?;
                    PieceKind::HELD
                        .contains(&kind)
                        .then(|| Move::drop(kind, to))
                }
                [d0, l0, d1, l1] => Some(Move::step(square(d0, l0)?, square(d1, l1)?, promotes)),
                _ => None,
            }
        };
        read().ok_or_else(|| ParseError::Move(excerpt(text)))
    }
}

/// A letter of a piece, a capital for seat 0, with `+` before a hen.
fn piece(f: &mut impl fmt::Write, kind: PieceKind, seat: u8) -> fmt::Result {
    if kind == PieceKind::Hen {
        f.write_char('+')?;
    }
    f.write_char(if seat == 0 {
        kind.letter()
    } else {
        kind.letter().to_ascii_lowercase()
    })
}

/// SFEN: the ranks from the top, the side to move (`b` is seat 0), the hands and a 1. With `#`, a drawing: seat 0 at
/// the bottom, its pieces in capitals, and the hands.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.draw(f);
        }
        for rank in Square::ALL.chunks(3) {
            if rank[0].y() > 0 {
                f.write_char('/')?;
            }
            let mut empty = 0;
            for &square in rank {
                let Some((kind, seat)) = self.piece(square) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    write!(f, "{empty}")?;
                    empty = 0;
                }
                piece(f, kind, seat)?;
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
        }
        let side = if self.turn() == 0 { 'b' } else { 'w' };
        write!(f, " {side} ")?;
        let mut hands = String::new();
        for seat in 0..2 {
            for kind in PieceKind::HELD {
                let count = self.hand(seat, kind);
                if count > 1 {
                    write!(hands, "{count}")?;
                }
                if count > 0 {
                    piece(&mut hands, kind, seat)?;
                }
            }
        }
        write!(f, "{} 1", if hands.is_empty() { "-" } else { &hands })
    }
}

impl Position {
    fn draw(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "   3  2  1")?;
        for rank in Square::ALL.chunks(3) {
            let y = rank[0].y();
            let mut line = String::new();
            for &square in rank {
                let mut cell = String::new();
                match self.piece(square) {
                    Some((kind, seat)) => piece(&mut cell, kind, seat)?,
                    None => cell.push('.'),
                }
                write!(line, " {cell:>2}")?;
            }
            write!(f, "{}{line}", char::from(b'a' + y))?;
            if let Some(seat) = [Some(1), None, None, Some(0)][usize::from(y)] {
                let held = PieceKind::HELD
                    .into_iter()
                    .flat_map(|kind| (0..self.hand(seat, kind)).map(move |_| kind));
                let mut hand = String::new();
                for kind in held {
                    hand.push(' ');
                    piece(&mut hand, kind, seat)?;
                }
                let hand = if hand.is_empty() { " -" } else { &hand };
                write!(f, "   hand{hand}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Reads SFEN with or without the number of the move, and `startpos`. A position may have fewer pieces than the
/// game, at most two of each animal (hens are chicks), and the lion of the seat to move may be missing: it was
/// captured.
impl FromStr for Position {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        if text == "startpos" {
            return Ok(Self::START);
        }
        let wrong = |reason: &str| ParseError::Position(format!("`{}`: {reason}", excerpt(text)));
        let fields: Vec<&str> = text.split_whitespace().collect();
        let (&[ranks, side, hands] | &[ranks, side, hands, _]) = fields.as_slice() else {
            return Err(wrong("ranks, side to move and hands are wanted"));
        };
        let mover = match side {
            "b" => 0,
            "w" => 1,
            _ => return Err(wrong("the side to move is `b` or `w`")),
        };
        if let Some(number) = fields.get(3)
            && number.parse::<u32>().is_err()
        {
            return Err(wrong("the number of the move is no number"));
        }
        let mut board = Board::EMPTY;
        let mut all = [0_u8; 4];
        let mut lions = [0; 2];
        if ranks.split('/').count() != 4 {
            return Err(wrong("four ranks are wanted"));
        }
        for (y, rank) in (0..).zip(ranks.split('/')) {
            let (mut x, mut hen) = (0, false);
            for letter in rank.chars() {
                match letter {
                    '1'..='3' if !hen => x += letter as u8 - b'0',
                    '+' if !hen => hen = true,
                    _ => {
                        let kind = PieceKind::from_letter(letter)
                            .ok_or_else(|| wrong("a letter is none of `l`, `g`, `e` and `c`"))?;
                        let kind = match (kind, hen) {
                            (PieceKind::Chick, true) => PieceKind::Hen,
                            (_, true) => return Err(wrong("only a chick promotes")),
                            (kind, false) => kind,
                        };
                        hen = false;
                        let seat = u8::from(letter.is_ascii_lowercase());
                        let square =
                            Square::new(x, y).ok_or_else(|| wrong("a rank has three squares"))?;
                        all[kind.captured() as usize] += 1;
                        lions[usize::from(seat)] += u8::from(kind == PieceKind::Lion);
                        let square = if mover == 0 { square } else { square.turned() };
                        board.put(kind, seat == mover, square);
                        x += 1;
                    }
                }
                if x > 3 {
                    return Err(wrong("a rank has three squares"));
                }
            }
            if x != 3 || hen {
                return Err(wrong("a rank has three squares"));
            }
        }
        let mut held = [[0; 3]; 2];
        let mut count = 0;
        for letter in hands.chars().filter(|_| hands != "-") {
            match (letter, PieceKind::from_letter(letter)) {
                ('1' | '2', _) if count == 0 => count = letter as u8 - b'0',
                (_, Some(kind)) if kind != PieceKind::Lion => {
                    let owner = usize::from(letter.is_ascii_lowercase() == (mover == 0));
                    held[owner][kind as usize - 1] += count.max(1);
                    all[kind as usize] = all[kind as usize].saturating_add(count.max(1));
                    count = 0;
                }
                _ => return Err(wrong("the hands are such as `Gc`, `2C`, or `-`")),
            }
            if all.iter().any(|&count| count > 2) {
                break;
            }
        }
        if count > 0 {
            return Err(wrong("a number in the hands has no piece"));
        }
        if all.iter().any(|&count| count > 2) {
            return Err(wrong("there are at most two of each animal"));
        }
        let (own, enemy) = (usize::from(mover), usize::from(1 - mover));
        if lions[own] > 1 || lions[enemy] != 1 {
            return Err(wrong("each side has one lion"));
        }
        board.set_hands(held);
        Ok(Self::new(board, mover, Variant::default()))
    }
}
