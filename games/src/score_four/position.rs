//! A position and its rules.

use super::{PEGS, Peg, Pegs, has_line, lines_at};

/// How a game ended by the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct End {
    /// The seat with four in a line; `None` for a draw.
    pub winner: Option<u8>,
    /// The squares of all lines that the last ball completed; 0 for a draw.
    pub line: u64,
}

impl End {
    /// A word for records: `line` or `full-board`.
    pub const fn name(self) -> &'static str {
        if self.winner.is_some() {
            "line"
        } else {
            "full-board"
        }
    }
}

/// Why a move is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IllegalMove {
    /// The game is over.
    #[error("{0}: the game is over")]
    Over(Peg),
    /// Four balls are on the peg.
    #[error("{0}: the peg is full")]
    Full(Peg),
}

/// Why two sets of squares are no position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidPosition {
    /// A square has a ball of both seats.
    #[error("a square is taken twice")]
    Overlap,
    /// There is an empty square below a ball.
    #[error("a ball hangs in the air")]
    Floating,
    /// The numbers of balls fit no turn order.
    #[error("seat 0 has {0} balls and seat 1 has {1}: seat 0 must have as many or one more")]
    Counts(u32, u32),
    /// A line that the last ball cannot have completed.
    #[error("a line of four that the last ball cannot have completed")]
    Line,
}

/// The balls of both seats. Seat 0 moves first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Position {
    pub(super) sides: [u64; 2],
    pub(super) line: u64,
}

impl Position {
    /// The empty board.
    pub const START: Self = Self {
        sides: [0; 2],
        line: 0,
    };

    /// The position with these balls of seats 0 and 1.
    ///
    /// # Errors
    /// What is wrong with them. It is not checked whether some order of moves leads there.
    pub fn from_sides(sides: [u64; 2]) -> Result<Self, InvalidPosition> {
        let [first, second] = sides;
        let taken = first | second;
        if first & second != 0 {
            return Err(InvalidPosition::Overlap);
        }
        if (taken >> PEGS) & !taken != 0 {
            return Err(InvalidPosition::Floating);
        }
        let counts = sides.map(u64::count_ones);
        if counts[0] != counts[1] && counts[0] != counts[1] + 1 {
            return Err(InvalidPosition::Counts(counts[0], counts[1]));
        }
        let mut position = Self { sides, line: 0 };
        let last = 1 - position.mover();
        if has_line(sides[1 - last]) {
            return Err(InvalidPosition::Line);
        }
        if has_line(sides[last]) {
            // The last ball lies on top of its peg, and without it there is no line.
            let tops = sides[last] & !(taken >> PEGS);
            let ball = (0..64).find(|&i| tops >> i & 1 == 1 && !has_line(sides[last] & !(1 << i)));
            let ball = ball.ok_or(InvalidPosition::Line)?;
            position.line = lines_at(sides[last], ball);
        }
        Ok(position)
    }

    #[inline]
    const fn mover(&self) -> usize {
        (self.taken().count_ones() & 1) as usize
    }

    #[inline]
    const fn is_over(&self) -> bool {
        self.line != 0 || self.taken() == u64::MAX
    }

    /// The seat to move; `None` when the game is over.
    #[inline]
    pub const fn to_move(&self) -> Option<u8> {
        if self.is_over() {
            None
        } else {
            Some(self.mover() as u8)
        }
    }

    /// Balls on the board, 0 to 64.
    #[inline]
    pub const fn ply(&self) -> u8 {
        self.taken().count_ones() as u8
    }

    /// The squares of `seat`'s balls.
    ///
    /// # Panics
    /// If `seat` is above 1.
    #[inline]
    pub const fn balls(&self, seat: u8) -> u64 {
        self.sides[seat as usize]
    }

    /// The squares with balls.
    #[inline]
    pub const fn taken(&self) -> u64 {
        self.sides[0] | self.sides[1]
    }

    /// The squares on which a next ball would come to rest, also when the game is over: at most one to a
    /// peg.
    #[inline]
    pub const fn rests(&self) -> u64 {
        let taken = self.taken();
        (taken << PEGS | 0xffff) & !taken
    }

    /// Balls on a peg, 0 to 4.
    #[inline]
    pub const fn height(&self, peg: Peg) -> u8 {
        (self.taken() & peg.column()).count_ones() as u8
    }

    /// Whose ball is on a peg at a level; `None` for an empty square and above level 3.
    pub fn owner(&self, peg: Peg, level: usize) -> Option<u8> {
        let square = peg.square(level)?;
        (0..2).find(|&seat| self.balls(seat) & square != 0)
    }

    /// The pegs on which the seat to move may drop a ball; none when the game is over.
    #[inline]
    pub const fn legal_pegs(&self) -> Pegs {
        if self.is_over() {
            Pegs::from_mask(0)
        } else {
            Pegs::from_mask(!(self.taken() >> 48) as u16)
        }
    }

    /// Whether [`Position::play`] would accept the move.
    pub const fn is_legal(&self, peg: Peg) -> bool {
        self.legal_pegs().contains(peg)
    }

    /// Drops a ball of the seat to move.
    ///
    /// # Errors
    /// The rule that forbids the move; nothing has changed then.
    pub fn play(&mut self, peg: Peg) -> Result<(), IllegalMove> {
        if self.is_over() {
            return Err(IllegalMove::Over(peg));
        }
        if !self.is_legal(peg) {
            return Err(IllegalMove::Full(peg));
        }
        self.play_unchecked(peg);
        Ok(())
    }

    /// Drops a ball where that is known to be legal; on a full peg nothing happens, after the end of the
    /// game the position makes no sense.
    #[inline]
    pub const fn play_unchecked(&mut self, peg: Peg) {
        let ball = self.rests() & peg.column();
        if ball != 0 {
            let mover = self.mover();
            self.sides[mover] |= ball;
            self.line = lines_at(self.sides[mover], ball.trailing_zeros());
        }
    }

    /// How the game ended; `None` while it goes on.
    #[inline]
    pub const fn end(&self) -> Option<End> {
        if self.line != 0 {
            Some(End {
                winner: Some(1 - self.mover() as u8),
                line: self.line,
            })
        } else if self.is_over() {
            Some(End {
                winner: None,
                line: 0,
            })
        } else {
            None
        }
    }
}
