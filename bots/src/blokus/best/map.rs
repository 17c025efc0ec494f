//! The board as a map with margins: what lies around a piece in it, and what may be true of a square.

use std::sync::LazyLock;

use games::blokus::{Board, Colour, Orientation, SIDE};

/// How a square lies to a move: covered, a new square to join on at, or beside.
pub(super) const ROLES: usize = 3;
/// The role of a square to join on at.
pub(super) const CORNER: usize = 1;
/// The role of a square beside.
pub(super) const BESIDE: usize = 2;
/// Columns of a map, with margins.
pub(super) const WIDTH: usize = 24;
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
pub(super) const MARKS: usize = 37;
/// Of all squares.
const ANY: usize = 0;
/// The mover may join on there.
const JOIN: usize = 1;
/// The mover may get there within three squares of where it may join on.
const REACH: usize = 2;
/// Each of the next three players in turn may join on there, if it is in the game.
const OTHERS_JOIN: usize = 3;
const OTHERS_REACH: usize = 6;
/// Covered by it.
const OTHERS: usize = 9;
/// The mover may not cover it.
pub(super) const CLOSED: usize = 12;
/// By distance from the nearest edge, 0 to 9.
const RING: usize = 13;
/// Outside of the board.
pub(super) const OUTSIDE: usize = 23;
/// Free, but beside a piece of that player.
const OTHERS_BESIDE: usize = 24;
/// By the number of squares that the mover may cover among the 25 around it: up to 8, up to 16, more.
const ROOM: usize = 27;
/// The same among the 9 around it: up to 3, up to 6, more.
const NARROW: usize = 30;
/// The mover may cover it, cannot join on there, and may join on at one of the 8 squares around it.
const NEAR_JOIN: usize = 33;
/// Another player may join on at one of the 4 squares beside it, and none on the square itself.
const BESIDE_JOIN: usize = 34;
/// Another player may get there within one square.
const OTHERS_CLOSE: usize = 35;
/// The mover may cover it, but cannot get there within ten squares.
const LOST: usize = 36;

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

/// The squares beside those of `rows`, or around them, without these squares themselves.
pub(super) fn around(rows: &Rows, diagonally: bool) -> Rows {
    let mut near = [0; SIDE];
    for y in 0..SIDE {
        let beside = rows[y] << 1 | rows[y] >> 1;
        near[y] |= beside;
        let wide = rows[y] | if diagonally { beside } else { 0 };
        if y > 0 {
            near[y - 1] |= wide;
        }
        if y + 1 < SIDE {
            near[y + 1] |= wide;
        }
    }
    for (near, row) in near.iter_mut().zip(rows) {
        *near &= !row & FULL;
    }
    near
}

/// Calls `each` with the marks that depend on the position, and their squares.
pub(super) fn each_mark(board: &Board, mover: Colour, mut each: impl FnMut(usize, &Rows)) {
    let free = board.free_rows(mover);
    let join = joins(board, mover, &free);
    let reach = spread(&join, &free, 3);
    let farthest = spread(&reach, &free, 7);
    each(JOIN, &join);
    each(REACH, &reach);
    each(CLOSED, &free.map(|row| !row & FULL));
    // Squares of any of the others.
    let [mut any_join, mut close] = [[0; SIDE]; 2];
    let mut other = mover;
    for k in 0..3 {
        other = other.next();
        each(OTHERS + k, board.own_rows(other));
        if board.is_out(other) {
            continue;
        }
        let free = board.free_rows(other);
        let join = joins(board, other, &free);
        let near = spread(&join, &free, 1);
        let reach = spread(&near, &free, 2);
        each(OTHERS_JOIN + k, &join);
        each(OTHERS_REACH + k, &reach);
        let mut beside = free;
        for (row, covered) in beside.iter_mut().zip(board.occupied()) {
            *row = !(*row | covered) & FULL;
        }
        each(OTHERS_BESIDE + k, &beside);
        for y in 0..SIDE {
            any_join[y] |= join[y];
            close[y] |= near[y];
        }
    }
    each(OTHERS_CLOSE, &close);
    each(BESIDE_JOIN, &around(&any_join, false));
    each(LOST, &std::array::from_fn(|y| free[y] & !farthest[y]));
    let near = around(&join, true);
    each(NEAR_JOIN, &std::array::from_fn(|y| near[y] & free[y]));
    for (mark, rows) in [ROOM, NARROW].into_iter().zip(rooms(&free)) {
        for (class, rows) in rows.iter().enumerate() {
            each(mark + class, rows);
        }
    }
}

/// The squares of `free` by the number of such squares among the 25, and among the 9, around each: classes of [`ROOM`] and of
/// [`NARROW`].
fn rooms(free: &Rows) -> [[Rows; 3]; 2] {
    /// The middle 9 of 25 squares, row by row.
    const MIDDLE: u32 = 0b01110 << 5 | 0b01110 << 10 | 0b01110 << 15;
    let mut rooms = [[[0; SIDE]; 3]; 2];
    for y in 0..SIDE {
        let mut row = free[y];
        while row != 0 {
            let bit = row & row.wrapping_neg();
            row ^= bit;
            let x = bit.trailing_zeros();
            let mut field = 0;
            for (i, near) in (y.saturating_sub(2)..SIDE.min(y + 3)).enumerate() {
                // Near the lower edge the first rows of the field lie outside.
                let i = i + 2_usize.saturating_sub(y);
                field |= (free[near] << 2 >> x & 31) << (5 * i);
            }
            let classes = [
                match field.count_ones() {
                    ..=8 => 0,
                    9..=16 => 1,
                    _ => 2,
                },
                match (field & MIDDLE).count_ones() {
                    ..=3 => 0,
                    4..=6 => 1,
                    _ => 2,
                },
            ];
            for (rooms, class) in rooms.iter_mut().zip(classes) {
                rooms[class][y] |= bit;
            }
        }
    }
    rooms
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

#[cfg(test)]
mod tests {
    use games::blokus::Cell;

    use super::*;
    use crate::blokus::arena::opening;

    /// The marks that count or compare neighbours, square by square.
    #[test]
    fn marks_are_those_of_a_plain_look() {
        for seed in 0..60 {
            let board = opening(seed, u64::from(seed) + 3);
            let Some(mover) = board.to_move() else {
                continue;
            };
            let mut marks = vec![[0; SIDE]; MARKS];
            each_mark(&board, mover, |mark, rows| marks[mark] = *rows);
            let has = |rows: &Rows, (x, y): (i32, i32)| {
                (0..20).contains(&x) && (0..20).contains(&y) && rows[y as usize] >> x & 1 == 1
            };
            let free = board.free_rows(mover);
            let join = joins(&board, mover, &free);
            let mut others = vec![];
            for other in Colour::ALL {
                if other != mover && !board.is_out(other) {
                    others.push(joins(&board, other, &board.free_rows(other)));
                }
            }
            let is_others = |at| others.iter().any(|rows| has(rows, at));
            for cell in Cell::all() {
                let at @ (x, y) = (i32::from(cell.x()), i32::from(cell.y()));
                let field = |far: i32| {
                    (-far..=far).flat_map(move |dy| (-far..=far).map(move |dx| (x + dx, y + dy)))
                };
                let count = |far| field(far).filter(|&near| has(&free, near)).count();
                let is_free = has(&free, at);
                let class = |[few, some]: [usize; 2], count| {
                    usize::from(count > few) + usize::from(count > some)
                };
                let (room, narrow) = (class([8, 16], count(2)), class([3, 6], count(1)));
                for k in 0..3 {
                    assert_eq!(has(&marks[ROOM + k], at), is_free && room == k, "{cell}");
                    assert_eq!(
                        has(&marks[NARROW + k], at),
                        is_free && narrow == k,
                        "{cell}"
                    );
                }
                let is_near = !has(&join, at) && field(1).any(|near| has(&join, near));
                assert_eq!(has(&marks[NEAR_JOIN], at), is_free && is_near, "{cell}");
                let mut beside = [(x, y - 1), (x, y + 1), (x - 1, y), (x + 1, y)].into_iter();
                let is_beside = !is_others(at) && beside.any(is_others);
                assert_eq!(has(&marks[BESIDE_JOIN], at), is_beside, "{cell}");
            }
        }
    }
}
