//! Time.

use super::*;

fn requests(told: &[ServerMessage]) -> Vec<(Option<u64>, Option<u64>)> {
    told.iter()
        .filter_map(|message| match message {
            ServerMessage::Request {
                left_ms, budget_ms, ..
            } => Some((*left_ms, *budget_ms)),
            _ => None,
        })
        .collect()
}

#[test]
fn the_budget_is_used_before_the_time_of_the_move() {
    let mut bench = Bench::new(settings());
    assert_eq!(requests(&bench.take(0)), [(Some(1100), Some(1000))]);
    bench.wait(300);
    bench.play(0, "a1");
    bench.wait(1050);
    bench.play(1, "a2");
    let told = bench.take(0);
    assert_eq!(requests(&told), [(Some(800), Some(700))]);
    let moved = told.iter().find(|message| kind(message) == "moved");
    let Some(ServerMessage::Moved {
        used_ms: 300,
        budget_ms: Some(700),
        ..
    }) = moved
    else {
        panic!("{moved:?}");
    };
    bench.play(0, "b1");
    assert_eq!(requests(&bench.take(1)).last(), Some(&(Some(100), Some(0))));
    // A budget that is used up never comes back.
    bench.wait(90);
    bench.play(1, "b2");
    bench.play(0, "c1");
    assert_eq!(requests(&bench.take(1)), [(Some(100), Some(0))]);
    bench.wait(99);
    assert_eq!(bench.kinds().len(), 0);
    bench.wait(1);
    assert_eq!(bench.kinds(), [[EndKind::Normal, EndKind::Timeout]]);
    assert_eq!(bench.replay().points, [1.0, 0.0]);
}

#[test]
fn without_limits_nobody_is_late() {
    let settings = MatchSettings {
        clocks: ByPlayer::of(2, Clocks::default()),
        ..settings()
    };
    let mut bench = Bench::new(settings);
    assert_eq!(requests(&bench.take(0)), [(None, None)]);
    assert_eq!(bench.referee.next_deadline(), None);
    bench.wait(1_000_000_000);
    bench.play(0, "a1");
    assert_eq!(bench.kinds().len(), 0);
}

#[test]
fn two_silent_players_lose_in_turn() {
    let mut bench = Bench::new(MatchSettings {
        games: 3,
        ..settings()
    });
    bench.wait(1100);
    bench.wait(1100);
    bench.wait(1100);
    let (good, late) = (EndKind::Normal, EndKind::Timeout);
    assert_eq!(bench.kinds(), [[late, good], [good, late], [late, good]]);
    assert!(bench.referee.is_over());
    let sum = bench.replay();
    assert_eq!((sum.points, sum.closed), ([1.0, 2.0].into(), true));
}

#[test]
fn only_the_clock_ends_a_players_time() {
    let mut bench = Bench::new(settings());
    for _ in 0..11 {
        bench.now += ms(100);
        bench.send(0, ClientMessage::Legal);
        bench.send(1, ClientMessage::Legal);
    }
    // Its move may be the next message that is read.
    assert_eq!(bench.kinds().len(), 0);
    bench.wait(0);
    assert_eq!(bench.kinds(), [[EndKind::Timeout, EndKind::Normal]]);
}

#[test]
fn a_stopped_server_makes_the_game_void() {
    let mut bench = Bench::new(settings());
    bench.play(0, "a1");
    bench.act(Referee::stop);
    assert!(bench.referee.is_over());
    let told = bench.take(1);
    let last: Vec<&str> = told.iter().rev().map(kind).take(2).collect();
    assert_eq!(last, ["over", "result"]);
    let sum = bench.replay();
    assert_eq!((sum.games, sum.void, sum.closed), (0, 1, true));
}

#[test]
fn a_player_that_is_late_again_and_again_ends_the_match() {
    let settings = MatchSettings {
        games: 9,
        clocks: ByPlayer::of(
            2,
            Clocks {
                move_ms: Some(100),
                ..Clocks::default()
            },
        ),
        timeouts: 2,
        ..settings()
    };
    let mut bench = Bench::new(settings);
    // The one is late in the first game, the other in the second and the third.
    bench.wait(100);
    bench.wait(100);
    assert_eq!(bench.kinds().len(), 2);
    bench.play(0, "a1");
    bench.wait(100);
    assert_eq!(bench.kinds().len(), 3);
    assert!(bench.referee.is_over());
    let reason = bench.referee.reason().expect("a reason");
    assert_eq!(reason, "player 1 was out of time in 2 games in a row");
}
