//! Perft: numbers of sequences of moves, from the data file `perft/geister.txt`.

use taikyoku_games::geister::{
    Colour, GHOSTS, Ghost, Move, MoveList, Place, Placement, Position, Rules, Square, View,
};

use super::oracle::Board;
use super::rules::assert_same;
use crate::perft::{self, Case};

/// Counts above this are left out; the environment variable `TAIKYOKU_PERFT_LIMIT` sets another
/// limit.
const NODE_LIMIT: u64 = 20_000_000;
/// Counts up to this are checked with the oracle as well.
const ORACLE_LIMIT: u64 = 30_000;

fn cases() -> Vec<Case<(Position, Board)>> {
    perft::cases(include_str!("../../perft/geister.txt"), [8, 4], |setup| {
        let words: Vec<&str> = setup.split_whitespace().collect();
        let (position, slow) = match words[..] {
            ["start", red0, red1, limit, ref moves @ ..] => start(red0, red1, limit, moves),
            ["board", ghosts, seat, ply, limit] => board(ghosts, seat, ply, limit),
            _ => panic!("no position: {setup}"),
        };
        assert_same(&position, &slow);
        (position, slow)
    })
}

fn start(red0: &str, red1: &str, limit: &str, moves: &[&str]) -> (Position, Board) {
    let ply_limit = limit.parse().expect("a ply limit");
    let placements = [red0, red1].map(|reds| reds.parse().expect("a placement"));
    let mut position = Position::new(placements, Rules { ply_limit });
    let mut board = Board::start(red0, red1, u32::from(ply_limit));
    for text in moves {
        let mv: Move = text.parse().expect("a move");
        position.play(mv).expect("a legal move");
        board = board.after(mv.ghost.letter(), mv.direction.letter());
    }
    (position, board)
}

/// Reads a board with all colours as `seat` sees it, in GAT's triples.
fn board(ghosts: &str, seat: &str, ply: &str, limit: &str) -> (Position, Board) {
    let seat: u8 = seat.parse().expect("a seat");
    let rules = Rules {
        ply_limit: limit.parse().expect("a ply limit"),
    };
    let bytes = ghosts.as_bytes();
    assert_eq!(bytes.len(), 3 * 2 * GHOSTS);
    let triple = |i: usize| {
        let place = match &bytes[3 * i..3 * i + 2] {
            b"99" => Place::Captured,
            b"88" => Place::Escaped,
            at => Place::On(Square::new(at[0] - b'0', at[1] - b'0').expect("a square")),
        };
        let colour = match bytes[3 * i + 2].to_ascii_uppercase() {
            b'R' => Colour::Red,
            b'B' => Colour::Blue,
            other => panic!("no colour: {other}"),
        };
        (place, colour)
    };
    let own: [(Place, Colour); GHOSTS] = std::array::from_fn(triple);
    let enemy: [(Place, Colour); GHOSTS] = std::array::from_fn(|i| triple(GHOSTS + i));
    let known = enemy.map(|(place, colour)| (place, Some(colour)));
    let ply: u16 = ply.parse().expect("a ply");
    let view = View::from_ghosts(seat, own, known, (ply % 2) as u8, ply, rules).expect("a board");
    let reds = |side: [(Place, Colour); GHOSTS]| -> Placement {
        let mask = (0..GHOSTS).filter(|&i| side[i].1 == Colour::Red);
        Placement::new(mask.map(|i| 1 << i).sum()).expect("four red")
    };
    let position = view.with(reds(enemy)).expect("known colours");

    let mut red = [reds(own).to_string(), reds(enemy).to_string()];
    if seat == 1 {
        red.swap(0, 1);
    }
    let mut board = Board::start(&red[0], &red[1], u32::from(rules.ply_limit));
    board.rows = [['.'; 6]; 6];
    board.plies = u32::from(ply);
    for (side, sees) in [(own, seat), (enemy, 1 - seat)] {
        for (ghost, (place, _)) in Ghost::ALL.into_iter().zip(side) {
            let letter = Board::letter(usize::from(sees), ghost.letter());
            match place {
                Place::On(square) if seat == 0 => {
                    board.rows[usize::from(square.y())][usize::from(square.x())] = letter;
                }
                Place::On(square) => {
                    board.rows[usize::from(5 - square.y())][usize::from(5 - square.x())] = letter;
                }
                Place::Captured => board.captured.push(letter),
                Place::Escaped => board.escaped.push(letter),
            }
        }
    }
    (position, board)
}

fn perft(position: &Position, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut count = 0;
    for &mv in &moves {
        let mut next = *position;
        next.play_unchecked(mv);
        count += perft(&next, depth - 1);
    }
    count
}

#[test]
fn counts_up_to_the_node_limit() {
    let limit = perft::limit("TAIKYOKU_PERFT_LIMIT", NODE_LIMIT);
    for case in cases() {
        case.check(limit, false, |(position, _), depth| perft(position, depth));
    }
}

#[test]
fn small_counts_agree_with_the_oracle() {
    for case in cases() {
        case.check(ORACLE_LIMIT, false, |(_, board), depth| board.perft(depth));
    }
}
