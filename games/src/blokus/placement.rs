//! Placements: where a piece can lie on the board.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::{Cell, ORIENTATIONS, Orientation, ParseError, Piece, SIDE};

/// Placements of all pieces on the board.
pub const PLACEMENTS: usize = 30_433;

/// An orientation at a place of the board, by its index: ordered by [`Orientation`], then by the row
/// and then by the column of the bottom left of the bounding box.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Placement(u16);

struct Tables {
    orientation: Vec<Orientation>,
    cells: Vec<[Cell; 5]>,
    /// The index after a quarter turn of the board, clockwise.
    turned: Vec<u16>,
}

/// The first placement of each orientation, and the end.
static FIRST: [u16; ORIENTATIONS + 1] = first();

const fn first() -> [u16; ORIENTATIONS + 1] {
    let mut first = [0; ORIENTATIONS + 1];
    let mut i = 0;
    while i < ORIENTATIONS {
        first[i + 1] = first[i] + columns(i) * rows(i);
        i += 1;
    }
    first
}

/// Columns in which the bottom left of an orientation can lie.
const fn columns(orientation: usize) -> u16 {
    SIDE as u16 + 1 - super::piece::extent(orientation).0 as u16
}

const fn rows(orientation: usize) -> u16 {
    SIDE as u16 + 1 - super::piece::extent(orientation).1 as u16
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut tables = Tables {
        orientation: Vec::with_capacity(PLACEMENTS),
        cells: Vec::with_capacity(PLACEMENTS),
        turned: Vec::with_capacity(PLACEMENTS),
    };
    for orientation in Orientation::all() {
        let (width, height) = (orientation.width(), orientation.height());
        for y in 0..=SIDE as u8 - height {
            for x in 0..=SIDE as u8 - width {
                let mut cells = [Cell::at(x, y); 5];
                for (cell, &(dx, dy)) in cells.iter_mut().zip(orientation.cells()) {
                    *cell = Cell::at(x + dx, y + dy);
                }
                tables.orientation.push(orientation);
                tables.cells.push(cells);
            }
        }
    }
    for (orientation, cells) in tables.orientation.iter().zip(&tables.cells) {
        let size = usize::from(orientation.size());
        let mut turned = cells.map(|cell| cell.rotated(1));
        turned[..size].sort_unstable();
        let turned = find(&turned[..size], orientation.piece().orientations());
        // A turned piece is the same piece.
        tables.turned.push(turned.map_or(u16::MAX, |p| p.0));
    }
    tables
});

/// The placement with these squares, which are sorted, among some orientations.
fn find(cells: &[Cell], among: impl Iterator<Item = Orientation>) -> Option<Placement> {
    let left = cells.iter().map(|cell| cell.x()).min()?;
    let bottom = cells.first()?.y();
    let same = |orientation: &Orientation| {
        let form = orientation.cells();
        form.len() == cells.len()
            && form
                .iter()
                .zip(cells)
                .all(|(&(dx, dy), cell)| (left + dx, bottom + dy) == (cell.x(), cell.y()))
    };
    let orientation = among.into_iter().find(same)?;
    Some(Placement::at(orientation, left, bottom))
}

impl Placement {
    /// By its index, 0 to 30,432.
    pub const fn new(index: u16) -> Option<Placement> {
        if (index as usize) < PLACEMENTS {
            Some(Placement(index))
        } else {
            None
        }
    }

    #[inline]
    pub(super) const fn of(index: u16) -> Placement {
        Placement(index)
    }

    /// An orientation with the bottom left of its bounding box in a column and a row, both from 0. It must
    /// fit onto the board.
    ///
    /// # Panics
    /// In debug builds when it does not fit.
    #[inline]
    pub fn at(orientation: Orientation, x: u8, y: u8) -> Placement {
        let i = orientation.index();
        debug_assert!(u16::from(x) < columns(i) && u16::from(y) < rows(i));
        Placement(
            FIRST[i]
                + u16::from(y) * (SIDE as u16 + 1 - u16::from(orientation.width()))
                + u16::from(x),
        )
    }

    /// Its index, 0 to 30,432.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The orientation.
    #[inline]
    pub fn orientation(self) -> Orientation {
        TABLES.orientation[self.index()]
    }

    /// The piece.
    #[inline]
    pub fn piece(self) -> Piece {
        self.orientation().piece()
    }

    /// Squares, 1 to 5.
    #[inline]
    pub fn size(self) -> u8 {
        self.orientation().size()
    }

    /// Its squares, from the bottom row, left to right.
    #[inline]
    pub fn cells(self) -> &'static [Cell] {
        &TABLES.cells[self.index()][..usize::from(self.size())]
    }

    /// Column and row of the bottom left of its bounding box, from 0.
    #[inline]
    pub fn anchor(self) -> (u8, u8) {
        let i = self.orientation().index();
        let at = self.0 - FIRST[i];
        ((at % columns(i)) as u8, (at / columns(i)) as u8)
    }

    /// The placement with these squares, in any order.
    ///
    /// # Errors
    /// When a square is named twice, or they are no piece.
    pub fn from_cells(cells: &[Cell]) -> Result<Placement, ParseError> {
        if cells.is_empty() || cells.len() > 5 {
            return Err(ParseError::Shape);
        }
        let mut sorted = [cells[0]; 5];
        let sorted = &mut sorted[..cells.len()];
        sorted.copy_from_slice(cells);
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ParseError::Twice(pair[0]));
        }
        find(sorted, Orientation::all()).ok_or(ParseError::Shape)
    }

    /// Where it goes when the board is turned clockwise so often by a quarter.
    #[must_use]
    pub fn rotated(self, quarter_turns: u8) -> Placement {
        (0..quarter_turns % 4).fold(self, |p, _| Placement(TABLES.turned[p.index()]))
    }

    /// All placements, in the order of their indices.
    pub fn all() -> impl ExactSizeIterator<Item = Placement> {
        (0..PLACEMENTS as u16).map(Placement)
    }

    pub(super) fn of_piece(piece: Piece) -> std::ops::Range<usize> {
        let range = &super::piece::FIRST_OF_PIECE[piece.index()..piece.index() + 2];
        let at = |i: usize| usize::from(FIRST[usize::from(range[i])]);
        at(0)..at(1)
    }
}

/// Its squares from the bottom row, left to right, as Pentobi writes them: `b18,c18,b19`.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, cell) in self.cells().iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{cell}")?;
        }
        Ok(())
    }
}

/// Reads squares in any order and case, with commas between them and blanks around.
impl FromStr for Placement {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Placement, ParseError> {
        let mut cells = [Cell::at(0, 0); 5];
        let mut size = 0;
        for part in text.split(',') {
            let cell = part.trim().parse()?;
            *cells.get_mut(size).ok_or(ParseError::Shape)? = cell;
            size += 1;
        }
        Placement::from_cells(&cells[..size])
    }
}
