//! Scores, places and winners.

use taikyoku_games::blokus::{Board, Colour, Piece, Placement, Scoring};

use super::{below, rng};

/// Blue alone places all its pieces, large ones first; the monomino last or right before the last one.
fn alone(monomino_last: bool) -> Board {
    for seed in 0.. {
        let mut rng = rng(seed);
        let mut board = Board::new();
        Colour::ALL[1..]
            .iter()
            .for_each(|&colour| board.withdraw(colour));
        let mut moves = Vec::new();
        while board.to_move().is_some() {
            assert_eq!(board.to_move(), Some(Colour::BLUE));
            board.legal_moves(&mut moves);
            let two_left = board.pieces_left(Colour::BLUE).len() == 2;
            let rank = |p: Placement| match p.piece() == Piece::MONOMINO {
                true if two_left && !monomino_last => 9,
                true => 0,
                false => p.size(),
            };
            let best = moves.iter().map(|&p| rank(p)).max();
            moves.retain(|&p| Some(rank(p)) == best);
            board.play(moves[below(&mut rng, moves.len())]).unwrap();
        }
        if board.pieces_left(Colour::BLUE).is_empty() {
            return board;
        }
    }
    unreachable!()
}

#[test]
fn whoever_places_all_gets_the_bonus() {
    for (monomino_last, score) in [(false, 15), (true, 20)] {
        let board = alone(monomino_last);
        assert_eq!(board.ply(), 21);
        assert_eq!(board.scores(Scoring::Advanced), [score, -89, -89, -89]);
        assert_eq!(board.scores(Scoring::Squares), [89, 0, 0, 0]);
        assert_eq!(board.gtp_score(Colour::BLUE), 89 + score);
        assert_eq!(board.gtp_score(Colour::RED), 0);
        for scoring in [Scoring::Advanced, Scoring::Squares] {
            assert_eq!(board.places(scoring), [0, 1, 1, 1]);
            assert_eq!(board.winners(scoring), [true, false, false, false]);
        }
    }
}

#[test]
fn scorings_read_their_names() {
    for scoring in [Scoring::Advanced, Scoring::Squares] {
        assert_eq!(scoring.name().parse(), Ok(scoring));
    }
    assert!("points".parse::<Scoring>().is_err());
}
