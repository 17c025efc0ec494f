//! Rules against the oracle, and what they refuse.

use taikyoku_games::Cases;
use taikyoku_games::dobutsu::{EndKind, IllegalMove, Move, Position, Variant};

use super::oracle::Oracle;
use super::{moves, position, random_game};

fn sorted(mut hand: String) -> String {
    let mut letters: Vec<char> = hand.drain(..).collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

pub(super) fn assert_same(position: &Position, oracle: &Oracle) {
    let seen = Oracle::of(position);
    assert_eq!(seen.ranks, oracle.ranks, "{position}");
    for seat in 0..2 {
        let hands = [&seen, oracle].map(|oracle| sorted(oracle.hands[seat].clone()));
        assert_eq!(hands[0], hands[1], "{position}");
    }
    assert_eq!(seen.seat, oracle.seat);
    let end = position
        .end()
        .map(|end| (usize::from(end.winner), end.kind.name()));
    assert_eq!(end, oracle.end(), "{position:#}");
    let mut texts: Vec<String> = moves(position).iter().map(Move::to_string).collect();
    texts.sort();
    assert_eq!(texts, oracle.moves(), "{position:#}");
    let board = position.board();
    assert_eq!(
        board.can_catch(),
        oracle.can_catch(oracle.seat),
        "{position:#}"
    );
    assert_eq!(
        board.in_check(),
        oracle.can_catch(1 - oracle.seat),
        "{position:#}"
    );
    assert_eq!(position.to_move().is_some(), end.is_none());
}

#[test]
fn random_games_agree_with_the_oracle() {
    let mut ends = [0; 2];
    let cases = Cases::new(1_200);
    let fewest = cases.left().count() / 12;
    for seed in cases {
        let variant = Variant {
            any_try: seed % 3 == 1,
            free_promotion: seed % 5 == 1,
        };
        let start = Position::START.with_variant(variant);
        let mut oracle = Oracle::of(&start);
        for (position, mv) in random_game(seed, start) {
            assert_same(&position, &oracle);
            match mv {
                Some(mv) => oracle = oracle.after(&mv.to_string()),
                None => match position.end().map(|end| end.kind) {
                    Some(EndKind::Catch) => ends[0] += 1,
                    Some(EndKind::Try) => ends[1] += 1,
                    Some(EndKind::NoMoves) | None => {}
                },
            }
        }
    }
    assert!(ends.iter().all(|&games| games > fewest), "{ends:?}");
}

#[test]
fn boards_after_all_moves_are_those_of_each_move() {
    for seed in Cases::new(200) {
        for (position, _) in random_game(seed, Position::START) {
            let board = position.board();
            let mut list = taikyoku_games::dobutsu::MoveList::new();
            board.moves(false, &mut list);
            let mut all = Vec::new();
            board.each_after(|after| all.push(after));
            let each: Vec<_> = list.iter().map(|&mv| board.after(mv)).collect();
            assert_eq!(all, each, "{position}");
            assert_eq!(board.turned().turned(), *board);
            assert_eq!(board.mirrored().mirrored(), *board);
            for &mv in &list {
                let there = board.mirrored().after(mv.mirrored());
                assert_eq!(there, board.after(mv).mirrored());
                assert_eq!(mv.turned().turned(), mv);
            }
        }
    }
}

#[test]
fn refused_moves_say_why() {
    use IllegalMove::{
        MustPromote, NoPiece, NoPromotion, NoStep, NotEmpty, NotInHand, Over, OwnPiece,
    };
    let position = position("1l1/C2/1e1/ELG b G 1");
    for (text, reason) in [
        ("2b2a", NoPiece as fn(Move) -> IllegalMove),
        ("2c2d", NoPiece),
        ("3d3c", NoStep),
        ("1d1b", NoStep),
        ("1d2d", OwnPiece),
        ("3b3a", MustPromote),
        ("2d1c+", NoPromotion),
        ("E*1a", NotInHand),
        ("C*1a", NotInHand),
        ("G*2c", NotEmpty),
    ] {
        let mv: Move = text.parse().unwrap();
        let mut tried = position;
        assert_eq!(tried.play(mv), Err(reason(mv)), "{text}");
        assert_eq!(tried, position);
        assert!(!position.is_legal(mv));
    }
    let forced = position.is_legal("3b3a+".parse().unwrap());
    assert!(forced);
    let free = position.with_variant(Variant {
        free_promotion: true,
        ..Variant::default()
    });
    assert!(free.is_legal("3b3a".parse().unwrap()));
    let message = "3b3a: a chick that reaches the far rank promotes: write 3b3a+";
    let mv: Move = "3b3a".parse().unwrap();
    assert_eq!(MustPromote(mv).to_string(), message);
    let mut over = super::position("3/3/l2/2L b - 1");
    over.play("1d1c".parse().unwrap()).unwrap();
    over.play("3c3d".parse().unwrap()).unwrap();
    let mv = "1c1b".parse().unwrap();
    assert_eq!(over.play(mv), Err(Over(mv)));
}
