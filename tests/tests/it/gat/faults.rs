//! Players of Geister that misbehave: the other gets its result, the record tells why, the table is
//! free for the next game.

use std::sync::mpsc;

use end_to_end::gat::{Fault, Host, Outcome, Phase, Player, Script, Wire, leave, reasons};
use end_to_end::patience::outcome;
use record::EndKind;

/// Long enough for honest players on a machine that does much else.
const SHORT: [&str; 6] = [
    "--budget-ms",
    "0",
    "--move-ms",
    "1000",
    "--seat-timeout-ms",
    "1000",
];

/// Many games of one match, each in its turn.
fn host(options: &[&str]) -> Host {
    let mut all = vec!["--games", "1000"];
    all.extend(options);
    Host::start(&all)
}

fn assert_won(outcome: &Outcome) {
    assert!(outcome.finished && outcome.error.is_none(), "{outcome:?}");
    assert_eq!(outcome.result.as_deref(), Some("WON:"), "{outcome:?}");
    let board = outcome.lines.last().expect("lines");
    assert!(!board.contains('u'), "all colours are shown: {board}");
    assert_eq!(outcome.refused(), 0, "{outcome:?}");
}

/// Plays a game with a culprit, who comes last, and then one between honest players. Gives what the
/// culprit saw, after checking all else; `kind` is how the game ended for it.
fn game_with(
    host: &Host,
    games: &mut usize,
    culprit: usize,
    script: Script,
    kind: EndKind,
) -> Outcome {
    let mut players = [Player::honest(1), Player::honest(2)];
    players[culprit] = Player::with(script);
    let mut outcomes = host.play_after(1 - culprit, &players);
    let honest = &outcomes[1 - culprit];
    if kind == EndKind::Normal {
        assert!(
            honest.finished && honest.result.is_some(),
            "{script:?} {honest:?}"
        );
    } else {
        assert_won(honest);
    }
    let next = host.play(&[Player::honest(3), Player::honest(4)]);
    assert!(
        next.iter().all(|o| o.finished && o.refused() == 0),
        "{next:?}"
    );

    *games += 2;
    let ends = host.wait_for_ends(*games);
    assert_eq!(ends.len(), *games, "{script:?}: {ends:?}");
    let [first, second] = &ends[ends.len() - 2..] else {
        unreachable!("two games were played");
    };
    assert_eq!(second.kinds, [EndKind::Normal; 2]);
    assert!(second.rule.is_some());
    assert_eq!(first.kinds[1 - culprit], EndKind::Normal);
    assert_eq!(first.kinds[culprit], kind, "{script:?}");
    if kind == EndKind::Normal {
        assert!(first.rule.is_some());
    } else {
        assert_eq!(first.winner, Some(1 - culprit as u8), "{script:?}");
        assert_eq!(first.rule, None);
        let record = &host.server.records()[0];
        let last = reasons(record).pop().expect("a reason");
        assert_eq!((last.0, last.1), (culprit as u8, Some(kind)), "{}", last.2);
    }
    outcomes.swap(0, culprit);
    outcomes.into_iter().next().expect("two players")
}

/// One of each kind: what each costs in every phase is a matter of the referee.
#[test]
fn a_player_that_leaves_loses_its_game_only() {
    let host = host(&[]);
    let mut games = 0;
    for (phase, fault, culprit, kind) in [
        (Phase::Connected, Fault::Half, 1, EndKind::Disconnect),
        (Phase::Placed, Fault::Reset, 0, EndKind::Disconnect),
        (Phase::Turn, Fault::Leave, 1, EndKind::Disconnect),
        (Phase::Waiting, Fault::Reset, 0, EndKind::Disconnect),
        (Phase::Ended, Fault::Leave, 1, EndKind::Normal),
    ] {
        let script = Script::first(phase, fault);
        game_with(&host, &mut games, culprit, script, kind);
    }
}

#[test]
fn a_client_that_leaves_before_its_game_takes_no_seat() {
    let host = host(&[]);
    for (phase, fault) in [
        (Phase::Connected, Fault::Leave),
        (Phase::Placed, Fault::Reset),
    ] {
        let (greeted, _wait) = mpsc::channel();
        let culprit = Player::with(Script::first(phase, fault));
        let outcome = culprit.play(host.ports[1], &greeted).expect("a connection");
        assert_eq!(outcome.error, None);
    }
    // A reset and a close are seen before a connection that comes later.
    let outcomes = host.play(&[Player::honest(1), Player::honest(2)]);
    assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
    let ends = host.wait_for_ends(1);
    assert_eq!(ends.len(), 1);
    assert_eq!(ends[0].kinds, [EndKind::Normal; 2]);
}

#[test]
fn a_silent_player_is_given_up() {
    let host = host(&SHORT);
    let mut games = 0;
    for (phase, culprit, kind) in [
        (Phase::Asked, 1, EndKind::Stall),
        (Phase::Turn, 0, EndKind::Timeout),
    ] {
        let script = Script::first(phase, Fault::Silence);
        let outcome = game_with(&host, &mut games, culprit, script, kind);
        assert_eq!(outcome.result.as_deref(), Some("LST:"), "{outcome:?}");
    }
}

#[test]
fn a_game_that_nobody_sets_up_does_not_count() {
    let host = host(&SHORT);
    let mut wires = host.ports.map(Wire::to);
    for wire in &mut wires {
        wire.expect_line("SET?");
    }
    for wire in wires {
        let (received, clean) = wire.close_after_server();
        assert!(clean && received == b"SET?\r\n", "{received:?}");
    }
    let next = host.play(&[Player::honest(3), Player::honest(4)]);
    assert!(next.iter().all(|o| o.finished), "{next:?}");
    let ends = host.wait_for_ends(2);
    assert_eq!(ends[0].kinds, [EndKind::Void; 2]);
    assert_eq!(ends[1].kinds, [EndKind::Normal; 2]);
    assert_eq!(ends[0].game, ends[1].game, "it is played again");
}

#[test]
fn a_flood_costs_the_game_and_nothing_else() {
    let host = host(&[]);
    let mut games = 0;
    for (phase, line, kind) in [
        // Not one of the answers is read.
        (Phase::Asked, &b"SET:AAAA\r\n"[..], EndKind::Disconnect),
        (Phase::Turn, b"\r\n", EndKind::ProtocolError),
    ] {
        let script = Script::first(phase, Fault::Flood(line));
        game_with(&host, &mut games, 0, script, kind);
    }
    let record = &host.server.records()[0];
    let reasons = reasons(record);
    assert!(reasons.iter().any(|(_, _, r)| r.contains("unread")));
    assert!(reasons.len() < 1_000, "the record is not flooded");
}

#[test]
fn a_flood_before_a_game_keeps_nobody_out() {
    let host = host(&[]);
    let culprit = Player::with(Script::first(Phase::Asked, Fault::Flood(b"SET:AAAA\r\n")));
    let (greeted, _wait) = mpsc::channel();
    let outcome = culprit.play(host.ports[0], &greeted).expect("a connection");
    assert!(outcome.error.is_some(), "it is cut off");
    let outcomes = host.play(&[Player::honest(1), Player::honest(2)]);
    assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
    assert_eq!(host.wait_for_ends(1)[0].kinds, [EndKind::Normal; 2]);
}

#[test]
fn other_tables_are_untouched() {
    let mut options = vec!["--tables", "2"];
    options.extend(SHORT);
    let host = host(&options);
    let slow = |seed| Player {
        script: Some(Script::first(Phase::Turn, Fault::Sleep(40))),
        ..Player::honest(seed)
    };
    // 200 plies at most.
    let quiet = host.sit_after(0, &[slow(11), slow(12)]);
    for (fault, phase) in [
        (Fault::Leave, Phase::Placed),
        (Fault::Reset, Phase::Turn),
        (Fault::Flood(b"\r\n"), Phase::Turn),
        (Fault::Silence, Phase::Turn),
    ] {
        let culprit = Player::with(Script::first(phase, fault));
        let outcomes = host.play_after(0, &[Player::honest(1), culprit]);
        assert_won(&outcomes[0]);
    }
    for outcome in quiet.map(outcome) {
        assert!(outcome.finished && outcome.refused() == 0, "{outcome:?}");
    }
    let ends = host.wait_for_ends(5);
    let normal = ends.iter().filter(|end| end.kinds == [EndKind::Normal; 2]);
    assert_eq!(normal.count(), 1);
}

/// With and without an opponent.
#[test]
fn what_is_refused_may_be_tried_again() {
    let host = host(&["--no-swap", "--no-ng-terminate"]);
    let mut alone = Wire::to(host.ports[0]);
    let (mut waits, mut second) = (Wire::to(host.ports[0]), Wire::to(host.ports[1]));
    for wire in [&mut alone, &mut waits, &mut second] {
        wire.expect_line("SET?");
        for line in ["SET:AAAA", "MOV:A,N", "SET:ABCD,NAME:foo"] {
            wire.say(line);
            wire.expect_line("NG ");
        }
        wire.say("SET:DCBA");
        wire.expect_line("OK ");
    }
    // The first that came is the one that plays.
    alone.expect("MOV?");
    alone.say("MOV:E,S");
    alone.expect_line("NG ");
    alone.say("MOV:A,N");
    alone.expect_line("OK ");
    second.expect("MOV?");
    leave([alone, second]);
    let _ = waits.close();
    host.wait_for_ends(1);
    let refused = reasons(&host.server.records()[0]).into_iter();
    let refused = refused.filter(|(_, lost, _)| lost.is_none());
    assert_eq!(refused.count(), 3 + 3 + 1);
}

#[test]
fn a_third_client_waits_for_the_next_game() {
    let host = host(&[]);
    let mut players = host.seat();
    let mut third = Wire::to(host.ports[0]);
    third.expect_line("SET?");
    third.say("SET:EFGH");
    third.expect_line("OK ");
    players[0].expect("MOV?");
    players[0].say("MOV:A,N");
    players[0].expect_line("OK ");
    players[1].expect("MOV?");
    // Player 1 leaves and comes back: it is the third client's opponent.
    let [one, two] = players;
    let _ = two.close();
    let (received, clean) = one.close_after_server();
    assert!(clean && received.ends_with(b"\r\n"));
    let mut back = Wire::to(host.ports[1]);
    back.expect_line("SET?");
    back.say("SET:ABCD");
    back.expect_line("OK ");
    // The seats have changed: player 1 moves first.
    let board = back.expect("MOV?");
    assert_eq!(board, "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u");
    // The third client hears of its own game alone, however long it waits.
    let _ = back.close();
    let board = third.expect("WON:");
    assert_eq!(board, "14B24B34B44B15R25R35R45R41r31r21r11r40b30b20b10b");
    let ends = host.wait_for_ends(2);
    assert_eq!((ends[0].first, ends[1].first), (0, 1));
    assert_eq!((ends[0].winner, ends[1].winner), (Some(0), Some(0)));
}

#[test]
fn who_finds_no_place_in_the_queue_is_turned_away_cleanly() {
    let host = host(&["--queue", "2"]);
    let mut waiting = [0; 2].map(|_| Wire::to(host.ports[0]));
    // One that has not set up would be let go for the next.
    for wire in &mut waiting {
        wire.expect_line("SET?");
        wire.say("SET:ABCD");
        wire.expect_line("OK ");
    }
    let (received, clean) = Wire::to(host.ports[0]).close_after_server();
    assert!(clean && received.is_empty(), "{received:?}");
    // The place of one who leaves is free again.
    let [first, second] = waiting;
    let _ = first.close();
    let mut third = Wire::to(host.ports[0]);
    third.expect_line("SET?");
    let _ = (second.close(), third.close());
}

#[test]
fn the_strict_mode_leaves_it_to_the_players_to_close() {
    let host = host(&["--strict"]);
    let [mut first, mut second] = host.seat();
    first.expect("MOV?");
    first.say("MOV:E,S");
    first.expect_line("NG ");
    first.expect("LST:");
    second.expect("WON:");
    // The next players need not wait for that.
    let next = host.play(&[Player::honest(1), Player::honest(2)]);
    assert!(next.iter().all(|o| o.finished), "{next:?}");
    for mut wire in [first, second] {
        assert!(wire.is_quiet(), "the server has closed");
        let (_, clean) = wire.close();
        assert!(clean);
    }
}
