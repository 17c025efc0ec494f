//! Our own layout: what matters of the board, seen from the corner of the colour to move.

use std::sync::LazyLock;

use games::blokus::{
    Board, CELLS, Cell, Colour, ORIENTATIONS, Orientation, PIECES, PLACEMENTS, Placement, SEATS,
    SIDE, Scene,
};

use crate::layout::Encoding;
use crate::layout::{Layout, set};

/// Our own layout, `blokus-fast`.
///
/// The board is turned so that the colour to move starts where blue does; turned so, the colours that follow it are
/// always in the same corners. (A reflection would turn their order around, so there are none.) Planes, each for the
/// colour to move and then the others in turn order: 0-3 its squares; 4-7 the squares where it may join on; 8-11
/// those that it may still cover; 12-15 those that one of its legal moves would cover; 16 is full, so that the edge of
/// the board shows. Globals: 21 for each colour, the pieces that it has left, then one for each that is out.
///
/// A move's logit is its orientation times 400 plus the square at the centre of its bounding box, rounded down, all
/// in the turned frame. An outcome has a plane for each colour: the squares that it has at the end.
#[derive(Clone, Copy, Debug)]
pub struct Fast;

const FULL: usize = 4 * SEATS;

/// Where each square goes, by quarter turns clockwise.
static TURNED: LazyLock<[[u16; CELLS]; SEATS]> = LazyLock::new(|| {
    let mut turned = [[0; CELLS]; SEATS];
    for (turns, turned) in (0..).zip(&mut turned) {
        for cell in Cell::all() {
            turned[cell.index()] = cell.rotated(turns).index() as u16;
        }
    }
    turned
});

/// The logit of each placement, by quarter turns clockwise.
static LOGITS: LazyLock<[Vec<u16>; SEATS]> = LazyLock::new(|| {
    std::array::from_fn(|turns| {
        let logit = |placement: Placement| {
            let turned = placement.rotated(turns as u8);
            let (orientation, (x, y)) = (turned.orientation(), turned.anchor());
            let x = usize::from(x + orientation.width() / 2);
            let y = usize::from(y + orientation.height() / 2);
            (orientation.index() * CELLS + y * SIDE + x) as u16
        };
        Placement::all().map(logit).collect()
    })
});

/// Quarter turns clockwise that bring a colour's start to that of blue.
const fn turns(mover: Colour) -> usize {
    (SEATS - mover.index()) % SEATS
}

/// The colours, the one to move first.
fn in_turn(mover: Colour) -> [Colour; SEATS] {
    std::array::from_fn(|seat| Colour::ALL[(mover.index() + seat) % SEATS])
}

/// The colour to move; blue when the game is over.
fn mover(board: &Board) -> Colour {
    board.to_move().unwrap_or(Colour::BLUE)
}

fn draw(packed: &mut [u8], plane: usize, rows: &[u32; SIDE], turned: &[u16; CELLS]) {
    for (y, &row) in rows.iter().enumerate() {
        let mut row = row;
        while row != 0 {
            let cell = turned[y * SIDE + row.trailing_zeros() as usize];
            set(packed, plane * CELLS + usize::from(cell));
            row &= row - 1;
        }
    }
}

/// The squares that the legal moves of a colour would cover.
fn reach(board: &Board, colour: Colour) -> [u32; SIDE] {
    let mut reach = [0; SIDE];
    if board.is_out(colour) {
        return reach;
    }
    let rows = board.rows(colour);
    if rows.is_closed() {
        return reach;
    }
    for piece in board.pieces_left(colour).iter() {
        for orientation in piece.orientations() {
            add_reach(&mut reach, orientation, rows.anchors(orientation).rows());
        }
    }
    reach
}

fn add_reach(reach: &mut [u32; SIDE], orientation: Orientation, anchors: &[u32; SIDE]) {
    if anchors.iter().fold(0, |any, row| any | row) == 0 {
        return;
    }
    for &(dx, dy) in orientation.cells() {
        for (row, anchors) in reach[usize::from(dy)..].iter_mut().zip(anchors) {
            *row |= anchors << dx;
        }
    }
}

impl Fast {
    /// As [`Encoding::pack`], as a colour sees the board that may not be the one to move; also when the game is over.
    ///
    /// # Panics
    /// When `packed` does not have [`Layout::bytes`] bytes.
    pub fn pack_for(board: &Board, colour: Colour, packed: &mut [u8]) {
        assert_eq!(packed.len(), Self::LAYOUT.bytes(), "a packed position");
        packed.fill(0);
        let turned = &TURNED[turns(colour)];
        let (planes, globals) = packed.split_at_mut(Self::LAYOUT.plane_bytes());
        for (seat, colour) in in_turn(colour).into_iter().enumerate() {
            let free = board.free_rows(colour);
            let mut joins = *board.corner_rows(colour);
            joins.iter_mut().zip(&free).for_each(|(j, free)| *j &= free);
            draw(planes, seat, board.own_rows(colour), turned);
            draw(planes, SEATS + seat, &joins, turned);
            draw(planes, 2 * SEATS + seat, &free, turned);
            draw(planes, 3 * SEATS + seat, &reach(board, colour), turned);
            for piece in board.pieces_left(colour).iter() {
                set(globals, seat * PIECES + piece.index());
            }
            if board.is_out(colour) {
                set(globals, SEATS * PIECES + seat);
            }
        }
        planes[FULL * CELLS / 8..].fill(u8::MAX);
    }

    /// The logit of a move of a colour.
    #[inline]
    pub fn logit_for(colour: Colour, mv: Placement) -> u16 {
        debug_assert!(mv.index() < PLACEMENTS);
        LOGITS[turns(colour)][mv.index()]
    }
}

impl Encoding for Fast {
    type Position = Scene;
    type Move = Placement;

    const LAYOUT: Layout = Layout {
        name: "blokus-fast",
        game: "blokus",
        version: 1,
        planes: FULL + 1,
        constants: &[],
        globals: SEATS * (PIECES + 1),
        height: SIDE,
        width: SIDE,
        policy: ORIENTATIONS * CELLS,
        seats: SEATS,
        outcomes: SEATS,
    };

    fn pack(scene: &Scene, packed: &mut [u8]) {
        Self::pack_for(scene.board(), mover(scene.board()), packed);
    }

    #[inline]
    fn logit(scene: &Scene, mv: Placement) -> u16 {
        Self::logit_for(mover(scene.board()), mv)
    }

    fn outcome(scene: &Scene, end: &Scene, packed: &mut [u8]) {
        assert_eq!(packed.len(), Self::LAYOUT.outcome_bytes(), "an outcome");
        packed.fill(0);
        let mover = mover(scene.board());
        for (seat, colour) in in_turn(mover).into_iter().enumerate() {
            draw(
                packed,
                seat,
                end.board().own_rows(colour),
                &TURNED[turns(mover)],
            );
        }
    }
}
