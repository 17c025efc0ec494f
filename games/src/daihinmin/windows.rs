//! Runs of cells, found for all suits and ranks at once.

use super::meld::Meld;

/// Windows of one length in each row: bit `4 * low + row` is set when all cells (`full`), or all
/// but at most one (`near`), of the window that begins there are held.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    held: u64,
    full: u64,
    near: u64,
    len: u8,
}

impl Windows {
    /// Windows of one cell over the bits of suited cards.
    #[inline]
    pub const fn new(held: u64) -> Windows {
        Windows {
            held,
            full: held,
            near: (1 << 60) - 1,
            len: 1,
        }
    }

    /// Lengthens the windows by one cell; at most to 15.
    #[inline]
    pub const fn grow(&mut self) {
        let last = self.held >> (4 * self.len);
        self.near = (self.near & last) | self.full;
        self.full &= last;
        self.len += 1;
        self.near &= (1 << (4 * (16 - self.len))) - 1;
    }

    /// Starts of the sequences that can be laid down: without and with the joker.
    #[inline]
    pub const fn starts(&self, joker: bool) -> (u64, u64) {
        (self.full, if joker { self.near & !self.full } else { 0 })
    }

    /// Cells in each window.
    #[inline]
    pub const fn len(&self) -> u8 {
        self.len
    }

    /// Whether the windows have no cell: never.
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The sequence that begins at the lowest bit of `start`; `with_joker` says that the joker
    /// fills the one cell that is not held.
    #[inline]
    pub const fn meld(&self, start: u64, with_joker: bool) -> Meld {
        let cell = start.trailing_zeros() as u8;
        let (low, row) = (cell >> 2, cell & 3);
        if !with_joker {
            return Meld::sequence(low, self.len, row, None);
        }
        let mut column = low;
        while self.held >> (4 * column + row) & 1 != 0 {
            column += 1;
        }
        Meld::sequence(low, self.len, row, Some(column))
    }
}
