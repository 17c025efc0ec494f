//! What the rules forbid.

use taikyoku_games::Cases;
use taikyoku_games::blokus::{Board, Colour, IllegalMove, Placement, Position};

use super::oracle::{self, Breach, PLACES};
use super::{below, random_game, rng};

fn p(text: &str) -> Placement {
    text.parse().unwrap()
}

fn breach(reason: IllegalMove) -> Option<Breach> {
    Some(match reason {
        IllegalMove::Over => return None,
        IllegalMove::Out(_) => Breach::Gone,
        IllegalMove::Placed(..) => Breach::Placed,
        IllegalMove::Covered(_) => Breach::Covered,
        IllegalMove::Beside(..) => Breach::Beside,
        IllegalMove::Start(_) => Breach::Start,
        IllegalMove::Apart(_) => Breach::Apart,
    })
}

#[test]
fn every_refusal_names_a_rule_that_is_broken() {
    let mut seen = [0; 6];
    let cases = Cases::new(40);
    let fewest = cases.left().count() * 100 / 40;
    for seed in cases {
        let mut rng = rng(seed);
        let mut slow = oracle::Board::start();
        for (board, mv) in random_game(seed) {
            let position = Position::from(board);
            let legal = Colour::ALL.map(|colour| {
                let mut moves = Vec::new();
                board.legal_moves_of(colour, &mut moves);
                moves
            });
            for _ in 0..100 {
                // Anything, or what has a chance to be legal.
                let colour = Colour::ALL[below(&mut rng, 4)];
                let legal = &legal[below(&mut rng, 4)];
                let near = !legal.is_empty() && below(&mut rng, 4) == 0;
                let placement = if near {
                    legal[below(&mut rng, legal.len())]
                } else {
                    Placement::new(below(&mut rng, PLACES.len()) as u16).unwrap()
                };
                let breaches = slow.breaches(colour.index(), &PLACES[placement.index()]);
                let check = board.check(colour, placement);
                assert_eq!(check.is_ok(), breaches.is_empty(), "{placement} {board:?}");
                assert_eq!(board.is_legal(colour, placement), check.is_ok());
                assert_eq!(position.is_legal(colour, placement), check.is_ok());
                let mut other = board;
                assert_eq!(other.place(colour, placement), check);
                if let Err(reason) = check {
                    let breach = breach(reason).unwrap();
                    assert!(
                        breaches.contains(&breach),
                        "{placement}: {reason} {board:?}"
                    );
                    seen[breach as usize] += 1;
                    assert_eq!(other, board);
                    let by_name = format!("{reason}");
                    assert!(!by_name.is_empty());
                }
                let turn = board.to_move() == Some(colour);
                if turn {
                    let (mut fast, mut same) = (board, position.clone());
                    assert_eq!(fast.play(placement), check);
                    assert_eq!(same.play(placement), check);
                    assert_eq!(same.board(), &fast);
                }
            }
            if let Some(mv) = mv {
                slow.put(slow.turn.unwrap(), mv.index());
            }
        }
    }
    assert!(seen.iter().all(|&n| n > fewest), "{seen:?}");
}

#[test]
fn each_rule_refuses_in_its_own_words() {
    let blue = Colour::BLUE;
    let mut board = Board::new();
    let refused = |board: &Board, text: &str| board.check(blue, p(text)).unwrap_err();
    let start = refused(&board, "b20,c20");
    assert_eq!(start, IllegalMove::Start(blue));
    assert_eq!(start.to_string(), "the first piece of blue must cover a20");
    board.place(blue, p("a20,a19")).unwrap();
    for (text, reason, words) in [
        ("b18", None, ""),
        (
            "b18,b17",
            Some(IllegalMove::Placed(blue, p("b18,b17").piece())),
            "blue has placed its piece 2 already",
        ),
        (
            "a19,b19,c19",
            Some(IllegalMove::Covered(p("a19").cells()[0])),
            "the square a19 is covered already",
        ),
        (
            "a18,b18,c18",
            Some(IllegalMove::Beside(p("a18").cells()[0], blue)),
            "the square a18 lies beside another piece of blue; own pieces may touch at corners only",
        ),
        (
            "d18,e18,f18",
            Some(IllegalMove::Apart(blue)),
            "the piece touches no other piece of blue at a corner",
        ),
    ] {
        assert_eq!(board.check(blue, p(text)).err(), reason, "{text}");
        assert_eq!(reason.map_or(String::new(), |r| r.to_string()), words);
    }
    board.withdraw(blue);
    let out = refused(&board, "b18");
    assert_eq!(out, IllegalMove::Out(blue));
    assert_eq!(out.to_string(), "blue is out of the game");
}

#[test]
fn equal_boards_have_equal_keys() {
    let mut boards: Vec<Board> = (0..200)
        .flat_map(random_game)
        .map(|(board, _)| board)
        .collect();
    // The same pieces in another order of turns.
    let mut board = Board::new();
    board.place(Colour::RED, p("t1")).unwrap();
    board.place(Colour::BLUE, p("a20")).unwrap();
    let mut other = Board::new();
    other.place(Colour::BLUE, p("a20")).unwrap();
    other.place(Colour::RED, p("t1")).unwrap();
    assert_ne!(board.key(), other.key());
    other.give_turn(Colour::YELLOW);
    assert_eq!((board, board.key()), (other, other.key()));
    boards.push(board);
    boards.sort_unstable_by_key(Board::key);
    for pair in boards.windows(2) {
        assert_eq!(pair[0] == pair[1], pair[0].key() == pair[1].key());
    }
}
