//! Values of positions.

use std::fmt;

use games::dobutsu::Board;

/// What a position comes to for the seat to move when both play best, with the distance in plies: the winner hurries,
/// the loser delays.
///
/// A capture of the lion and a try that cannot be answered count as a win in 1; a seat whose opponent has tried and that
/// cannot capture the lion has lost in 0. A seat that can capture it and does not has lost in 1: the game is over then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Won in so many plies: an odd number, or 0 where the game is over.
    Win(u8),
    /// Lost in so many plies: an even number, or 1 for a move that leaves a lion that has tried where it is.
    Loss(u8),
    Draw,
}

pub(super) const DRAW: u8 = 254;
/// The byte of a file for a win beyond [`NEAR`].
pub(super) const FAR: u8 = 253;
/// The most plies of a win that a file states: the plies of a slower one follow from the lost positions that its moves
/// lead to, and take a third of the room less.
pub(super) const NEAR: u8 = 7;
/// The byte of a number that no game comes to.
pub(super) const UNREACHED: u8 = 255;

impl Value {
    /// The value of a board in which the mover can capture the lion, or in which the game is decided by a lion that
    /// was captured or has tried; `None` where the pieces must be played on.
    #[inline]
    pub fn at_once(board: &Board) -> Option<Value> {
        if board.is_caught() {
            Some(Value::Loss(0))
        } else if board.has_tried() {
            Some(Value::Win(0))
        } else if board.can_catch() {
            Some(Value::Win(1))
        } else if board.is_tried() {
            Some(Value::Loss(0))
        } else {
            None
        }
    }

    /// The value of a byte of the table: an odd number is a win in so many plies, an even one a loss; `None` for 255.
    #[inline]
    pub const fn from_byte(byte: u8) -> Option<Value> {
        match byte {
            UNREACHED => None,
            DRAW => Some(Value::Draw),
            distance if distance % 2 == 1 => Some(Value::Win(distance)),
            distance => Some(Value::Loss(distance)),
        }
    }

    #[inline]
    pub const fn byte(self) -> u8 {
        match self {
            Value::Win(distance) | Value::Loss(distance) => distance,
            Value::Draw => DRAW,
        }
    }

    /// What a move is worth for its mover that leads to this value for the other seat.
    #[inline]
    #[must_use]
    pub const fn before(self) -> Value {
        match self {
            Value::Win(distance) => Value::Loss(distance + 1),
            Value::Loss(distance) => Value::Win(distance + 1),
            Value::Draw => Value::Draw,
        }
    }

    /// Plies to the end; `None` for a draw.
    #[inline]
    pub const fn distance(self) -> Option<u8> {
        match self {
            Value::Win(distance) | Value::Loss(distance) => Some(distance),
            Value::Draw => None,
        }
    }

    /// 1 for a win, 0 for a draw, -1 for a loss.
    #[inline]
    pub const fn sign(self) -> i8 {
        match self {
            Value::Win(_) => 1,
            Value::Draw => 0,
            Value::Loss(_) => -1,
        }
    }

    /// The word of reports: `win`, `lose`, `draw`.
    pub const fn word(self) -> &'static str {
        match self {
            Value::Win(_) => "win",
            Value::Loss(_) => "lose",
            Value::Draw => "draw",
        }
    }

    /// Larger is better for the mover: quick wins first, then slow ones, draws, slow losses, quick ones.
    #[inline]
    pub const fn rank(self) -> i16 {
        match self {
            Value::Win(distance) => 512 - distance as i16,
            Value::Draw => 0,
            Value::Loss(distance) => distance as i16 - 512,
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Such as `win in 5`, `draw`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        self.distance()
            .map_or(Ok(()), |distance| write!(f, " in {distance}"))
    }
}
