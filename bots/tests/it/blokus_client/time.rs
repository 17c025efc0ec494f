//! Time.

use std::time::{Duration, Instant};

use super::play_against;
use super::server::{OPENING, open, over, result, view};

/// How long an engine takes for its first move if the server leaves this.
fn first_move(options: &str, request: &'static str) -> Duration {
    let (sender, times) = std::sync::mpsc::channel();
    let (summary, _) = play_against(options, "", move |server| {
        open(server, 0, 0);
        let began = Instant::now();
        server.say(request);
        server.hear_move();
        sender.send(began.elapsed()).expect("a receiver");
        server.tell(&[result(&[1, 2, 3, 4], &[0; 4]), over()]);
    });
    assert_eq!(summary.expect("a match").thinking.corrected, 0);
    times.recv().expect("a time")
}

/// Whether the least time of up to five measurements is below the limit: other processes may take the margin from one of
/// them, and an engine that leaves none is late in all.
fn is_in_time(limit: Duration, time: impl Fn() -> Duration) -> bool {
    (0..5).any(|_| time() < limit)
}

#[test]
fn a_move_is_in_time_when_the_engine_may_take_as_long_as_the_server_gives() {
    for engine in ["mcts-maxn", "maxn", "best"] {
        let time = || {
            first_move(
                &format!("--engine {engine} --move-ms 1000"),
                r#"{"type":"request","game":1,"ply":0,"left_ms":1000}"#,
            )
        };
        assert!(is_in_time(Duration::from_secs(1), time), "{engine}");
    }
}

/// How long two requests take of which the second comes while the engine thinks about the first, and each leaves three
/// seconds.
fn two_moves() -> Duration {
    let (sender, times) = std::sync::mpsc::channel();
    let (summary, _) = play_against("--engine mcts-maxn --move-ms 60000", "", move |server| {
        open(server, 0, 0);
        server.say(r#"{"type":"request","game":1,"ply":0,"left_ms":3000}"#);
        std::thread::sleep(Duration::from_millis(300));
        // The turn comes again while the client thinks.
        server.tell(&[view(0, 2, &OPENING, &[])]);
        let began = Instant::now();
        server.say(r#"{"type":"request","game":1,"ply":4,"left_ms":3000}"#);
        assert_eq!(server.hear_move().0, Some(0));
        assert_eq!(server.hear_move().0, Some(4));
        sender.send(began.elapsed()).expect("a receiver");
        server.tell(&[result(&[1, 2, 3, 4], &[0; 4]), over()]);
    });
    assert_eq!(summary.expect("a match").thinking.decisions, 2);
    times.recv().expect("a time")
}

#[test]
fn a_request_that_waits_for_the_end_of_a_decision_has_lost_that_time() {
    assert!(is_in_time(Duration::from_secs(3), two_moves));
}
