//! Rules against the oracle, and what they refuse.

use rand::Rng;
use taikyoku_games::Cases;
use taikyoku_games::score_four::{
    IllegalMove, InvalidPosition, LINE_COUNT, LINES, Peg, Position, THROUGH, has_line,
};

use super::oracle::Board;
use super::{random_game, rng};

fn bit((x, y, z): (i32, i32, i32)) -> u64 {
    1 << (x + 4 * y + 16 * z)
}

pub(super) fn assert_same(position: &Position, board: &Board) {
    let moves: Vec<usize> = position.legal_pegs().map(Peg::index).collect();
    assert_eq!(moves, board.moves(), "{position:#}");
    assert_eq!(usize::from(position.ply()), board.balls());
    for peg in Peg::ALL {
        let column: String = (0..4)
            .map_while(|level| position.owner(peg, level))
            .map(|seat| ['x', 'o'][usize::from(seat)])
            .collect();
        assert_eq!(column, board.pegs[peg.index()]);
        assert_eq!(usize::from(position.height(peg)), column.len());
    }
    let lines = board.lines();
    let squares: u64 = lines.iter().flatten().fold(0, |sum, &s| sum | bit(s));
    match position.end() {
        None => assert!(lines.is_empty() && board.balls() < 64),
        Some(end) => {
            assert_eq!(end.winner, board.winner(), "{position:#}");
            assert_eq!(end.line, squares, "{position:#}");
            assert!(end.winner.is_some() || board.balls() == 64);
        }
    }
    let to_move = (position.end().is_none()).then_some((board.balls() % 2) as u8);
    assert_eq!(position.to_move(), to_move);
}

#[test]
fn random_games_agree_with_the_oracle() {
    let mut draws = 0;
    let cases = Cases::new(600);
    let has_all = cases.left().count() == 600;
    for seed in cases {
        let mut board = Board::start();
        for (position, peg) in random_game(seed) {
            assert_same(&position, &board);
            if let Some(peg) = peg {
                board = board.after(peg.index());
            } else {
                draws += u32::from(position.end().is_some_and(|end| end.winner.is_none()));
            }
        }
    }
    assert!(draws > 0 || !has_all, "no game was drawn");
}

#[test]
fn there_are_76_lines_each_once() {
    assert_eq!(LINES.len(), LINE_COUNT);
    for (i, line) in LINES.iter().enumerate() {
        assert_eq!(line.count_ones(), 4);
        assert!(!LINES[..i].contains(line));
        assert!(has_line(*line));
    }
    let through: usize = THROUGH
        .iter()
        .flatten()
        .filter(|&&line| line != u64::MAX)
        .count();
    assert_eq!(through, 4 * LINE_COUNT);
}

#[test]
fn lines_by_shifts_and_by_table_agree_on_any_squares() {
    let mut rng = rng(3);
    let mut with = 0;
    for _ in 0..200_000 {
        let squares = rng.next_u64() & (rng.next_u64() | rng.next_u64());
        let slow = LINES.iter().any(|line| squares & line == *line);
        assert_eq!(has_line(squares), slow, "{squares:#x}");
        with += u32::from(slow);
    }
    assert!(with > 10_000 && with < 190_000, "{with}");
}

#[test]
fn a_full_peg_and_a_finished_game_are_refused() {
    let a1 = Peg::ALL[0];
    let mut position: Position = "a1a1a1a1".parse().unwrap();
    let before = position;
    assert_eq!(position.play(a1), Err(IllegalMove::Full(a1)));
    assert_eq!(position, before);
    let mut position: Position = "a1a2b1b2c1c2d1".parse().unwrap();
    assert_eq!(position.end().unwrap().winner, Some(0));
    assert_eq!(position.end().unwrap().line, 0xf);
    assert_eq!(position.play(a1), Err(IllegalMove::Over(a1)));
    assert!(position.legal_pegs().is_empty());
}

#[test]
fn balls_that_make_no_position_are_refused() {
    use InvalidPosition::{Counts, Floating, Line, Overlap};
    for (sides, reason) in [
        ([1, 1], Overlap),
        ([1 << 16, 2], Floating),
        ([0, 1], Counts(0, 1)),
        ([7, 1 << 8], Counts(3, 1)),
        // Seat 0 has a line, yet seat 1 has moved since.
        ([0xf, 0xf0], Line),
        ([0x1000f, 0x1170], Line),
        // Both have one.
        ([0x1000f, 0xf0], Line),
        // The line's balls all lie under others.
        ([0x5000f, 0xa0070], Line),
    ] {
        assert_eq!(Position::from_sides(sides), Err(reason), "{sides:x?}");
    }
}

#[test]
fn every_position_of_a_game_is_made_again_from_its_balls() {
    for seed in Cases::new(500) {
        for (position, _) in random_game(seed) {
            let again = Position::from_sides([0, 1].map(|seat| position.balls(seat)));
            assert_eq!(again, Ok(position));
        }
    }
}
