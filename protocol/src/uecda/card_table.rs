//! The table: 8 rows of 15 integers, the shape of nearly every message.

use std::fmt;
use std::ops::{Index, IndexMut};

/// Rows of a table.
pub const ROWS: usize = 8;
/// Columns of a table.
pub const COLUMNS: usize = 15;
/// Cells of a table.
pub const CELLS: usize = ROWS * COLUMNS;

/// A cell: (row, column).
pub type Cell = (usize, usize);

/// Named cells of rows 4 to 6.
pub mod cell {
    use super::Cell;

    /// Where the joker lies in a hand and in an exchange; the value is 2.
    pub const JOKER: Cell = (4, 1);
    /// 1 in the deal message only.
    pub const DEAL: Cell = (5, 0);
    /// Deal message: cards to give away. 2 daifugo, 1 fugo, 0 others; the poor's negative numbers
    /// are sent as 0 in version 20070.
    pub const GIVE: Cell = (5, 1);
    /// 1 for the player to move, in the hand message.
    pub const MY_TURN: Cell = (5, 2);
    /// Player to move; 6 in the deal message.
    pub const TURN: Cell = (5, 3);
    /// 1 when the field is empty.
    pub const EMPTY_FIELD: Cell = (5, 4);
    /// 11-back; 0 under contest rules.
    pub const ELEVEN_BACK: Cell = (5, 5);
    /// 1 under revolution.
    pub const REVOLUTION: Cell = (5, 6);
    /// 1 under a suit lock.
    pub const LOCK: Cell = (5, 7);
    /// Value of [`TURN`] in the deal message.
    pub const TURN_IN_DEAL: i32 = 6;

    /// Cards held by `player` (0..5).
    pub const fn count(player: usize) -> Cell {
        (6, player)
    }

    /// Place of `player` (0..5) in the last game.
    pub const fn rank(player: usize) -> Cell {
        (6, 5 + player)
    }

    /// Player that sits at `seat` (0..5).
    pub const fn seat(seat: usize) -> Cell {
        (6, 10 + seat)
    }
}

/// A table of 8 x 15 integers. Cells are addressed as `table[(row, column)]` with row 0..8 and
/// column 0..15; an address outside panics, so it must never come from outside the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CardTable {
    cells: [[i32; COLUMNS]; ROWS],
}

impl Default for CardTable {
    fn default() -> CardTable {
        CardTable {
            cells: [[0; COLUMNS]; ROWS],
        }
    }
}

impl CardTable {
    /// The value of a cell.
    ///
    /// # Panics
    /// Outside 8 x 15.
    pub const fn get(&self, row: usize, column: usize) -> i32 {
        self.cells[row][column]
    }

    /// Sets a cell.
    ///
    /// # Panics
    /// Outside 8 x 15.
    pub const fn set(&mut self, row: usize, column: usize, value: i32) {
        self.cells[row][column] = value;
    }

    /// A whole row.
    ///
    /// # Panics
    /// When `row` is not in 0..8.
    pub const fn row(&self, row: usize) -> &[i32; COLUMNS] {
        &self.cells[row]
    }

    /// A whole row, to be written.
    ///
    /// # Panics
    /// When `row` is not in 0..8.
    pub const fn row_mut(&mut self, row: usize) -> &mut [i32; COLUMNS] {
        &mut self.cells[row]
    }

    /// The cells row by row.
    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        self.cells.iter().flatten().copied()
    }

    /// The cells with a value other than 0 in `rows`, row by row.
    pub fn marked(&self, rows: std::ops::Range<usize>) -> impl Iterator<Item = (Cell, i32)> + '_ {
        rows.flat_map(move |row| {
            self.cells[row]
                .iter()
                .enumerate()
                .map(move |(column, &value)| ((row, column), value))
        })
        .filter(|&(_, value)| value != 0)
    }
}

impl Index<Cell> for CardTable {
    type Output = i32;
    fn index(&self, (row, column): Cell) -> &i32 {
        &self.cells[row][column]
    }
}

impl IndexMut<Cell> for CardTable {
    fn index_mut(&mut self, (row, column): Cell) -> &mut i32 {
        &mut self.cells[row][column]
    }
}

impl From<[i32; CELLS]> for CardTable {
    fn from(cells: [i32; CELLS]) -> CardTable {
        let mut table = CardTable::default();
        for (to, from) in table.cells.iter_mut().flatten().zip(cells) {
            *to = from;
        }
        table
    }
}

impl fmt::Debug for CardTable {
    /// The marked cells: `{(0, 3): 1, (4, 1): 2}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.marked(0..ROWS)).finish()
    }
}
