//! What turning and flipping makes of the pieces.

use super::Piece;
use super::piece::{PIECES, SHAPES};

/// Orientations of all pieces.
pub const ORIENTATIONS: usize = 91;

/// An orientation of a piece, numbered by piece, and within a piece in the order in which they come
/// up first: the piece as [`Piece`] has it, turned anticlockwise by one, two and three quarters, then the
/// same of its mirror image (left and right exchanged).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Orientation(u8);

#[derive(Clone, Copy)]
struct Form {
    piece: u8,
    size: u8,
    width: u8,
    height: u8,
    cells: [(u8, u8); 5],
    /// Squares of each row of the bounding box, from the bottom, bit 0 at its left.
    rows: [u32; 5],
}

const EMPTY: Form = Form {
    piece: 0,
    size: 0,
    width: 0,
    height: 0,
    cells: [(0, 0); 5],
    rows: [0; 5],
};

/// A shape after a mirroring and some quarter turns, moved to the bottom left.
const fn form(piece: usize, transform: u8) -> Form {
    let shape = SHAPES[piece].cells;
    let mut points = [(0_i8, 0_i8); 5];
    let (mut left, mut bottom) = (i8::MAX, i8::MAX);
    let mut i = 0;
    while i < shape.len() {
        let (mut x, mut y) = (shape[i].0 as i8, shape[i].1 as i8);
        if transform >= 4 {
            x = -x;
        }
        let mut turns = transform % 4;
        while turns > 0 {
            (x, y) = (-y, x);
            turns -= 1;
        }
        points[i] = (x, y);
        left = if x < left { x } else { left };
        bottom = if y < bottom { y } else { bottom };
        i += 1;
    }
    let mut form = Form {
        piece: piece as u8,
        size: shape.len() as u8,
        ..EMPTY
    };
    i = 0;
    while i < shape.len() {
        let (x, y) = ((points[i].0 - left) as u8, (points[i].1 - bottom) as u8);
        form.rows[y as usize] |= 1 << x;
        form.width = if x + 1 > form.width {
            x + 1
        } else {
            form.width
        };
        form.height = if y + 1 > form.height {
            y + 1
        } else {
            form.height
        };
        i += 1;
    }
    let mut n = 0;
    let mut at = 0;
    while at < 25 {
        if form.rows[at / 5] >> (at % 5) & 1 == 1 {
            form.cells[n] = ((at % 5) as u8, (at / 5) as u8);
            n += 1;
        }
        at += 1;
    }
    form
}

const fn same(a: &Form, b: &Form) -> bool {
    let mut i = 0;
    while i < 5 {
        if a.rows[i] != b.rows[i] {
            return false;
        }
        i += 1;
    }
    true
}

const fn forms() -> ([Form; ORIENTATIONS], [u8; PIECES + 1]) {
    let mut forms = [EMPTY; ORIENTATIONS];
    let mut first_of_piece = [0; PIECES + 1];
    let mut n = 0;
    let mut piece = 0;
    while piece < PIECES {
        let first = n;
        first_of_piece[piece] = n as u8;
        let mut transform = 0;
        while transform < 8 {
            let form = form(piece, transform);
            let mut known = first;
            while known < n && !same(&forms[known], &form) {
                known += 1;
            }
            if known == n {
                forms[n] = form;
                n += 1;
            }
            transform += 1;
        }
        piece += 1;
    }
    first_of_piece[PIECES] = n as u8;
    assert!(n == ORIENTATIONS);
    (forms, first_of_piece)
}

static FORMS: [Form; ORIENTATIONS] = forms().0;

/// The first orientation of each piece, and the end.
pub(super) const FIRST_OF_PIECE: [u8; PIECES + 1] = forms().1;

/// Columns and rows of the bounding box of an orientation.
pub(super) const fn extent(orientation: usize) -> (u8, u8) {
    const EXTENTS: [(u8, u8); ORIENTATIONS] = {
        let forms = forms().0;
        let mut extents = [(0, 0); ORIENTATIONS];
        let mut i = 0;
        while i < ORIENTATIONS {
            extents[i] = (forms[i].width, forms[i].height);
            i += 1;
        }
        extents
    };
    EXTENTS[orientation]
}

impl Orientation {
    /// By its number, 0 to 90.
    pub const fn new(number: u8) -> Option<Orientation> {
        if (number as usize) < ORIENTATIONS {
            Some(Orientation(number))
        } else {
            None
        }
    }

    #[inline]
    pub(super) const fn of(number: u8) -> Orientation {
        Orientation(number)
    }

    /// Its number, 0 to 90.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    fn form(self) -> &'static Form {
        &FORMS[usize::from(self.0)]
    }

    /// The piece.
    #[inline]
    pub fn piece(self) -> Piece {
        Piece::of(self.form().piece)
    }

    /// Squares, 1 to 5.
    #[inline]
    pub fn size(self) -> u8 {
        self.form().size
    }

    /// Its squares as columns and rows from the bottom left of its bounding box, from the bottom row, left to
    /// right.
    #[inline]
    pub fn cells(self) -> &'static [(u8, u8)] {
        let form = self.form();
        &form.cells[..usize::from(form.size)]
    }

    /// Columns of its bounding box, 1 to 5.
    #[inline]
    pub fn width(self) -> u8 {
        self.form().width
    }

    /// Rows of its bounding box, 1 to 5.
    #[inline]
    pub fn height(self) -> u8 {
        self.form().height
    }

    /// Its squares by row of the bounding box, from the bottom; bit 0 is the left column.
    #[inline]
    pub fn rows(self) -> &'static [u32; 5] {
        &self.form().rows
    }

    /// All orientations.
    pub fn all() -> impl ExactSizeIterator<Item = Orientation> + DoubleEndedIterator {
        (0..ORIENTATIONS as u8).map(Orientation)
    }
}
