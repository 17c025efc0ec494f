//! The layout `blokus-paper`.

use games::blokus::{Board, CELLS, Cell, Colour, SEATS, Scene};

use super::{random_game, scenes};
use crate::blokus::Paper;
use crate::{Encoding, Layout};

const LAYOUT: Layout = Paper::LAYOUT;

#[test]
fn planes_are_the_boards_of_the_last_eight_positions() {
    let mut boards: Vec<Board> = Vec::new();
    let game = random_game(3);
    for scene in scenes(&game) {
        boards.insert(0, *scene.board());
        let mover = scene.board().to_move().expect("the game goes on");
        let mut packed = vec![0xaa; LAYOUT.bytes()];
        Paper::pack(&scene, &mut packed);
        let (mut x, mut g) = (vec![0.0; LAYOUT.channels() * CELLS], Vec::new());
        LAYOUT.expand(&packed, &mut x, &mut g);
        for time in 0..=Scene::PAST {
            for seat in 0..SEATS {
                let colour = Colour::ALL[(mover.index() + seat) % SEATS];
                for cell in Cell::all() {
                    let owner = boards.get(time).and_then(|board| board.owner(cell));
                    let shown = x[(time * SEATS + seat) * CELLS + cell.index()];
                    assert_eq!(shown > 0.5, owner == Some(colour));
                }
            }
        }
        let pieces = f32::from(scene.board().ply()) / 84.0;
        assert!(
            x[32 * CELLS..]
                .iter()
                .all(|level| (level - pieces).abs() < 1e-6)
        );
    }
}
