//! The pieces.

use std::fmt;
use std::str::FromStr;

use super::{ParseError, SQUARES, shortened};

/// Pieces of a colour.
pub const PIECES: usize = 21;

/// A shape: its name, and its squares as columns and rows from the bottom left.
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) cells: &'static [(u8, u8)],
}

const fn shape(name: &'static str, cells: &'static [(u8, u8)]) -> Shape {
    Shape { name, cells }
}

/// The pieces by size, with the names that Pentobi gives them.
pub(super) const SHAPES: [Shape; PIECES] = [
    shape("1", &[(0, 0)]),
    shape("2", &[(0, 0), (0, 1)]),
    shape("I3", &[(0, 0), (0, 1), (0, 2)]),
    shape("V3", &[(0, 0), (1, 0), (0, 1)]),
    shape("I4", &[(0, 0), (0, 1), (0, 2), (0, 3)]),
    shape("L4", &[(0, 0), (1, 0), (0, 1), (0, 2)]),
    shape("O", &[(0, 0), (1, 0), (0, 1), (1, 1)]),
    shape("T4", &[(0, 0), (1, 0), (2, 0), (1, 1)]),
    shape("Z4", &[(1, 0), (2, 0), (0, 1), (1, 1)]),
    shape("F", &[(1, 0), (0, 1), (1, 1), (1, 2), (2, 2)]),
    shape("I5", &[(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)]),
    shape("L5", &[(0, 0), (1, 0), (0, 1), (0, 2), (0, 3)]),
    shape("N", &[(0, 0), (0, 1), (1, 1), (1, 2), (1, 3)]),
    shape("P", &[(0, 0), (0, 1), (1, 1), (0, 2), (1, 2)]),
    shape("T5", &[(1, 0), (1, 1), (0, 2), (1, 2), (2, 2)]),
    shape("U", &[(0, 0), (1, 0), (2, 0), (0, 1), (2, 1)]),
    shape("V5", &[(0, 0), (1, 0), (2, 0), (0, 1), (0, 2)]),
    shape("W", &[(1, 0), (2, 0), (0, 1), (1, 1), (0, 2)]),
    shape("X", &[(1, 0), (0, 1), (1, 1), (2, 1), (1, 2)]),
    shape("Y", &[(0, 0), (0, 1), (1, 1), (0, 2), (0, 3)]),
    shape("Z5", &[(1, 0), (2, 0), (1, 1), (0, 2), (1, 2)]),
];

/// A piece: one of the 21 shapes that each colour has once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece(u8);

impl Piece {
    /// The piece of a single square.
    pub const MONOMINO: Piece = Piece(0);

    /// By its number, 0 to 20.
    pub const fn new(number: u8) -> Option<Piece> {
        if (number as usize) < PIECES {
            Some(Piece(number))
        } else {
            None
        }
    }

    pub(super) const fn of(number: u8) -> Piece {
        Piece(number)
    }

    /// Its number, 0 to 20, smaller pieces first.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its squares, 1 to 5.
    pub const fn size(self) -> u8 {
        SHAPES[self.0 as usize].cells.len() as u8
    }

    /// Its name as Pentobi has it: `1`, `2`, `I3`, ..., `Z5`.
    pub const fn name(self) -> &'static str {
        SHAPES[self.0 as usize].name
    }

    /// Its orientations: what turning and flipping makes of it, 1 to 8.
    pub fn orientations(self) -> impl ExactSizeIterator<Item = Orientation> {
        let first = FIRST_OF_PIECE[usize::from(self.0)];
        let end = FIRST_OF_PIECE[usize::from(self.0) + 1];
        (first..end).map(Orientation::of)
    }

    /// All pieces, smaller ones first.
    pub fn all() -> impl ExactSizeIterator<Item = Piece> + DoubleEndedIterator {
        (0..PIECES as u8).map(Piece)
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Piece {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Piece, ParseError> {
        Piece::all()
            .find(|piece| piece.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| ParseError::Piece(shortened(text)))
    }
}

/// A set of pieces: bit `i` is the piece with number `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PieceSet(u32);

impl PieceSet {
    /// All pieces.
    pub const ALL: PieceSet = PieceSet((1 << PIECES) - 1);
    /// No piece.
    pub const NONE: PieceSet = PieceSet(0);
    /// The sets of pieces of 1 to 5 squares, at 0 to 4.
    const OF_SIZE: [u32; 5] = [0x1, 0x2, 0xc, 0x1f0, 0x1f_fe00];

    /// The bits.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether a piece is in it.
    pub const fn contains(self, piece: Piece) -> bool {
        self.0 >> piece.0 & 1 == 1
    }

    /// Takes a piece out.
    pub const fn remove(&mut self, piece: Piece) {
        self.0 &= !(1 << piece.0);
    }

    /// Those of so many squares, 1 to 5.
    #[must_use]
    pub const fn of_size(self, size: u8) -> PieceSet {
        PieceSet(self.0 & Self::OF_SIZE[size as usize - 1])
    }

    /// How many there are.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Squares of all its pieces, 0 to 89.
    pub const fn squares(self) -> u8 {
        let mut squares = 0;
        let mut size = 1;
        while size <= 5 {
            squares += self.of_size(size).len() as u8 * size;
            size += 1;
        }
        squares
    }

    /// The pieces, smaller ones first.
    pub fn iter(self) -> impl Iterator<Item = Piece> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let piece = (bits != 0).then(|| Piece(bits.trailing_zeros() as u8))?;
            bits &= bits - 1;
            Some(piece)
        })
    }
}

const _: () = assert!(PieceSet::ALL.squares() == SQUARES);

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
