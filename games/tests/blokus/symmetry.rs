//! The four rotations.

use taikyoku_games::Cases;
use taikyoku_games::blokus::{Board, Cell, Colour, Placement, Position};

use super::random_game;

#[test]
fn squares_of_a_turned_placement_are_turned_squares() {
    for turns in 0..8 {
        for placement in Placement::all() {
            let turned = placement.rotated(turns);
            let mut cells: Vec<Cell> = placement.cells().to_vec();
            for cell in &mut cells {
                *cell = cell.rotated(turns);
            }
            assert_eq!(Placement::from_cells(&cells), Ok(turned));
            assert_eq!(turned.piece(), placement.piece());
            assert_eq!(turned.rotated(8 - turns), placement);
        }
        for cell in Cell::all() {
            let once = |cell: Cell| Cell::new(u16::from(cell.x()) * 20 + u16::from(cell.y()));
            // A quarter clockwise: what was on the left edge is on the top edge.
            let quarter = cell.rotated(1);
            assert_eq!((quarter.x(), quarter.y()), (cell.y(), 19 - cell.x()));
            assert!(once(cell).is_some());
            assert_eq!(cell.rotated(turns).rotated(8 - turns), cell);
        }
    }
    for colour in Colour::ALL {
        assert_eq!(colour.start().rotated(1), colour.next().start());
    }
}

#[test]
fn a_turned_game_is_the_game_of_the_next_colours() {
    let (mut moves, mut turned_moves) = (Vec::new(), Vec::new());
    for seed in Cases::new(40) {
        for turns in 1..4 {
            let shifted = |colour: Colour| Colour::ALL[(colour.index() + turns) % 4];
            let mut turned = Board::new();
            turned.give_turn(shifted(Colour::BLUE));
            for (board, mv) in random_game(seed) {
                assert_eq!(turned.to_move(), board.to_move().map(shifted));
                let position = Position::from(turned);
                for colour in Colour::ALL {
                    board.legal_moves_of(colour, &mut moves);
                    for placement in &mut moves {
                        *placement = placement.rotated(turns as u8);
                    }
                    moves.sort_unstable();
                    position.legal_moves_of(shifted(colour), &mut turned_moves);
                    assert_eq!(moves, turned_moves);
                    assert_eq!(turned.score(shifted(colour)), board.score(colour));
                    assert_eq!(turned.is_out(shifted(colour)), board.is_out(colour));
                }
                for cell in Cell::all() {
                    let owner = turned.owner(cell.rotated(turns as u8));
                    assert_eq!(owner, board.owner(cell).map(shifted));
                }
                if let Some(mv) = mv {
                    turned.play(mv.rotated(turns as u8)).unwrap();
                }
            }
        }
    }
}
