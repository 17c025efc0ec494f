//! Whole games with the oracle beside the two generators.

use taikyoku_games::Cases;
use taikyoku_games::blokus::{Board, Cell, Colour, Placement, Position, Scoring};

use super::oracle;
use super::{below, choose, rng};

fn indices(placements: &[Placement]) -> Vec<usize> {
    placements.iter().map(|p| p.index()).collect()
}

pub(super) fn seat(colour: Option<Colour>) -> Option<usize> {
    colour.map(Colour::index)
}

/// All that a board tells against the oracle, but for the moves.
pub(super) fn assert_same(board: &Board, slow: &oracle::Board) {
    assert_eq!(seat(board.to_move()), slow.turn, "{board:?}");
    let plies: usize = slow.placed.iter().map(Vec::len).sum();
    assert_eq!(usize::from(board.ply()), plies);
    for (i, &owner) in slow.owner.iter().enumerate() {
        let cell = Cell::new(i as u16).unwrap();
        assert_eq!(seat(board.owner(cell)), owner, "{cell}");
        let (x, y) = (cell.x(), usize::from(cell.y()));
        assert_eq!(board.occupied()[y] >> x & 1 == 1, owner.is_some());
        for colour in Colour::ALL {
            let own = board.own_rows(colour)[y] >> x & 1 == 1;
            assert_eq!(own, owner == Some(colour.index()));
        }
    }
    let scores = [0, 1, 2, 3].map(|colour| slow.score(colour));
    let squares = [0, 1, 2, 3].map(|colour| slow.squares(colour));
    for colour in Colour::ALL {
        let i = colour.index();
        assert_eq!(board.is_out(colour), slow.gone[i], "{colour}: {board:?}");
        let mut left = (0..21).filter(|piece| !slow.placed[i].contains(piece));
        assert!(
            board
                .pieces_left(colour)
                .iter()
                .all(|p| Some(p.index()) == left.next())
        );
        assert_eq!(left.next(), None);
        assert_eq!(i16::from(board.squares(colour)), squares[i]);
        assert_eq!(i16::from(board.squares_left(colour)), 89 - squares[i]);
        assert_eq!(board.score(colour), scores[i]);
        let bonus = [0, 15, 20][usize::from(scores[i] > 0) + usize::from(scores[i] > 15)];
        assert_eq!(board.gtp_score(colour), squares[i] + bonus);
        assert_eq!(board.score(colour), board.gtp_score(colour) - 89);
    }
    for (scoring, points) in [(Scoring::Advanced, scores), (Scoring::Squares, squares)] {
        assert_eq!(board.scores(scoring), points);
        // A withdrawn colour is behind all others.
        let behind = |i: usize, j: usize| match (slow.withdrawn[i], slow.withdrawn[j]) {
            (false, false) => points[i] < points[j],
            (gone, other) => gone && !other,
        };
        let place = |i: usize| (0..4).filter(|&j| behind(i, j)).count() as u8;
        let places = [0, 1, 2, 3].map(place);
        assert_eq!(board.places(scoring), places);
        assert_eq!(board.winners(scoring), places.map(|place| place == 0));
    }
}

/// Plays a random game with all three, and counts the plies.
fn compare(seed: u64) -> usize {
    let mut rng = rng(seed);
    let mut slow = oracle::Board::start();
    let mut board = Board::new();
    let mut position = Position::new();
    let (mut by_rows, mut by_sets, mut other) = (Vec::new(), Vec::new(), Vec::new());
    let mut gone = [false; 4];
    while let Some(colour) = board.to_move() {
        let expected = &slow.moves;
        board.legal_moves(&mut by_rows);
        position.legal_moves(&mut by_sets);
        assert_eq!(&indices(&by_rows), expected, "seed {seed}: {board:?}");
        assert_eq!(by_rows, by_sets, "seed {seed}: {board:?}");
        assert_eq!(position.count_moves_of(colour) as usize, expected.len());
        if board.ply() % 8 == seed as u16 % 8 {
            assert_same(&board, &slow);
            Position::from(board).legal_moves(&mut by_sets);
            assert_eq!(by_rows, by_sets, "seed {seed}: {board:?}");
            for colour in Colour::ALL {
                let i = colour.index();
                // A colour that once had no move must not have one now, gone or not.
                let expected = slow.moves_of(i);
                gone[i] |= slow.gone[i];
                assert!(!gone[i] || expected.is_empty(), "seed {seed}: {board:?}");
                gone[i] |= expected.is_empty();
                board.legal_moves_of(colour, &mut other);
                assert_eq!(indices(&other), expected, "seed {seed}: {board:?}");
                position.legal_moves_of(colour, &mut other);
                assert_eq!(indices(&other), expected, "seed {seed}: {board:?}");
                assert_eq!(board.has_move(colour), !expected.is_empty());
                assert_eq!(position.has_move(colour), !expected.is_empty());
            }
        }
        let mv = choose(&by_rows, seed, &mut rng);
        slow.put(colour.index(), mv.index());
        board.play(mv).unwrap();
        position.play(mv).unwrap();
        assert_eq!(position.board(), &board);
        assert_eq!(seat(board.to_move()), slow.turn, "seed {seed}: {board:?}");
    }
    assert_same(&board, &slow);
    for colour in 0..4 {
        assert!(slow.moves_of(colour).is_empty(), "seed {seed}: {board:?}");
    }
    usize::from(board.ply())
}

#[test]
fn the_generators_agree_on_whole_games() {
    let games = Cases::new(1_000);
    let fewest = 50 * games.left().count();
    let plies: usize = games.map(compare).sum();
    assert!(plies > fewest, "{plies} plies");
}

/// A colour alone gets everywhere, with most of its pieces placed: so a piece that it has no more fits in many
/// places, also where the numbers of the placements of a piece begin and end.
#[test]
fn the_generators_agree_on_games_of_one_colour() {
    for seed in Cases::new(400) {
        let mut rng = rng(20_000 + seed);
        let colour = Colour::ALL[(seed % 4) as usize];
        let mut slow = oracle::Board::start();
        let mut board = Board::new();
        for other in Colour::ALL.into_iter().filter(|&other| other != colour) {
            slow.withdraw(other.index());
            board.withdraw(other);
        }
        let mut position = Position::from(board);
        let mut moves = Vec::new();
        while board.to_move() == Some(colour) {
            board.legal_moves(&mut moves);
            assert_eq!(indices(&moves), slow.moves, "seed {seed}: {board:?}");
            position.legal_moves(&mut moves);
            assert_eq!(indices(&moves), slow.moves, "seed {seed}: {board:?}");
            let mv = choose(&moves, seed / 4, &mut rng);
            slow.put(colour.index(), mv.index());
            board.play(mv).unwrap();
            position.play(mv).unwrap();
            Position::from(board).legal_moves(&mut moves);
            assert_eq!(indices(&moves), slow.moves, "seed {seed}: {board:?}");
        }
        assert_same(&board, &slow);
    }
}

#[test]
fn withdrawals_and_moves_out_of_turn_agree_with_the_oracle() {
    for seed in Cases::new(60) {
        let mut rng = rng(10_000 + seed);
        let mut slow = oracle::Board::start();
        let mut board = Board::new();
        let mut position = Position::new();
        let mut moves = Vec::new();
        while board.to_move().is_some() {
            let colour = Colour::ALL[below(&mut rng, 4)];
            match below(&mut rng, 12) {
                0 if seed % 3 == 0 => {
                    slow.withdraw(colour.index());
                    board.withdraw(colour);
                    position.withdraw(colour);
                }
                1..4 => {
                    slow.give_turn(colour.index());
                    board.give_turn(colour);
                    position = Position::from(board);
                }
                4..7 => {
                    board.legal_moves_of(colour, &mut moves);
                    if moves.is_empty() {
                        continue;
                    }
                    let mv = choose(&moves, seed, &mut rng);
                    slow.put(colour.index(), mv.index());
                    board.place(colour, mv).unwrap();
                    position = Position::from(board);
                }
                _ => {
                    position.legal_moves(&mut moves);
                    assert_eq!(indices(&moves), slow.moves);
                    let mv = choose(&moves, seed, &mut rng);
                    slow.put(slow.turn.unwrap(), mv.index());
                    board.play(mv).unwrap();
                    position.play(mv).unwrap();
                }
            }
            assert_eq!(position.board(), &board);
            assert_same(&board, &slow);
        }
    }
}
