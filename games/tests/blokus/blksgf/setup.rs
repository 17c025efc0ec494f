//! Positions that are set up.

use taikyoku_games::blokus::Colour;
use taikyoku_games::blokus::blksgf::{Game, Setup};

use super::super::{below, random_game, rng};
use super::{p, record};

#[test]
fn positions_are_set_up() {
    let game: Game = "(;GM[Blokus]A1[b18][a19,a20]A3[t1]PL[2]C[x];2[t20];3[s2,r2])"
        .parse()
        .unwrap();
    assert_eq!(game.setup.pieces.len(), 3);
    assert_eq!(game.setup.to_move, Some(Colour::YELLOW));
    assert_eq!(game.setup.board().unwrap().to_move(), Some(Colour::YELLOW));
    let board = game.board().unwrap();
    assert_eq!(board.ply(), 5);
    assert_eq!(board.to_move(), Some(Colour::ALL[3]));
    assert_eq!(game.to_string().parse(), Ok(game.clone()));

    // A later set-up takes the moves before it along.
    let text =
        "(;GM[Blokus];1[a20];2[t20];3[t1];AE[t20]A2[t20,t19]C[y];4[a1];AE[a20]PL[blue];1[a20,b20])";
    let game: Game = text.parse().unwrap();
    let lying: Vec<String> = game
        .setup
        .pieces
        .iter()
        .map(|(c, p)| format!("{c} {p}"))
        .collect();
    assert_eq!(lying, ["red t1", "yellow t19,t20", "green a1"]);
    assert_eq!(game.setup.to_move, Some(Colour::BLUE));
    assert_eq!(game.moves, [(Colour::BLUE, p("a20,b20"))]);
    assert_eq!(
        game.to_string().parse::<Game>().unwrap().board(),
        game.board()
    );

    let text = "(;GM[Blokus];1[a20];2[t20];A3[t1])";
    let game: Game = text.parse().unwrap();
    assert_eq!(game.setup.to_move, Some(Colour::RED));
    assert!(Setup::default().is_empty() && !game.setup.is_empty());
}

#[test]
fn any_order_of_a_games_pieces_sets_up_the_same_position() {
    for seed in 0..60 {
        let mut rng = rng(seed);
        for (board, _) in random_game(seed).into_iter().step_by(9) {
            let (game, _) = record(seed);
            let mut pieces = game.moves[..usize::from(board.ply())].to_vec();
            for i in (1..pieces.len()).rev() {
                pieces.swap(i, below(&mut rng, i + 1));
            }
            let to_move = board.to_move();
            let setup = Setup { pieces, to_move };
            let again = setup.board().unwrap();
            assert_eq!(again.to_move(), to_move);
            assert_eq!(again.occupied(), board.occupied());
            let (mut moves, mut expected) = (Vec::new(), Vec::new());
            for colour in Colour::ALL {
                assert_eq!(again.own_rows(colour), board.own_rows(colour));
                again.legal_moves_of(colour, &mut moves);
                board.legal_moves_of(colour, &mut expected);
                assert_eq!(moves, expected);
            }
            let game = Game {
                setup,
                ..Game::default()
            };
            let read: Game = game.to_string().parse().unwrap();
            assert_eq!(read.board().unwrap().occupied(), board.occupied());
        }
    }
}
