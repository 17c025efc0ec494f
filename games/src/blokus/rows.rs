//! Where one colour can lay its pieces, by rows of the board.

use super::{Orientation, Placement, SIDE};

/// Rows of the board and as many above it as a piece may stick out.
const PADDED: usize = SIDE + 4;

pub(super) const FULL: u32 = (1 << SIDE) - 1;

/// The squares that a colour may cover, and those of them at which it may join on, each moved to the left
/// by 0 to 4 columns: the placements of an orientation are then a handful of ANDs and ORs of whole boards.
///
/// Bit `x` of row `y` (from the bottom) is the square in column `x`.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    free: [[u32; PADDED]; 5],
    joins: [[u32; PADDED]; 5],
    is_closed: bool,
}

impl Rows {
    /// From the squares that may be covered and the squares of which a placement must cover one.
    #[inline]
    pub fn new(free: &[u32; SIDE], joins: &[u32; SIDE]) -> Rows {
        let mut rows = Rows {
            free: [[0; PADDED]; 5],
            joins: [[0; PADDED]; 5],
            is_closed: true,
        };
        let mut any = 0;
        for y in 0..SIDE {
            rows.free[0][y] = free[y];
            rows.joins[0][y] = free[y] & joins[y];
            any |= rows.joins[0][y];
        }
        rows.is_closed = any == 0;
        for x in 1..5 {
            for y in 0..SIDE {
                rows.free[x][y] = rows.free[0][y] >> x;
                rows.joins[x][y] = rows.joins[0][y] >> x;
            }
        }
        rows
    }

    /// Whether there is no square to join on at: no piece fits then.
    #[inline]
    pub const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The squares at which a placement may join on, by row.
    #[inline]
    pub fn joins(&self) -> &[u32] {
        &self.joins[0][..SIDE]
    }

    /// Where the bottom left of the bounding box of an orientation may lie.
    #[inline]
    pub fn anchors(&self, orientation: Orientation) -> Anchors {
        let cells = orientation.cells();
        let rows = match cells.len() {
            1 => self.fits::<1>(cells),
            2 => self.fits::<2>(cells),
            3 => self.fits::<3>(cells),
            4 => self.fits::<4>(cells),
            _ => self.fits::<5>(cells),
        };
        Anchors { orientation, rows }
    }

    #[inline]
    fn fits<const N: usize>(&self, cells: &[(u8, u8)]) -> [u32; SIDE] {
        let mut fit = [u32::MAX; SIDE];
        let mut joined = [0; SIDE];
        for &(dx, dy) in cells.iter().take(N) {
            let (dx, dy) = (usize::from(dx), usize::from(dy));
            let free = &self.free[dx][dy..dy + SIDE];
            let joins = &self.joins[dx][dy..dy + SIDE];
            for y in 0..SIDE {
                fit[y] &= free[y];
                joined[y] |= joins[y];
            }
        }
        for y in 0..SIDE {
            fit[y] &= joined[y];
        }
        fit
    }
}

/// Places of the bottom left of the bounding box of an orientation, as rows from the bottom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Anchors {
    orientation: Orientation,
    rows: [u32; SIDE],
}

impl Anchors {
    /// The rows; bit 0 is the left column.
    pub const fn rows(&self) -> &[u32; SIDE] {
        &self.rows
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows.iter().fold(0, |any, row| any | row) == 0
    }

    /// How many there are.
    #[inline]
    pub fn count(&self) -> u32 {
        self.rows.iter().map(|row| row.count_ones()).sum()
    }

    /// The placement at the place number `n`, counted from 0 from the bottom row, left to right.
    #[inline]
    pub fn nth(&self, mut n: u32) -> Option<Placement> {
        for (y, &row) in (0..).zip(&self.rows) {
            let here = row.count_ones();
            if n < here {
                let mut row = row;
                for _ in 0..n {
                    row &= row - 1;
                }
                return Some(Placement::at(
                    self.orientation,
                    row.trailing_zeros() as u8,
                    y,
                ));
            }
            n -= here;
        }
        None
    }

    /// Appends all placements, in the order of their indices.
    #[inline]
    pub fn extend(&self, out: &mut Vec<Placement>) {
        if self.is_empty() {
            return;
        }
        for (y, &row) in (0..).zip(&self.rows) {
            if row == 0 {
                continue;
            }
            let first = Placement::at(self.orientation, 0, y).index() as u16;
            let mut row = row;
            while row != 0 {
                out.push(Placement::of(first + row.trailing_zeros() as u16));
                row &= row - 1;
            }
        }
    }
}
