//! Scores, places and winners.

use taikyoku_games::blokus::{Board, Colour, Piece, Placement, SEATS, Scoring, advanced_score};

use super::{below, random_game, rng};

#[test]
fn the_bonus_depends_on_the_last_piece() {
    for left in 0..=89 {
        for last in [false, true] {
            let score = match (left, last) {
                (0, true) => 20,
                (0, false) => 15,
                _ => -i16::from(left),
            };
            assert_eq!(advanced_score(left, last), score);
        }
    }
}

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
fn equal_scores_share_the_better_place() {
    let mut board = Board::new();
    assert_eq!(board.places(Scoring::Advanced), [0; SEATS]);
    assert_eq!(board.winners(Scoring::Squares), [true; SEATS]);
    for (text, places) in [
        ("a20", [0, 1, 1, 1]),
        ("t20,s20", [1, 0, 2, 2]),
        ("t1", [1, 0, 1, 3]),
        ("a1,b1", [2, 0, 2, 0]),
    ] {
        board.play(text.parse().unwrap()).unwrap();
        assert_eq!(board.places(Scoring::Advanced), places);
        assert_eq!(board.places(Scoring::Squares), places);
    }
    assert_eq!(board.winners(Scoring::Advanced), [false, true, false, true]);
}

#[test]
fn random_games_have_shared_wins() {
    let mut shared = 0;
    for seed in 0..100 {
        let (board, _) = random_game(seed).pop().unwrap();
        let winners = board.winners(Scoring::Advanced);
        let best = board.scores(Scoring::Advanced).into_iter().max();
        for colour in Colour::ALL {
            assert_eq!(winners[colour.index()], Some(board.score(colour)) == best);
        }
        shared += usize::from(winners.iter().filter(|&&won| won).count() > 1);
    }
    assert!(shared > 0);
}

#[test]
fn scorings_read_their_names() {
    for scoring in [Scoring::Advanced, Scoring::Squares] {
        assert_eq!(scoring.name().parse(), Ok(scoring));
    }
    assert!("points".parse::<Scoring>().is_err());
}
