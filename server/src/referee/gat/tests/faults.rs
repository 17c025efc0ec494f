//! Faults in each phase, and what they cost.

use super::*;

#[test]
fn an_illegal_move_loses_after_its_answer() {
    for (text, kind) in [
        ("MOV:A,S\r\n", EndKind::Illegal),
        ("MOV:A, N\r\n", EndKind::ProtocolError),
        ("mov:A,N\r\n", EndKind::ProtocolError),
        ("set:ABCD\r\n", EndKind::ProtocolError),
        ("\r\n", EndKind::ProtocolError),
        ("MOV:A,N,1\r\n", EndKind::ProtocolError),
    ] {
        let mut bench = Bench::begun(settings());
        let sent = bench.says(0, text);
        starts(&sent, &["0 NG ", "1 WON:", "0 LST:"]);
        assert_eq!(bench.end(), (vec![1, 0], vec![kind, EndKind::Normal], None));
        let refused = bench.events().into_iter().any(
            |what| matches!(what, What::Refused { player: 0, sent, .. } if *sent == text.trim_end()),
        );
        assert!(refused, "{text}: {:?}", bench.events());
    }
}

#[test]
fn a_second_placement_out_of_turn_costs_nothing() {
    let mut bench = Bench::begun(settings());
    bench.pass(1000 * MS);
    for text in ["SET:ABCD\r\n", "SET:EFGH\r\n", "SET:ABCZ\r\n", "SET:\r\n"] {
        assert_eq!(bench.says(1, text), ["1 NG "]);
    }
    let refused: Vec<_> = bench
        .events()
        .into_iter()
        .filter_map(|what| match what {
            What::Refused { player, reason, .. } => Some((*player, reason.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(refused[1], (1, "the placement is set already"));
    assert_eq!(refused.len(), 4);
    // The placement is the first, and the clock has gone on.
    starts(&bench.pass(2499 * MS), &[]);
    let sent = bench.says(0, "MOV:A,N\r\n");
    starts(&sent, &["0 OK ", "1 MOV?14R24R34R44R15B25B35B45B42u"]);
    starts(&bench.says(1, "MOV:A,N\r\n"), &["1 OK ", "0 MOV?"]);
    // On the own turn it loses.
    starts(
        &bench.says(0, "SET:ABCD\r\n"),
        &["0 NG ", "1 WON:", "0 LST:"],
    );
    let kinds = [EndKind::ProtocolError, EndKind::Normal];
    assert_eq!(bench.result().kinds, kinds);
}

#[test]
fn a_move_read_before_the_timer_counts_and_costs_no_more_than_there_was() {
    let mut bench = Bench::begun(settings());
    // The server itself comes late to its work.
    bench.now = 9000 * MS;
    starts(&bench.says(0, "MOV:A,N\r\n"), &["0 OK ", "1 MOV?"]);
    let times = bench.events().into_iter().find_map(|what| match what {
        What::Move { used, left, .. } => Some((used.unwrap(), left.unwrap())),
        _ => None,
    });
    assert_eq!(times, Some((3500, 0)));
}

#[test]
fn a_line_without_end_is_one_fault() {
    let mut bench = Bench::begun(settings());
    assert_eq!(bench.says(1, &"x".repeat(5000)), ["1 NG "]);
    starts(
        &bench.says(0, &"x".repeat(5000)),
        &["0 NG ", "1 WON:", "0 LST:"],
    );
}

#[test]
fn a_refused_move_may_cost_nothing_but_its_time() {
    let mut bench = Bench::begun(GameSettings {
        ng_terminates: false,
        ..settings()
    });
    bench.pass(1000 * MS);
    assert_eq!(bench.says(0, "MOV:A,S\r\n"), ["0 NG "]);
    bench.pass(2000 * MS);
    assert_eq!(bench.says(0, "hello\r\n"), ["0 NG "]);
    starts(&bench.pass(500 * MS), &["1 WON:", "0 LST:"]);
    assert_eq!(bench.result().kinds, [EndKind::Timeout, EndKind::Normal]);
}

#[test]
fn a_move_out_of_turn_is_refused_and_the_game_goes_on() {
    let mut bench = Bench::begun(settings());
    assert_eq!(bench.says(1, "MOV:A,N\r\n"), ["1 NG "]);
    starts(&bench.says(0, "MOV:A,N\r\n"), &["0 OK ", "1 MOV?"]);
    for _ in 0..1000 {
        assert_eq!(bench.says(0, "MOV:A,N\r\n"), ["0 NG "]);
    }
    let refused = |what: &&What| matches!(what, What::Refused { .. });
    assert_eq!(bench.events().into_iter().filter(refused).count(), 101);
    starts(&bench.says(1, "MOV:A,N\r\n"), &["1 OK ", "0 MOV?"]);
}

#[test]
fn the_budget_is_used_first_and_then_each_move_has_its_own_time() {
    let mut bench = Bench::begun(settings());
    assert_eq!(bench.pass(3499 * MS), [""; 0]);
    starts(&bench.says(0, "MOV:A,N\r\n"), &["0 OK ", "1 MOV?"]);
    starts(&bench.says(1, "MOV:A,N\r\n"), &["1 OK ", "0 MOV?"]);
    assert_eq!(bench.pass(499 * MS), [""; 0]);
    starts(&bench.says(0, "MOV:B,N\r\n"), &["0 OK ", "1 MOV?"]);
    // The other clock has stood still.
    assert_eq!(bench.pass(3400 * MS), [""; 0]);
    starts(&bench.says(1, "MOV:B,N\r\n"), &["1 OK ", "0 MOV?"]);
    starts(&bench.pass(500 * MS), &["1 WON:", "0 LST:"]);
    assert_eq!(bench.result().kinds, [EndKind::Timeout, EndKind::Normal]);
    let times: Vec<_> = bench
        .events()
        .iter()
        .filter_map(|what| match what {
            What::Move { used, left, .. } => Some((used.unwrap(), left.unwrap())),
            _ => None,
        })
        .collect();
    assert_eq!(times, [(3499, 0), (0, 3000), (499, 0), (3400, 0)]);
}

#[test]
fn half_a_line_is_no_move_in_time() {
    let mut bench = Bench::begun(settings());
    bench.says(0, "MOV:A,N\r");
    starts(&bench.pass(3500 * MS), &["1 WON:", "0 LST:"]);
}

#[test]
fn leaving_loses_with_the_whole_board() {
    let mut bench = Bench::begun(settings());
    let sent = bench.leaves(0);
    starts(&sent, &["1 WON:", "0 LST:"]);
    assert_eq!(
        &sent[0][2..],
        "WON:14R24R34R44R15B25B35B45B41r31r21r11r40b30b20b10b"
    );
    assert_eq!(
        bench.end(),
        (vec![1, 0], vec![EndKind::Disconnect, EndKind::Normal], None)
    );
    assert_eq!(bench.leaves(1), [""; 0]);
    assert_eq!(bench.result().winner, Some(Player::new(1)));
}

#[test]
fn the_player_that_stays_wins_at_once() {
    let mut bench = Bench::new(settings());
    starts(&bench.leaves(0), &["1 WON:", "0 LST:"]);
    assert_eq!(bench.result().kinds, [EndKind::Disconnect, EndKind::Normal]);
    assert_eq!(bench.says(1, "SET:ABCD\r\n"), [""; 0]);
    assert_eq!(bench.leaves(1), [""; 0]);
    assert_eq!(bench.result().winner, Some(Player::new(1)));

    let mut bench = Bench::new(settings());
    bench.says(1, "SET:ABCD\r\n");
    starts(&bench.leaves(0), &["1 WON:", "0 LST:"]);
}

#[test]
fn a_game_that_nobody_set_up_is_void() {
    let mut bench = Bench::new(settings());
    bench.pass(1000 * MS);
    assert!(bench.result().is_void());
    assert_eq!(bench.closed(), [0, 1]);
}

#[test]
fn who_does_not_set_up_in_time_has_lost() {
    let mut bench = Bench::new(settings());
    bench.says(0, "SET:ABCD\r\n");
    assert_eq!(bench.pass(999 * MS), [""; 0]);
    starts(&bench.pass(MS), &["0 WON:", "1 LST:"]);
    assert_eq!(bench.result().kinds, [EndKind::Normal, EndKind::Stall]);
    let mut bench = Bench::new(GameSettings {
        set_up: None,
        ..settings()
    });
    bench.says(0, "SET:ABCD\r\n");
    assert_eq!(bench.pass(1_000_000_000 * MS), [""; 0]);
    starts(&bench.says(1, "SET:ABCD\r\n"), &["1 OK ", "0 MOV?"]);
}

#[test]
fn a_stopped_game_is_void() {
    let mut bench = Bench::begun(settings());
    bench.says(0, "MOV:A,N\r\n");
    bench.referee.stop(bench.now, &mut bench.out);
    assert!(bench.result().is_void() && bench.referee.is_over());
    assert_eq!(bench.closed(), [0, 1]);
    assert_eq!(bench.end().0, [0_u8; 0]);
}
