//! Moves, captures and ends of random games, against the oracle.

use std::collections::BTreeMap;

use taikyoku_games::Cases;
use taikyoku_games::geister::{
    Colour, Direction, End, EndKind, Ghost, IllegalMove, Move, MoveList, Place, Position, Rules,
    Square,
};

use super::oracle::{Board, DIRECTIONS, Refusal, Result};
use super::{below, drawn, random_move, rng};

fn refusal(error: IllegalMove, mv: Move) -> Refusal {
    let (named, refusal) = match error {
        IllegalMove::Over(m) => (m, Refusal::Over),
        IllegalMove::NotOnBoard(m) => (m, Refusal::NotOnBoard),
        IllegalMove::OwnGhost(m) => (m, Refusal::OwnGhost),
        IllegalMove::OffBoard(m) => (m, Refusal::OffBoard),
        IllegalMove::RedEscape(m) => (m, Refusal::RedEscape),
    };
    assert_eq!(named, mv);
    refusal
}

fn end_of(board: &Board) -> Option<End> {
    let kind = |name| match name {
        "escape" => EndKind::Escape,
        "blues-taken" => EndKind::BluesTaken,
        _ => EndKind::RedsTaken,
    };
    board.result().map(|result| match result {
        Result::Won(seat, name) => End {
            kind: kind(name),
            winner: Some(seat as u8),
        },
        Result::Draw => End {
            kind: EndKind::PlyLimit,
            winner: None,
        },
    })
}

/// Where the oracle has a ghost, as `seat` sees it.
fn place_of(board: &Board, letter: char, seat: usize) -> Place {
    match board.find(letter) {
        Some((x, y)) if seat == 0 => Place::On(Square::new(x as u8, y as u8).unwrap()),
        Some((x, y)) => Place::On(Square::new(5 - x as u8, 5 - y as u8).unwrap()),
        None if board.captured.contains(letter) => Place::Captured,
        None => {
            assert!(board.escaped.contains(letter));
            Place::Escaped
        }
    }
}

fn colour_of(board: &Board, letter: char) -> Colour {
    if board.red.contains(letter) {
        Colour::Red
    } else {
        Colour::Blue
    }
}

pub(super) fn assert_same(position: &Position, board: &Board) {
    assert_eq!(position.end(), end_of(board), "{board:?}");
    assert_eq!(u32::from(position.ply()), board.plies);
    let mover = board.result().is_none().then_some(board.mover() as u8);
    assert_eq!(position.to_move(), mover);
    for seat in 0..2 {
        let view = position.view(seat);
        assert_eq!(view.seat(), seat);
        assert_eq!(
            (view.to_move(), view.ply(), view.end(), view.rules()),
            (mover, position.ply(), position.end(), position.rules())
        );
        let (me, other) = (usize::from(seat), usize::from(1 - seat));
        for ghost in Ghost::ALL {
            let own = Board::letter(me, ghost.letter());
            let enemy = Board::letter(other, ghost.letter());
            let (own_place, own_colour) = (place_of(board, own, me), colour_of(board, own));
            assert_eq!(position.place(seat, ghost), own_place, "{board:?}");
            assert_eq!(position.colour(seat, ghost), own_colour);
            assert_eq!(view.own(ghost), (own_place, own_colour));
            let place = place_of(board, enemy, me);
            let public = place.square().is_none() || mover.is_none();
            let colour = public.then(|| colour_of(board, enemy));
            assert_eq!(view.enemy(ghost), (place, colour), "{board:?}");
            assert_eq!(
                position.final_view(seat).enemy(ghost),
                (place, Some(colour_of(board, enemy)))
            );
        }
        for colour in [Colour::Blue, Colour::Red] {
            let red = colour == Colour::Red;
            let lost = board.lost(me, red) as u8;
            assert_eq!(position.captured(seat, colour), lost);
            assert_eq!(view.own_captured(colour), lost);
            assert_eq!(view.enemy_captured(colour), board.lost(other, red) as u8);
        }
        let squares = |letters: usize| -> u64 {
            let on_board = ('A'..='H').filter_map(|c| {
                let letter = Board::letter(letters, c);
                place_of(board, letter, me).square()
            });
            on_board.map(|square| 1_u64 << square.index()).sum()
        };
        assert_eq!(position.squares(seat).bits(), squares(me));
        assert_eq!(view.own_squares().bits(), squares(me));
        assert_eq!(view.enemy_squares().bits(), squares(other));
    }
}

/// Compares the list of moves and the answer to each of the 32 moves that can be written.
fn assert_same_moves(position: &Position, board: &Board) {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let listed: Vec<(char, char)> = moves
        .iter()
        .map(|mv| (mv.ghost.letter(), mv.direction.letter()))
        .collect();
    assert_eq!(listed, board.moves(), "{board:?}");
    for seat in 0..2 {
        let mut own = MoveList::new();
        position.view(seat).legal_moves(&mut own);
        let expected: &[Move] = if position.to_move() == Some(seat) {
            &moves
        } else {
            &[]
        };
        assert_eq!(&own[..], expected);
    }
    for ghost in Ghost::ALL {
        for (direction, letter) in Direction::ALL.into_iter().zip(DIRECTIONS) {
            let mv = Move { ghost, direction };
            let expected = board.refusal(ghost.letter(), letter);
            assert_eq!(position.is_legal(mv), expected.is_none(), "{mv} {board:?}");
            let mut next = *position;
            let found = next.play(mv).err();
            if found.is_some() {
                assert_eq!(next, *position, "a refused move changes nothing");
            }
            let found = found.map(|error| refusal(error, mv));
            assert_eq!(found, expected, "{mv} {board:?}");
        }
    }
}

fn summary(position: &Position, last: Move) -> String {
    let end = position.end().unwrap();
    let spelling = match (end.kind, last.direction) {
        (EndKind::Escape, Direction::North) => " ahead",
        (EndKind::Escape, _) => " to the side",
        _ => "",
    };
    format!("{} {:?}{spelling}", end.kind.name(), end.winner)
}

/// The same game with its last ply as the limit ends as before; with one ply less it is a draw.
fn assert_limit_comes_last(start: Position, moves: &[Move], last: &Position) {
    let plies = moves.len();
    for ply_limit in [plies, plies - 1] {
        if ply_limit == 0 {
            continue;
        }
        let rules = Rules {
            ply_limit: ply_limit as u16,
        };
        let mut position = Position::new([0, 1].map(|seat| start.placement(seat)), rules);
        for &mv in &moves[..ply_limit] {
            assert_eq!(position.end(), None);
            position.play(mv).unwrap();
        }
        let draw = End {
            kind: EndKind::PlyLimit,
            winner: None,
        };
        let expected = if ply_limit == plies {
            last.end()
        } else {
            Some(draw)
        };
        assert_eq!(position.end(), expected);
    }
}

#[test]
fn random_games_agree_with_the_oracle() {
    let cases = Cases::new(300_000).left();
    let mut rng = rng(cases.start);
    let mut positions = cases.start;
    let mut ends: BTreeMap<String, u32> = BTreeMap::new();
    while positions < cases.end {
        let limit = match below(&mut rng, 4) {
            0 => 200,
            1 => 300,
            _ => 1 + below(&mut rng, 120) as u16,
        };
        let mut position = drawn(&mut rng, limit);
        let (start, mut moves) = (position, Vec::new());
        let mut board = Board::start(
            &position.placement(0).to_string(),
            &position.placement(1).to_string(),
            u32::from(limit),
        );
        assert_same(&position, &board);
        loop {
            assert_same_moves(&position, &board);
            let mv = random_move(&position, &mut rng);
            let next = board.after(mv.ghost.letter(), mv.direction.letter());
            let played = position.play(mv).unwrap();
            assert_eq!(played.escaped, next.escaped.len() > board.escaped.len());
            let captured = next.captured.chars().nth(board.captured.len());
            assert_eq!(
                played.captured,
                captured.map(|c| (Ghost::from_letter(c).unwrap(), colour_of(&board, c)))
            );
            board = next;
            moves.push(mv);
            positions += 1;
            assert_same(&position, &board);
            if position.end().is_some() {
                assert_same_moves(&position, &board);
                *ends.entry(summary(&position, mv)).or_default() += 1;
                assert_limit_comes_last(start, &moves, &position);
                break;
            }
        }
    }
    for winner in [Some(0), Some(1)] {
        for (kind, spellings) in [
            ("escape", &[" ahead", " to the side"][..]),
            ("blues-taken", &[""]),
            ("reds-taken", &[""]),
        ] {
            for spelling in spellings {
                let end = format!("{kind} {winner:?}{spelling}");
                assert!(ends.contains_key(&end), "never {end}: {ends:?}");
            }
        }
    }
    assert!(ends.contains_key("ply-limit None"));
}

/// Seat 0 takes its ghost D to the far right corner while seat 1 steps to and fro.
pub(super) const TO_THE_CORNER: &str = "D,E D,E D,N D,W D,N D,E D,N D,W D,N D,E";

#[test]
fn an_escape_is_found_exactly_when_a_listed_move_is_one() {
    let mut found = 0;
    for seed in 0..400 {
        let mut rng = super::rng(seed);
        let mut position = super::drawn(&mut rng, 300);
        let mut moves = taikyoku_games::geister::MoveList::new();
        while position.to_move().is_some() {
            position.legal_moves(&mut moves);
            let escapes = |mv: &taikyoku_games::geister::Move| {
                let mut after = position;
                after.play(*mv).is_ok_and(|played| played.escaped)
            };
            let slow = moves.iter().copied().find(escapes);
            assert_eq!(position.escape(), slow, "seed {seed}\n{position}");
            found += u32::from(slow.is_some());
            let mv = moves[super::below(&mut rng, moves.len())];
            position.play(mv).expect("a listed move");
        }
        assert_eq!(position.escape(), None);
    }
    assert!(found > 100, "{found}");
}
