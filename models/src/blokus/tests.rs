//! The layouts against the rules, told in another way, and against the fixtures that the training program checks too.
//! `TAIKYOKU_WRITE_FIXTURES=1 cargo test -p taikyoku-models` writes the fixtures anew, after a change that is meant.

use games::blokus::{
    Board, CELLS, Cell, Colour, PIECES, Piece, Placement, Position, SEATS, SIDE, Scene,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Fast, Paper};
use crate::{Encoding, Layout, testing};

/// A game of random moves, large pieces preferred in every other game so that boards fill up.
fn random_game(seed: u64) -> Vec<Placement> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut scene = Scene::new();
    let (mut game, mut legal) = (Vec::new(), Vec::new());
    loop {
        scene.board().legal_moves(&mut legal);
        if legal.is_empty() {
            return game;
        }
        // Moves come in the order of their sizes.
        let from = if seed.is_multiple_of(2) {
            legal.len() * 3 / 4
        } else {
            0
        };
        let mv = legal[rng.random_range(from..legal.len())];
        game.push(mv);
        scene.play_unchecked(mv);
    }
}

/// The scenes of a game, but for the last, whose game is over.
fn scenes(game: &[Placement]) -> impl Iterator<Item = Scene> {
    game.iter().scan(Scene::new(), |scene, &mv| {
        let before = *scene;
        scene.play_unchecked(mv);
        Some(before)
    })
}

const FAST: Layout = Fast::LAYOUT;

fn fast_packed(scene: &Scene) -> Vec<u8> {
    let mut packed = vec![0xaa; FAST.bytes()];
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
            let packed = fast_packed(&scene);
            let (planes, globals) = packed.split_at(FAST.plane_bytes());
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
                assert_eq!(fast_packed(&other), fast_packed(&scene));
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
        assert!(logits.iter().all(|&logit| usize::from(logit) < FAST.policy));
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
        let mut outcome = vec![0xaa; FAST.outcome_bytes()];
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

const PAPER: Layout = Paper::LAYOUT;

#[test]
fn planes_are_the_boards_of_the_last_eight_positions() {
    let mut boards: Vec<Board> = Vec::new();
    let game = random_game(3);
    for scene in scenes(&game) {
        boards.insert(0, *scene.board());
        let mover = scene.board().to_move().expect("the game goes on");
        let mut packed = vec![0xaa; PAPER.bytes()];
        Paper::pack(&scene, &mut packed);
        let (mut x, mut g) = (vec![0.0; PAPER.channels() * CELLS], Vec::new());
        PAPER.expand(&packed, &mut x, &mut g);
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

fn entries<E>(seed: u64) -> Vec<testing::Entry>
where
    E: Encoding<Position = Scene, Move = Placement>,
{
    let game = random_game(seed);
    let every = scenes(&game).enumerate().filter(|(ply, _)| ply % 7 == 3);
    every
        .map(|(ply, scene)| {
            let mut legal = Vec::new();
            scene.board().legal_moves(&mut legal);
            let moves = game[..ply].iter().map(ToString::to_string).collect();
            testing::Entry::of::<E>(moves, &scene, &legal)
        })
        .collect()
}

#[test]
fn fixtures_of_the_fast_layout() {
    let games = [entries::<Fast>(10), entries::<Fast>(11)];
    testing::check("blokus-fast", &games.concat());
}

#[test]
fn fixtures_of_the_papers_layout() {
    testing::check("blokus-paper", &entries::<Paper>(12));
}
