//! The board as a map with margins: the squares in and around a piece, and the marks that a square can have.

use std::sync::LazyLock;

use games::blokus::{Board, Colour, Orientation, SIDE};

/// The roles of a square in a move: covered by it, at its corner, or beside it.
pub(super) const ROLES: usize = 3;
/// The role of a square at a corner of the piece, where the next piece may join on.
pub(super) const CORNER: usize = 1;
pub(super) const BESIDE: usize = 2;
pub(super) const WIDTH: usize = 24;
pub(super) const MAP: usize = WIDTH * (SIDE + 2);

/// The index in a map of the square in this column and row of the board.
pub(super) const fn at(x: usize, y: usize) -> usize {
    (y + 1) * WIDTH + 1 + x
}

/// Squares in and around an orientation, as offsets in a map from the bottom left of its bounding box.
pub(super) struct Shape {
    offsets: [i16; 25],
    /// Where the covered squares, the corners and the squares beside end in `offsets`.
    ends: [usize; ROLES],
}

impl Shape {
    /// Calls `each` with the role of every square and its index in a map, for a bounding box whose bottom left is `base`.
    #[inline]
    pub(super) fn each(&self, base: usize, mut each: impl FnMut(usize, usize)) {
        let mut from = 0;
        for (role, &end) in self.ends.iter().enumerate() {
            for &offset in &self.offsets[from..end] {
                each(role, base.wrapping_add_signed(isize::from(offset)) % MAP);
            }
            from = end;
        }
    }
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

/// Number of marks. A mark is a property that a square can have, from the mover's point of view; the constants below are the
/// marks.
pub(super) const MARKS: usize = 37;
const ANY: usize = 0;
const JOIN: usize = 1;
/// The mover may reach it within three steps from a square where it may join on, through squares that it may cover.
const REACH: usize = 2;
/// Three marks, one for each of the next three players in turn: that player is still in the game and may join on there.
const OTHERS_JOIN: usize = 3;
/// The same for the squares that it may reach within three steps.
const OTHERS_REACH: usize = 6;
/// The same for the squares that it has covered, whether or not it is still in the game.
const OTHERS: usize = 9;
/// The mover may not cover it.
pub(super) const CLOSED: usize = 12;
/// Ten marks by distance from the nearest edge, 0 to 9.
const RING: usize = 13;
pub(super) const OUTSIDE: usize = 23;
/// Three marks, one for each of the next three players: free, but beside a piece of that player, which is still in the game.
const OTHERS_BESIDE: usize = 24;
/// Three marks of squares that the mover may cover, by how many of the 25 squares centred on such a square it may cover: up to 8,
/// 9 to 16, or more.
const ROOM: usize = 27;
/// The same for the 9 squares centred on it: up to 3, 4 to 6, or more.
const NARROW: usize = 30;
/// The mover may cover it, cannot join on there, and may join on at one of the 8 squares around it.
const NEAR_JOIN: usize = 33;
/// Another player may join on at one of the 4 squares beside it, and no other player at the square itself.
const BESIDE_JOIN: usize = 34;
/// Another player may reach it within one step from a square where it may join on.
const OTHERS_CLOSE: usize = 35;
/// The mover may cover it, but cannot reach it within ten steps.
const LOST: usize = 36;

/// A set of squares, by row; bit 0 is column a.
pub(super) type Rows = [u32; SIDE];
pub(super) const FULL: u32 = (1 << SIDE) - 1;

static RINGS: LazyLock<[Rows; 10]> = LazyLock::new(|| {
    let mut rings = [[0; SIDE]; 10];
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        rings[x.min(y).min(SIDE - 1 - x).min(SIDE - 1 - y)][y] |= 1 << x;
    }
    rings
});

/// The squares of `free`, those that a colour may cover, where it may join on.
pub(super) fn joins(board: &Board, colour: Colour, free: &Rows) -> Rows {
    let mut rows = *free;
    for (row, corners) in rows.iter_mut().zip(board.corner_rows(colour)) {
        *row &= corners;
    }
    rows
}

/// The squares of `from`, and those within `steps` steps of them through squares of `free`.
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

/// The squares beside those of `rows`, and with `diagonally` also at their corners, without the squares of `rows` themselves.
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

/// Calls `each` with each mark that depends on the position, and the squares that have it.
pub(super) fn each_mark(board: &Board, mover: Colour, mut each: impl FnMut(usize, &Rows)) {
    let free = board.free_rows(mover);
    let join = joins(board, mover, &free);
    let reach = spread(&join, &free, 3);
    let farthest = spread(&reach, &free, 7);
    each(JOIN, &join);
    each(REACH, &reach);
    each(CLOSED, &free.map(|row| !row & FULL));
    // The squares where any of the others may join on, and those within one step of them.
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

/// The squares of `free`, by how many of the 25 and of the 9 squares centred on each are in `free`: the classes of [`ROOM`] and
/// of [`NARROW`].
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
                // Near the lower edge the first rows of the field lie outside the board.
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

/// Calls `each` with each mark that is the same on every board, and the squares that have it.
pub(super) fn each_fixed_mark(mut each: impl FnMut(usize, &Rows)) {
    each(ANY, &[FULL; SIDE]);
    for (ring, rows) in RINGS.iter().enumerate() {
        each(RING + ring, rows);
    }
}

/// Calls `each` with the index in a map of every square of `rows`.
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
    use crate::engine::OpenPosition as _;

    /// The marks that count or compare neighbours agree with a square-by-square computation.
    #[test]
    fn marks_are_those_of_a_plain_look() {
        for seed in 0..60 {
            let board = Board::random_opening(seed, u64::from(seed) + 3);
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
                    let free = board.free_rows(other);
                    others.push((free, joins(&board, other, &free)));
                }
            }
            let is_others = |at| others.iter().any(|(_, join)| has(join, at));
            let beside = |(x, y)| [(x, y - 1), (x, y + 1), (x - 1, y), (x + 1, y)];
            // The squares that the mover gets to within ten squares, one step after the other.
            let all = || Cell::all().map(|cell| (i32::from(cell.x()), i32::from(cell.y())));
            let mut near: Vec<(i32, i32)> = all().filter(|&at| has(&join, at)).collect();
            for _ in 0..10 {
                let is_next = |at| {
                    has(&free, at)
                        && (near.contains(&at) || beside(at).iter().any(|at| near.contains(at)))
                };
                near = all().filter(|&at| is_next(at)).collect();
            }
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
                let is_beside = !is_others(at) && beside(at).into_iter().any(is_others);
                assert_eq!(has(&marks[BESIDE_JOIN], at), is_beside, "{cell}");
                let is_close = others.iter().any(|(free, join)| {
                    let beside = beside(at).into_iter();
                    has(join, at) || has(free, at) && beside.clone().any(|at| has(join, at))
                });
                assert_eq!(has(&marks[OTHERS_CLOSE], at), is_close, "{cell}");
                let is_lost = is_free && !near.contains(&at);
                assert_eq!(has(&marks[LOST], at), is_lost, "{cell}");
            }
        }
    }
}
