//! The suite that every game passes.

use taikyoku_games::blokus::{Blokus, Board, Colour, Placement, Position, Rules, Scoring};
use taikyoku_games::conformance::{check, fresh};
use taikyoku_games::{Cases, Game as _};

use super::{below, rng};

#[test]
fn blokus_conforms() {
    check::<Blokus>(200, fresh);
}

/// Boards and positions, which searches use, agree with the game that has passed the suite.
#[test]
fn boards_and_positions_conform() {
    let (mut moves, mut others) = (Vec::<Placement>::new(), Vec::new());
    for seed in Cases::new(200) {
        let mut rng = rng(seed);
        let mut game = Blokus::begin(&Rules::default(), seed);
        let (mut board, mut position) = (Board::new(), Position::new());
        loop {
            game.legal_moves(&mut moves);
            board.legal_moves(&mut others);
            assert_eq!(moves, others, "seed {seed} ply {}", board.ply());
            position.legal_moves(&mut others);
            assert_eq!(moves, others, "seed {seed} ply {}", board.ply());
            let turn = game.to_move();
            assert_eq!(board.to_move().map(Colour::at), turn);
            assert_eq!(position.to_move().map(Colour::at), turn);
            assert_eq!((game.board(), position.board()), (&board, &board));
            assert_eq!(game.outcome().is_none(), turn.is_some());
            if turn.is_none() {
                break;
            }
            let mv = moves[below(&mut rng, moves.len())];
            game.play(mv).unwrap();
            board.play(mv).unwrap();
            position.play(mv).unwrap();
        }
        let points = game.outcome().unwrap().points;
        let winners = board.winners(Scoring::Advanced);
        let shares = winners.iter().filter(|&&won| won).count() as f64;
        let share = winners.map(|won| f64::from(u8::from(won)) / shares);
        assert_eq!(points, share, "seed {seed}");
    }
}
