//! The layout `blokus-fast`.

use games::blokus::{Board, CELLS, Cell, Colour, PIECES, Piece, Position, SEATS, SIDE, Scene};

use super::{random_game, scenes};
use crate::blokus::Fast;
use crate::{Encoding, Layout};

const LAYOUT: Layout = Fast::LAYOUT;

fn packed(scene: &Scene) -> Vec<u8> {
    let mut packed = vec![0xaa; LAYOUT.bytes()];
    Fast::pack(scene, &mut packed);
    packed
}

fn is_set(bytes: &[u8], bit: usize) -> bool {
    bytes[bit / 8] >> (bit % 8) & 1 == 1
}

#[test]
fn planes_and_globals_say_what_the_rules_say() {
    for seed in 0..6 {
        for scene in scenes(&random_game(seed)) {
            let board = scene.board();
            let position = Position::from(*board);
            let mover = board.to_move().expect("the game goes on");
            let packed = packed(&scene);
            let (planes, globals) = packed.split_at(LAYOUT.plane_bytes());
            let mut legal = Vec::new();
            for seat in 0..SEATS {
                let colour = Colour::ALL[(mover.index() + seat) % SEATS];
                position.legal_moves_of(colour, &mut legal);
                let mut reached = [false; CELLS];
                for mv in &legal {
                    mv.cells()
                        .iter()
                        .for_each(|cell| reached[cell.index()] = true);
                }
                for cell in Cell::all() {
                    let shown = cell.rotated((SEATS - mover.index()) as u8 % 4).index();
                    let plane = |kind: usize| is_set(planes, (kind * SEATS + seat) * CELLS + shown);
                    let bit = |rows: &[u32; SIDE]| rows[usize::from(cell.y())] >> cell.x() & 1 == 1;
                    let is_free = bit(&board.free_rows(colour));
                    assert_eq!(plane(0), board.owner(cell) == Some(colour));
                    assert_eq!(plane(1), is_free && bit(board.corner_rows(colour)));
                    assert_eq!(plane(2), is_free);
                    assert_eq!(plane(3), reached[cell.index()], "{seat} {cell} {board}");
                    assert!(is_set(planes, 4 * SEATS * CELLS + shown));
                }
                for piece in Piece::all() {
                    let is_left = board.pieces_left(colour).contains(piece);
                    assert_eq!(is_set(globals, seat * PIECES + piece.index()), is_left);
                }
                let is_out = is_set(globals, SEATS * PIECES + seat);
                assert_eq!(is_out, board.is_out(colour));
            }
        }
    }
}

/// The same game, a quarter turned and with the colours counted on, looks the same to each of them.
#[test]
fn a_turned_game_is_the_same_game() {
    for seed in 0..4 {
        let game = random_game(seed);
        let mut turned = [Board::new(); SEATS];
        for (scene, mv) in scenes(&game).zip(game.clone()) {
            let mover = scene.board().to_move().expect("the game goes on");
            for (turns, board) in (0_u8..).zip(&mut turned) {
                let colour = Colour::ALL[(mover.index() + usize::from(turns)) % SEATS];
                board.give_turn(colour);
                let other = Scene::from(*board);
                assert_eq!(packed(&other), packed(&scene));
                let other_mv = mv.rotated(turns);
                assert_eq!(Fast::logit(&other, other_mv), Fast::logit(&scene, mv));
                board.place(colour, other_mv).expect("a legal move");
            }
        }
    }
}

#[test]
fn moves_have_logits_of_their_own() {
    for scene in scenes(&random_game(1)) {
        let mut legal = Vec::new();
        scene.board().legal_moves(&mut legal);
        let mut logits: Vec<_> = legal.iter().map(|&mv| Fast::logit(&scene, mv)).collect();
        logits.sort_unstable();
        logits.dedup();
        assert_eq!(logits.len(), legal.len());
        assert!(
            logits
                .iter()
                .all(|&logit| usize::from(logit) < LAYOUT.policy)
        );
    }
}

#[test]
fn outcomes_are_the_squares_at_the_end_in_the_frame_of_the_position() {
    let game = random_game(2);
    let mut end = Scene::new();
    for &mv in &game {
        end.play_unchecked(mv);
    }
    for scene in scenes(&game) {
        let mover = scene.board().to_move().expect("the game goes on");
        let mut outcome = vec![0xaa; LAYOUT.outcome_bytes()];
        Fast::outcome(&scene, &end, &mut outcome);
        for cell in Cell::all() {
            let shown = cell.rotated((SEATS - mover.index()) as u8 % 4).index();
            let owners = (0..SEATS).filter(|seat| is_set(&outcome, seat * CELLS + shown));
            let owner = end.board().owner(cell);
            let relative = owner.map(|owner| (owner.index() + SEATS - mover.index()) % SEATS);
            assert!(owners.eq(relative));
        }
    }
}
