//! The 76 lines of four squares.

use super::SQUARES;

/// How many lines there are: 48 along the axes, 24 diagonals of faces and their parallels, 4 diagonals of
/// the cube.
pub const LINE_COUNT: usize = 76;

/// Every line as its four squares.
pub const LINES: [u64; LINE_COUNT] = lines();

/// The lines through a square, by the number of its bit: 7 through the corners and the eight squares of
/// the middle, 4 through the others; the rest of the row is filled with `u64::MAX`, which no side's
/// balls contain.
pub static THROUGH: [[u64; 7]; SQUARES] = through();

const fn inside(c: [i32; 3]) -> bool {
    c[0] >= 0 && c[0] < 4 && c[1] >= 0 && c[1] < 4 && c[2] >= 0 && c[2] < 4
}

const fn lines() -> [u64; LINE_COUNT] {
    let mut lines = [0; LINE_COUNT];
    let mut n = 0;
    let mut start = 0;
    while start < 64 {
        let c = [start & 3, start >> 2 & 3, start >> 4];
        // One of each pair of opposite directions: the last coordinate that changes grows.
        let mut code = 14;
        while code < 27 {
            let d = [code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1];
            let last = [c[0] + 3 * d[0], c[1] + 3 * d[1], c[2] + 3 * d[2]];
            if inside(last) {
                let stride = d[0] + 4 * d[1] + 16 * d[2];
                let mut i = 0;
                while i < 4 {
                    lines[n] |= 1 << (start + i * stride);
                    i += 1;
                }
                n += 1;
            }
            code += 1;
        }
        start += 1;
    }
    lines
}

const fn through() -> [[u64; 7]; SQUARES] {
    let mut table = [[u64::MAX; 7]; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let (mut n, mut line) = (0, 0);
        while line < LINE_COUNT {
            if LINES[line] >> square & 1 == 1 {
                table[square][n] = LINES[line];
                n += 1;
            }
            line += 1;
        }
        square += 1;
    }
    table
}

/// Strides of the 13 directions and the squares at which a line in that direction begins.
const DIRECTIONS: [(u32, u64); 13] = directions();

const fn directions() -> [(u32, u64); 13] {
    let mut table = [(0, 0); 13];
    let mut line = 0;
    while line < LINE_COUNT {
        let first = LINES[line].trailing_zeros();
        let stride = (LINES[line] & (LINES[line] - 1)).trailing_zeros() - first;
        let mut i = 0;
        while table[i].0 != stride && table[i].0 != 0 {
            i += 1;
        }
        table[i].0 = stride;
        table[i].1 |= 1 << first;
        line += 1;
    }
    table
}

/// Whether the squares contain a line.
#[inline]
pub const fn has_line(squares: u64) -> bool {
    let mut i = 0;
    while i < DIRECTIONS.len() {
        let (stride, starts) = DIRECTIONS[i];
        let pairs = squares & squares >> stride;
        if pairs & pairs >> (2 * stride) & starts != 0 {
            return true;
        }
        i += 1;
    }
    false
}

/// The squares of all lines that have no ball of `side`.
#[inline]
pub const fn open_squares(side: u64) -> u64 {
    let free = !side;
    let mut open = 0;
    let mut i = 0;
    while i < DIRECTIONS.len() {
        let (stride, starts) = DIRECTIONS[i];
        let pairs = free & free >> stride;
        let lines = pairs & pairs >> (2 * stride) & starts;
        let halves = lines | lines << stride;
        open |= halves | halves << (2 * stride);
        i += 1;
    }
    open
}

/// All squares of the lines through `square` (the number of its bit, 0 to 63) that `squares` contain; 0
/// for none.
///
/// # Panics
/// If `square` is above 63.
#[inline]
pub const fn lines_at(squares: u64, square: u32) -> u64 {
    let table: &[u64; 7] = &THROUGH[square as usize];
    let mut found = 0;
    let mut i = 0;
    while i < 7 {
        if squares & table[i] == table[i] {
            found |= table[i];
        }
        i += 1;
    }
    found
}
