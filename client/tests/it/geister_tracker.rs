//! What the client keeps of a game from boards and answers alone, against the true positions.

use games::geister::{Colour, EndKind, Move, MoveList, Placement, Position, Rules, View};
use protocol::gat::{Board, enemy_move};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_client::gat::{BoardTracker, Reason};

/// Calls `each` with every position of a random game, the move made there, and the position after it.
fn random_game(
    seed: u64,
    limit: u16,
    mut each: impl FnMut(&Position, Move, &Position),
) -> Position {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let placements = [(); 2].map(|()| Placement::ALL[rng.random_range(0..70)]);
    let mut position = Position::new(placements, Rules { ply_limit: limit });
    let mut moves = MoveList::new();
    while position.end().is_none() {
        position.legal_moves(&mut moves);
        let mv = moves[rng.random_range(0..moves.len())];
        let before = position;
        position.play(mv).unwrap();
        each(&before, mv, &position);
    }
    position
}

#[test]
fn the_enemys_move_is_found_from_two_boards() {
    let (mut found, mut captures, mut escapes) = (0, 0, 0);
    for seed in 0..200 {
        random_game(seed, 200, |before, mv, after| {
            let watcher = 1 - before.to_move().unwrap();
            let boards = [before, after].map(|position| Board::from(&position.final_view(watcher)));
            assert_eq!(enemy_move(&boards[0], &boards[1]), Some(mv));
            // Neither backwards nor where nothing happened.
            assert_eq!(enemy_move(&boards[0], &boards[0]), None);
            found += 1;
            captures += u32::from(boards[0].own != boards[1].own);
            let escape = after.end().is_some_and(|end| end.kind == EndKind::Escape);
            escapes += u32::from(escape);
        });
    }
    assert!(
        found > 10_000 && captures > 500 && escapes > 10,
        "{found} {captures} {escapes}"
    );
}

#[test]
fn boards_that_no_single_move_explains() {
    let start: Board = "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u"
        .parse()
        .unwrap();
    let after = |changes: &[(&str, &str)]| {
        let mut text = start.to_string();
        for (from, to) in changes {
            text = text.replacen(from, to, 1);
        }
        enemy_move(&start, &text.parse().unwrap())
    };
    assert_eq!(
        after(&[("41u", "42u")]).map(|mv| mv.to_string()),
        Some("A,N".to_owned())
    );
    assert_eq!(
        after(&[("41u", "51u")]).map(|mv| mv.to_string()),
        Some("A,W".to_owned())
    );
    assert_eq!(after(&[("41u", "43u")]), None);
    assert_eq!(after(&[("41u", "42u"), ("31u", "32u")]), None);
    assert_eq!(after(&[("41u", "42u"), ("14R", "13R")]), None);
    assert_eq!(after(&[("41u", "42u"), ("14R", "99r")]), None);
    assert_eq!(after(&[("41u", "99b")]), None);
    assert_eq!(after(&[("41u", "88b")]), None);
}

/// Follows a game through the eyes of a client; `hidden` plies get no answer to an own move.
fn follow(seat: u8, seed: u64, hidden: impl Fn(u16) -> bool) -> BoardTracker {
    let rules = Rules { ply_limit: 120 };
    let mut tracker = None;
    let mut last_own: Option<(View, Move)> = None;
    let mut last_enemy: Option<(View, Move, Option<Colour>)> = None;
    let end = random_game(seed, rules.ply_limit, |before, mv, after| {
        let tracker =
            tracker.get_or_insert_with(|| BoardTracker::new(before.placement(seat), rules));
        if before.to_move() == Some(seat) {
            let first = tracker.seat().is_none();
            let news = tracker.requested(Some(&Board::from(&before.view(seat))));
            assert_eq!(tracker.seat(), Some(seat));
            assert_eq!(*tracker.view(), before.view(seat));
            assert_eq!(news.began.is_some(), first);
            let own = last_own.take();
            assert_eq!(news.own.map(|own| (own.before, own.mv)), own);
            let enemy = news
                .enemy
                .map(|enemy| (enemy.before, enemy.mv, enemy.captured));
            assert_eq!(enemy, last_enemy.take());
            tracker.sending(mv);
            let taken =
                |colour| after.captured(1 - seat, colour) - before.captured(1 - seat, colour);
            let captured = [Colour::Blue, Colour::Red]
                .into_iter()
                .find(|&colour| taken(colour) > 0);
            if after.end().is_none() && hidden(before.ply()) {
                last_own = Some((before.view(seat), mv));
            } else {
                let made = tracker.made(mv, captured).unwrap();
                assert_eq!(
                    (made.before, made.mv, made.captured),
                    (before.view(seat), mv, captured)
                );
                if after.end().is_none() {
                    assert_eq!(*tracker.view(), after.view(seat));
                }
            }
        } else {
            let taken = |colour| after.captured(seat, colour) - before.captured(seat, colour);
            let captured = [Colour::Blue, Colour::Red]
                .into_iter()
                .find(|&colour| taken(colour) > 0);
            last_enemy = Some((before.view(seat), mv, captured));
        }
    });
    let mut tracker = tracker.unwrap();
    let board = Board::from(&end.final_view(seat));
    let reason = match end.end().unwrap().kind {
        EndKind::Escape => Reason::Escape,
        EndKind::BluesTaken => Reason::BluesTaken,
        EndKind::RedsTaken => Reason::RedsTaken,
        EndKind::PlyLimit => Reason::PlyLimit,
    };
    let draw = end.end().unwrap().winner.is_none();
    assert_eq!(Reason::of(&board, draw), reason);
    if last_own.is_none() {
        let last = tracker.ended(&board);
        let enemy = last.map(|enemy| (enemy.before, enemy.mv, enemy.captured));
        assert_eq!(enemy, last_enemy);
        assert_eq!(tracker.view().ply(), end.ply());
        assert_eq!(tracker.view().end(), end.end());
    }
    assert_eq!(tracker.disagreements(), 0);
    tracker
}

#[test]
fn the_tracked_view_is_the_true_one_at_every_turn() {
    let mut plies = 0;
    for seed in 0..300 {
        plies += u32::from(follow((seed % 2) as u8, seed, |_| false).view().ply());
    }
    assert!(plies > 10_000, "{plies}");
}

#[test]
fn an_answer_that_never_came_is_seen_on_the_board() {
    for seed in 0..100 {
        follow((seed % 2) as u8, seed, |ply| ply % 6 < 2);
    }
}

#[test]
fn a_board_that_does_not_follow_is_taken_over() {
    let rules = Rules::default();
    let mut tracker = BoardTracker::new("ABCD".parse().unwrap(), rules);
    let start: Board = "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u"
        .parse()
        .unwrap();
    assert!(tracker.requested(Some(&start)).began.is_some());
    assert_eq!(tracker.seat(), Some(0));
    tracker.sending("A,N".parse().unwrap());
    assert!(tracker.made("A,N".parse().unwrap(), None).is_some());
    // Own D has gone, two enemies have moved, one is known.
    let odd: Board = "13R24R34R99r15B25B35B45B42u32u21u11u99b30u20u10u"
        .parse()
        .unwrap();
    let news = tracker.requested(Some(&odd));
    assert_eq!(
        (news.enemy, news.began, tracker.disagreements()),
        (None, None, 1)
    );
    let view = tracker.view();
    assert_eq!(
        (Board::from(view), view.ply(), view.to_move()),
        (odd, 2, Some(0))
    );
    // And without a board the game goes on from what is known.
    tracker.sending("A,N".parse().unwrap());
    assert!(tracker.made("A,N".parse().unwrap(), None).is_some());
    tracker.requested(None);
    assert_eq!(
        (tracker.view().ply(), tracker.view().to_move()),
        (4, Some(0))
    );
    assert_eq!(tracker.disagreements(), 2);
    // An answer that cannot be: nothing stood where the red ghost is said to have been captured.
    tracker.sending("B,N".parse().unwrap());
    assert_eq!(
        tracker.made("B,N".parse().unwrap(), Some(Colour::Red)),
        None
    );
    tracker.requested(Some(&odd));
    assert_eq!(
        (Board::from(tracker.view()), tracker.view().ply()),
        (odd, 6)
    );
}
