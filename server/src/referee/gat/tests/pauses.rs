//! Pauses between an answer and the next message.

use super::*;

fn slow() -> GameSettings {
    GameSettings {
        wait: [40 * MS, 10 * MS],
        ..settings()
    }
}

#[test]
fn the_first_request_comes_after_the_pause_and_the_clock_with_it() {
    let mut bench = Bench::new(slow());
    bench.says(1, "SET:ABCD\r\n");
    assert_eq!(bench.says(0, "SET:ABCD\r\n"), ["0 OK "]);
    assert_eq!(bench.pass(39 * MS), [""; 0]);
    // Not yet asked: out of turn.
    assert_eq!(bench.says(0, "MOV:A,N\r\n"), ["0 NG "]);
    starts(&bench.pass(MS), &["0 MOV?"]);
    assert_eq!(bench.pass(3499 * MS), [""; 0]);
    // The other has had its answer long ago.
    starts(&bench.says(0, "MOV:A,N\r\n"), &["0 OK ", "1 MOV?"]);
    bench.pass(5 * MS);
    assert_eq!(bench.says(1, "MOV:A,N\r\n"), ["1 OK "]);
    starts(&bench.pass(35 * MS), &["0 MOV?"]);
}

#[test]
fn results_wait_for_both_and_keep_their_order() {
    let mut bench = Bench::new(slow());
    bench.says(1, "SET:ABCD\r\n");
    bench.says(0, "SET:ABCD\r\n");
    starts(&bench.pass(40 * MS), &["0 MOV?"]);
    assert_eq!(bench.says(0, "MOV:A,S\r\n"), ["0 NG "]);
    assert!(!bench.referee.is_over());
    assert_eq!(bench.pass(39 * MS), [""; 0]);
    starts(&bench.pass(MS), &["1 WON:", "0 LST:"]);
    assert!(bench.referee.is_over());
}

#[test]
fn lines_during_a_pause_do_not_make_it_longer() {
    let mut bench = Bench::new(slow());
    bench.says(1, "SET:ABCD\r\n");
    bench.says(0, "SET:ABCD\r\n");
    for _ in 0..4 {
        bench.pass(9 * MS);
        assert_eq!(bench.says(0, "x\r\n"), ["0 NG "]);
    }
    starts(&bench.pass(4 * MS), &["0 MOV?"]);
}

/// A game in which both have a request to move behind them: seat 0 is asked again.
fn both_asked() -> Bench {
    let mut bench = Bench::new(slow());
    bench.says(1, "SET:ABCD\r\n");
    bench.says(0, "SET:ABCD\r\n");
    bench.pass(40 * MS);
    bench.says(0, "MOV:A,N\r\n");
    bench
}

fn verdicts(bench: &Bench) -> usize {
    let verdict = |what: &&What| matches!(what, What::End { .. } | What::Forfeit { .. });
    bench.events().into_iter().filter(verdict).count()
}

#[test]
fn what_the_loser_sends_while_the_results_wait_changes_nothing() {
    for more in ["foo", "MOV:A,N", "MOV:E,S", "SET:ABCD", ""] {
        let mut bench = Bench::new(slow());
        bench.says(1, "SET:ABCD\r\n");
        bench.says(0, "SET:ABCD\r\n");
        bench.pass(40 * MS);
        bench.says(0, "MOV:A,N\r\n");
        bench.says(1, "MOV:A,N\r\n");
        starts(&bench.pass(40 * MS), &["0 MOV?"]);
        // In the same packet, and in one of its own.
        assert_eq!(bench.says(0, &format!("MOV:E,S\r\n{more}\r\n")), ["0 NG "]);
        let ended = bench.events().len();
        bench.pass(20 * MS);
        assert_eq!(bench.says(0, &format!("{more}\r\n")), [""; 0]);
        assert_eq!(bench.says(1, &format!("{more}\r\n")), [""; 0]);
        assert_eq!(bench.leaves(0), [""; 0]);
        let board = "WON:13R24R34R44R15B25B35B45B42r31r21r11r40b30b20b10b";
        let sent = bench.pass(20 * MS);
        starts(&sent, &["1 WON:", "0 LST:"]);
        assert_eq!(&sent[0][2..], board);
        assert_eq!(
            (verdicts(&bench), bench.events().len()),
            (2, ended),
            "{more}"
        );
        let kinds = vec![EndKind::Illegal, EndKind::Normal];
        assert_eq!(bench.end(), (vec![1, 0], kinds, None));
    }
}

#[test]
fn what_the_winner_sends_while_the_results_wait_does_not_lose() {
    for more in ["foo", "MOV:A,N", "MOV:E,S", "SET:ABCD", ""] {
        let mut bench = both_asked();
        assert_eq!(bench.leaves(0), [""; 0]);
        bench.pass(5 * MS);
        assert_eq!(bench.says(1, &format!("{more}\r\n")), [""; 0], "{more}");
        starts(&bench.pass(40 * MS), &["1 WON:", "0 LST:"]);
        let kinds = vec![EndKind::Disconnect, EndKind::Normal];
        assert_eq!(bench.end(), (vec![1, 0], kinds, None));
        assert_eq!(verdicts(&bench), 2, "{more}");
        assert_eq!(bench.result().winner, Some(Player::new(1)));
        assert_eq!(bench.result().plies, 1);
    }
}

#[test]
fn a_result_keeps_its_distance_from_a_request_too() {
    let mut bench = both_asked();
    // The other leaves as soon as this one is asked.
    starts(&bench.says(1, "MOV:A,N\r\n"), &["1 OK "]);
    starts(&bench.pass(40 * MS), &["0 MOV?"]);
    assert_eq!(bench.leaves(1), [""; 0]);
    assert_eq!(bench.pass(39 * MS), [""; 0]);
    starts(&bench.pass(MS), &["0 WON:", "1 LST:"]);
}

/// The reason of the time-out of the first move, asked for so long after the placement.
fn late_after(pause: Duration) -> String {
    let mut bench = Bench::new(GameSettings {
        wait: [pause; SEATS],
        ..settings()
    });
    bench.says(1, "SET:ABCD\r\n");
    bench.says(0, "SET:ABCD\r\n");
    bench.pass(4000 * MS);
    let reason = bench.events().into_iter().find_map(|what| match what {
        What::Forfeit { reason, .. } => Some(reason.clone()),
        _ => None,
    });
    reason.expect("a forfeit")
}

#[test]
fn a_time_out_behind_messages_that_came_together_names_the_pause() {
    assert_eq!(late_after(100 * MS), "its time is up");
    assert!(late_after(Duration::ZERO).contains("one read for one message needs `wait-ms`"));
}
