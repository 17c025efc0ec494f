//! Checks a table against the rules: each value against those of its successors.

use games::dobutsu::Board;

use super::bits::share;
use super::value::UNREACHED;
use super::{Index, Value};

/// Numbers that a thread takes at a time.
const TAKEN: usize = 1 << 16;

/// A value that does not follow from those of its successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breach {
    pub board: Board,
    /// Its byte.
    pub stated: u8,
    /// The byte that follows from its successors; 255 if one of these has none, or the number is not that of the board.
    pub due: u8,
}

/// Checks every value against those of its successors, on so many threads. Returns how many values there are, or the
/// first that is wrong.
///
/// No breach proves all values: a distance is one more than that of a successor, down to an end, so wins and losses are
/// forced; and from a draw no move wins, and one leads to a draw.
///
/// # Errors
/// The first breach.
pub fn verify(index: &Index, values: &[u8], threads: usize) -> Result<u64, Breach> {
    let parts = share(threads, values.len().div_ceil(TAKEN), |part| {
        let from = part * TAKEN;
        let to = values.len().min(from + TAKEN);
        let mut count = 0;
        for (&stated, number) in values[from..to].iter().zip(from as u32..) {
            if stated == UNREACHED {
                continue;
            }
            count += 1;
            let board = index.unrank(number);
            let due = if index.rank(&board) == number && Value::at_once(&board).is_none() {
                due(index, values, &board)
            } else {
                UNREACHED
            };
            if due != stated {
                return Err(Breach { board, stated, due });
            }
        }
        Ok(count)
    });
    parts.into_iter().sum()
}

/// The byte that follows from the successors.
fn due(index: &Index, values: &[u8], board: &Board) -> u8 {
    let mut best = None;
    let mut is_whole = true;
    board.each_after(|child| {
        let value = Value::at_once(&child)
            .or_else(|| Value::from_byte(values[index.rank(&child) as usize]));
        is_whole &= value.is_some();
        best = best.max(value.map(Value::before));
    });
    best.filter(|_| is_whole).map_or(UNREACHED, Value::byte)
}
