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
