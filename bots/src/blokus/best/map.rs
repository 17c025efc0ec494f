//! The board as a map with margins, and what lies around a piece in it.

use std::sync::LazyLock;

use games::blokus::{Orientation, SIDE};

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
