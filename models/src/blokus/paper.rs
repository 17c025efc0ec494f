//! The layout of the `BlokusZero` paper.

use games::blokus::{Board, CELLS, Colour, PLACEMENTS, Placement, SEATS, SIDE, Scene};

use crate::layout::Encoding;
use crate::layout::{Layout, set};

/// The layout of the `BlokusZero` paper, `blokus-paper`.
///
/// The board is not turned. Planes: the squares of the four colours, the one to move first and then in turn order,
/// now (0-3) and before each of the last seven moves (4-7 to 28-31; empty from before the game). The constant is the
/// pieces on the board, of 84. A move's logit is the index of the placement.
#[derive(Clone, Copy, Debug)]
pub struct Paper;

const PIECES: f32 = 84.0;

impl Encoding for Paper {
    type Position = Scene;
    type Move = Placement;

    const LAYOUT: Layout = Layout {
        name: "blokus-paper",
        game: "blokus",
        version: 1,
        planes: SEATS * (1 + Scene::PAST),
        constants: &[1.0 / PIECES],
        globals: 0,
        height: SIDE,
        width: SIDE,
        policy: PLACEMENTS,
        seats: SEATS,
        outcomes: 0,
    };

    fn pack(scene: &Scene, packed: &mut [u8]) {
        assert_eq!(packed.len(), Self::LAYOUT.bytes(), "a packed position");
        packed.fill(0);
        let (board, (planes, rest)) = (
            scene.board(),
            packed.split_at_mut(Self::LAYOUT.plane_bytes()),
        );
        let mover = board.to_move().unwrap_or(Colour::BLUE);
        let mut squares = Colour::ALL.map(|colour| *board.own_rows(colour));
        let mut before = scene.past().iter();
        for time in 0..=Scene::PAST {
            let mut colour = mover;
            for seat in 0..SEATS {
                draw(planes, time * SEATS + seat, &squares[colour.index()]);
                colour = colour.next();
            }
            if let Some(&Some((colour, placement))) = before.next() {
                for cell in placement.cells() {
                    squares[colour.index()][usize::from(cell.y())] &= !(1 << cell.x());
                }
            } else {
                // What was before is not known, or was nothing.
                squares = [[0; SIDE]; SEATS];
            }
        }
        rest[0] = pieces(board);
    }

    #[inline]
    fn logit(_: &Scene, mv: Placement) -> u16 {
        mv.index() as u16
    }
}

fn pieces(board: &Board) -> u8 {
    let left = Colour::ALL.map(|colour| board.pieces_left(colour).len());
    PIECES as u8 - left.iter().sum::<u32>() as u8
}

fn draw(packed: &mut [u8], plane: usize, rows: &[u32; SIDE]) {
    for (y, &row) in rows.iter().enumerate() {
        let mut row = row;
        while row != 0 {
            set(
                packed,
                plane * CELLS + y * SIDE + row.trailing_zeros() as usize,
            );
            row &= row - 1;
        }
    }
}
