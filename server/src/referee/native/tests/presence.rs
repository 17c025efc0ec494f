//! Lost connections.

use super::*;

#[test]
fn one_that_comes_back_is_told_what_it_has_missed() {
    let mut bench = Bench::new(settings());
    bench.play(0, "a1");
    let last = bench.take(1).iter().filter_map(ServerMessage::event).max();
    assert_eq!(last, Some(2));
    bench.take(0);
    bench.play(1, "b2");
    bench.lose(1);
    bench.play(0, "c3");
    bench.wait(499);
    assert_eq!(
        bench.take(1).iter().filter_map(ServerMessage::event).max(),
        Some(3)
    );
    bench.rejoin(1, last);
    let told = bench.take(1);
    let kinds: Vec<&str> = told.iter().map(kind).collect();
    let due = [
        "match", "moved", "presence", "moved", "presence", "view", "request",
    ];
    assert_eq!(kinds, due);
    let numbers: Vec<u64> = told.iter().filter_map(ServerMessage::event).collect();
    assert_eq!(numbers, [3, 4, 5, 6]);
    let Some(ServerMessage::View {
        view,
        event: 6,
        ply: 3,
        ..
    }) = told.iter().rev().nth(1)
    else {
        panic!();
    };
    assert_eq!(view["moves"], "a1b2c3");
    let Some(ServerMessage::Request {
        left_ms,
        budget_ms,
        ply: 3,
        ..
    }) = told.last()
    else {
        panic!();
    };
    // Its clock has gone on.
    assert_eq!((*left_ms, *budget_ms), (Some(601), Some(501)));
    bench.play(1, "d4");
    assert_eq!(bench.referee.game().map(|game| game.board().ply()), Some(4));
    let told = bench.take(0);
    let here: Vec<bool> = told
        .iter()
        .filter_map(|message| match message {
            ServerMessage::Presence {
                here, player: 1, ..
            } => Some(*here),
            _ => None,
        })
        .collect();
    assert_eq!(here, [false, true]);
}

#[test]
fn a_second_connection_takes_the_seat_over() {
    let mut bench = Bench::new(settings());
    bench.play(0, "a1");
    bench.take(1);
    bench.rejoin(1, None);
    let kinds: Vec<&str> = bench.take(1).iter().map(kind).collect();
    assert_eq!(kinds, ["match", "view", "request"]);
    assert!(
        bench
            .take(0)
            .iter()
            .all(|message| kind(message) != "presence")
    );
}

#[test]
fn one_that_stays_away_ends_the_match() {
    let mut bench = Bench::new(settings());
    bench.play(0, "a1");
    bench.lose(0);
    bench.play(1, "a1");
    bench.wait(499);
    assert!(!bench.referee.is_over());
    bench.wait(1);
    assert!(bench.referee.is_over());
    assert_eq!(bench.kinds(), [[EndKind::Disconnect, EndKind::Normal]]);
    assert_eq!(
        bench.referee.reason(),
        Some("player 0 is gone: its connection was lost")
    );
    let sum = bench.replay();
    assert_eq!((sum.games, sum.points), (1, [0.0, 1.0].into()));
    bench.rejoin(0, None);
    assert_eq!(bench.closed, [0, 1, 0]);
}

#[test]
fn a_program_that_ends_is_told_apart_from_a_lost_connection() {
    for is_turn in [true, false] {
        let mut bench = Bench::new(MatchSettings {
            resume: ms(0),
            ..settings()
        });
        let player = u8::from(!is_turn);
        bench.act(|referee, now, out| {
            referee.lose(Player::new(player), EndKind::Crash, "signal 11", now, out);
        });
        bench.wait(0);
        let kinds = bench.kinds().swap_remove(0);
        assert_eq!(kinds[usize::from(player)], EndKind::Crash);
        assert_eq!(
            bench
                .referee
                .reason()
                .map(|reason| reason.contains("its program has ended")),
            Some(true)
        );
        bench.replay();
    }
}

#[test]
fn an_engine_that_fails_costs_the_game_that_is_named() {
    let mut bench = Bench::new(settings());
    bench.send(1, ClientMessage::Crash { game: 1 });
    // The word for a game that is over comes too late.
    bench.send(1, ClientMessage::Crash { game: 1 });
    assert_eq!(bench.kinds(), [[EndKind::Normal, EndKind::Crash]]);
    assert_eq!(bench.referee.game().map(Game::ply), Some(0));
}

fn begun(bench: &Bench) -> usize {
    let events = bench.events.iter();
    events
        .filter(|event| matches!(event.what, What::Begin { .. }))
        .count()
}

#[test]
fn the_next_game_waits_for_those_that_say_when_they_are_ready() {
    let three = MatchSettings {
        games: 3,
        ..settings()
    };
    let mut bench = Bench::new(three.clone());
    bench.send(0, ClientMessage::Ready { game: 1 });
    bench.send(1, ClientMessage::Resign);
    assert_eq!(begun(&bench), 1);
    // No clock runs; questions and moves cost nothing.
    bench.wait(1900);
    bench.play(1, "a1");
    assert_eq!(bench.errors(1), [ErrorCode::NoGame]);
    // One that comes back meanwhile is told of no game.
    bench.lose(1);
    bench.rejoin(1, None);
    bench.send(0, ClientMessage::Ready { game: 2 });
    assert_eq!(begun(&bench), 2);
    // It is waited for only so long.
    bench.send(1, ClientMessage::Resign);
    bench.wait(1999);
    assert_eq!(begun(&bench), 2);
    bench.wait(1);
    assert_eq!(begun(&bench), 3);
    assert_eq!(bench.kinds().len(), 2);
    // A match that is to end waits for nobody, and one whose player is gone has no other game.
    for leaves in [false, true] {
        let mut bench = Bench::new(three.clone());
        bench.send(0, ClientMessage::Ready { game: 1 });
        bench.send(1, ClientMessage::Resign);
        if leaves {
            bench.send(0, ClientMessage::Leave);
        } else {
            bench.referee.finish();
            bench.wait(0);
        }
        assert!(bench.referee.is_over());
        assert_eq!((begun(&bench), bench.kinds().len()), (1, 1));
        bench.replay();
    }
}

#[test]
fn one_whose_time_is_up_while_it_is_away_has_lost_by_that() {
    let settings = MatchSettings {
        resume: ms(5000),
        ..settings()
    };
    let mut bench = Bench::new(settings);
    bench.lose(0);
    bench.wait(1100);
    assert_eq!(bench.kinds(), [[EndKind::Disconnect, EndKind::Normal]]);
    assert!(!bench.referee.is_over());
    // The next game has begun without it, and it comes in time.
    bench.take(0);
    bench.play(1, "a1");
    bench.rejoin(0, Some(0));
    let kinds: Vec<&str> = bench.take(0).iter().map(kind).collect();
    let due = [
        "match", "game", "presence", "result", "game", "moved", "presence", "view", "request",
    ];
    assert_eq!(kinds, due);
}

#[test]
fn without_time_to_come_back_a_lost_connection_is_the_end() {
    let mut bench = Bench::new(MatchSettings {
        resume: ms(0),
        ..settings()
    });
    bench.lose(1);
    bench.wait(0);
    assert!(bench.referee.is_over());
    assert_eq!(bench.kinds(), [[EndKind::Normal, EndKind::Disconnect]]);
    bench.replay();
}

#[test]
fn leaving_ends_the_match_at_once() {
    let mut bench = Bench::new(MatchSettings {
        games: 1,
        ..settings()
    });
    bench.send(0, ClientMessage::Leave);
    assert!(bench.referee.is_over());
    // It was the last game: nothing is missing.
    assert_eq!(bench.referee.reason(), None);
    assert_eq!(bench.kinds(), [[EndKind::Disconnect, EndKind::Normal]]);
    let count = bench.events.len();
    bench.send(1, ClientMessage::Leave);
    bench.fault(1, ErrorCode::Malformed);
    bench.lose(1);
    assert_eq!(bench.events.len(), count);
    bench.replay();
}

#[test]
fn both_may_be_away() {
    let mut bench = Bench::new(settings());
    bench.lose(0);
    bench.wait(100);
    bench.lose(1);
    bench.wait(300);
    bench.rejoin(0, Some(1));
    bench.play(0, "a1");
    bench.wait(200);
    assert!(bench.referee.is_over());
    assert_eq!(bench.kinds(), [[EndKind::Normal, EndKind::Disconnect]]);
}

#[test]
fn who_has_missed_long_lines_is_not_sent_more_than_it_may_leave_unread() {
    let mut bench = Bench::new(MatchSettings {
        games: 500,
        swap: false,
        ..settings()
    });
    bench.lose(1);
    bench.take(1);
    while bench.referee.number < 500 {
        // Four bytes each, as many characters as are repeated of a field.
        let fault = Fault {
            code: ErrorCode::Malformed,
            message: "\u{1d11e}".repeat(160),
            sent: String::new(),
        };
        bench.act(|referee, now, out| referee.receive(Player::new(0), Err(fault), now, out));
    }
    bench.rejoin(1, Some(1));
    let told = bench.take(1);
    let bytes: usize = told.iter().map(|message| message.to_line().len()).sum();
    let most = crate::referee::MOST_PENDING;
    assert!(bytes < most && bytes > most / 2, "{bytes}");
    // What it gets is without gaps up to the last.
    let numbers: Vec<u64> = told.iter().filter_map(ServerMessage::event).collect();
    let first = numbers[0];
    assert!(
        numbers
            .iter()
            .copied()
            .eq(first..first + numbers.len() as u64)
    );
    assert_eq!(numbers.last(), Some(&bench.referee.history.last()));
}
