//! The board as a map with margins: what lies around a piece in it, and what may be true of a square.

use std::sync::LazyLock;

use games::blokus::{Board, Colour, Orientation, SIDE};

/// How a square lies to a move: covered, a new square to join on at, or beside.
pub(super) const ROLES: usize = 3;
/// Columns of a map, with margins.
const WIDTH: usize = 24;
/// Squares of a map.
pub(super) const MAP: usize = WIDTH * (SIDE + 2);

/// A square of a map by column and row of the board.
pub(super) const fn at(x: usize, y: usize) -> usize {
    (y + 1) * WIDTH + 1 + x
}

/// Squares around an orientation, as distances in a map from the bottom left of its bounding box.
pub(super) struct Shape {
    pub(super) offsets: [i16; 25],
    /// Where the covered ones, the corners and the squares beside end.
    pub(super) ends: [usize; ROLES],
}

pub(super) static SHAPES: LazyLock<Vec<Shape>> =
    LazyLock::new(|| Orientation::all().map(shape).collect::<Vec<Shape>>());

fn shape(orientation: Orientation) -> Shape {
    let cells: Vec<(i16, i16)> = orientation
        .cells()
        .iter()
        .map(|&(x, y)| (i16::from(x), i16::from(y)))
        .collect();
    let near = |dx: i16, dy: i16| cells.iter().map(move |&(x, y)| (x + dx, y + dy));
    let mut beside: Vec<(i16, i16)> = [(0, 1), (0, -1), (1, 0), (-1, 0)]
        .into_iter()
        .flat_map(|(dx, dy)| near(dx, dy))
        .filter(|cell| !cells.contains(cell))
        .collect();
    beside.sort_unstable();
    beside.dedup();
    let mut corners: Vec<(i16, i16)> = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        .into_iter()
        .flat_map(|(dx, dy)| near(dx, dy))
        .filter(|cell| !cells.contains(cell) && !beside.contains(cell))
        .collect();
    corners.sort_unstable();
    corners.dedup();
    let mut shape = Shape {
        offsets: [0; 25],
        ends: [0; ROLES],
    };
    let mut end = 0;
    for (role, list) in [&cells, &corners, &beside].into_iter().enumerate() {
        for &(x, y) in list {
            shape.offsets[end] = y * WIDTH as i16 + x;
            end += 1;
        }
        shape.ends[role] = end;
    }
    shape
}

/// What may be true of a square, from the mover's point of view.
pub(super) const MARKS: usize = 27;
/// Of all squares.
pub(super) const ANY: usize = 0;
/// The mover may join on there.
pub(super) const JOIN: usize = 1;
/// The mover may get there within three squares of where it may join on.
const REACH: usize = 2;
/// Each of the next three players in turn may join on there, if it is in the game.
pub(super) const OTHERS_JOIN: usize = 3;
pub(super) const OTHERS_REACH: usize = 6;
/// Covered by it.
const OTHERS: usize = 9;
/// The mover may not cover it.
pub(super) const CLOSED: usize = 12;
/// By distance from the nearest edge, 0 to 9.
pub(super) const RING: usize = 13;
/// Outside of the board.
pub(super) const OUTSIDE: usize = 23;
/// Free, but beside a piece of that player.
pub(super) const OTHERS_BESIDE: usize = 24;

/// Squares by row; bit 0 is column a.
pub(super) type Rows = [u32; SIDE];
/// All squares of a row.
pub(super) const FULL: u32 = (1 << SIDE) - 1;

/// The squares of each ring.
static RINGS: LazyLock<[Rows; 10]> = LazyLock::new(|| {
    let mut rings = [[0; SIDE]; 10];
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        rings[x.min(y).min(SIDE - 1 - x).min(SIDE - 1 - y)][y] |= 1 << x;
    }
    rings
});

/// The squares where a colour may join on, of those that it may cover.
pub(super) fn joins(board: &Board, colour: Colour, free: &Rows) -> Rows {
    let mut rows = *free;
    for (row, corners) in rows.iter_mut().zip(board.corner_rows(colour)) {
        *row &= corners;
    }
    rows
}

/// The squares within some steps of `from` through free squares.
pub(super) fn spread(from: &Rows, free: &Rows, steps: usize) -> Rows {
    let mut rows = *from;
    for _ in 0..steps {
        let old = rows;
        for y in 0..SIDE {
            let below = if y > 0 { old[y - 1] } else { 0 };
            let above = if y + 1 < SIDE { old[y + 1] } else { 0 };
            rows[y] |= (old[y] << 1 | old[y] >> 1 | below | above) & free[y];
        }
    }
    rows
}

/// Calls `each` with the marks that are not the same on every board, and their squares.
pub(super) fn each_mark(board: &Board, mover: Colour, mut each: impl FnMut(usize, &Rows)) {
    let free = board.free_rows(mover);
    let join = joins(board, mover, &free);
    each(JOIN, &join);
    each(REACH, &spread(&join, &free, 3));
    each(CLOSED, &free.map(|row| !row & FULL));
    let mut other = mover;
    for k in 0..3 {
        other = other.next();
        each(OTHERS + k, board.own_rows(other));
        if board.is_out(other) {
            continue;
        }
        let free = board.free_rows(other);
        let join = joins(board, other, &free);
        each(OTHERS_JOIN + k, &join);
        each(OTHERS_REACH + k, &spread(&join, &free, 3));
        let mut beside = free;
        for (row, covered) in beside.iter_mut().zip(board.occupied()) {
            *row = !(*row | covered) & FULL;
        }
        each(OTHERS_BESIDE + k, &beside);
    }
}

/// Calls `each` with the marks that are the same on every board.
pub(super) fn each_fixed_mark(mut each: impl FnMut(usize, &Rows)) {
    each(ANY, &[FULL; SIDE]);
    for (ring, rows) in RINGS.iter().enumerate() {
        each(RING + ring, rows);
    }
}

/// Calls `each` with the squares, as they are numbered in a map.
pub(super) fn each_square(rows: &Rows, mut each: impl FnMut(usize)) {
    for (y, &row) in rows.iter().enumerate() {
        let mut row = row;
        while row != 0 {
            each(at(row.trailing_zeros() as usize, y));
            row &= row - 1;
        }
    }
}
