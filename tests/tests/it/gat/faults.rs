//! Players of Geister that misbehave: the other gets its result, the record tells why, the table is
//! free for the next game. What each fault costs in each phase is a matter of the referee.

use end_to_end::gat::{Fault, Host, Outcome, Phase, Player, Script, Wire};
use end_to_end::run::reasons;
use record::EndKind;

/// Many games of one match, each in its turn; the limit is long enough for honest players on a machine that does much else.
fn host(options: &str) -> Host {
    Host::start(&format!(
        "--games 1000 --budget-ms 0 --move-ms 3000 {options}"
    ))
}

fn assert_won(outcome: &Outcome) {
    assert!(outcome.finished && outcome.error.is_none(), "{outcome:?}");
    assert_eq!(outcome.result.as_deref(), Some("WON:"), "{outcome:?}");
    let board = outcome.lines.last().expect("lines");
    assert!(!board.contains('u'), "all colours are shown: {board}");
    assert_eq!(outcome.refused(), 0, "{outcome:?}");
}

#[test]
fn a_fault_costs_its_game_only() {
    let host = host("");
    let mut games = 0;
    for (phase, fault, culprit, kind) in [
        (Phase::Connected, Fault::Half, 1, EndKind::Disconnect),
        (Phase::Waiting, Fault::Reset, 0, EndKind::Disconnect),
        (Phase::Turn, Fault::Silence, 0, EndKind::Timeout),
        (Phase::Ended, Fault::Leave, 1, EndKind::Normal),
        // Not one of the answers is read.
        (
            Phase::Asked,
            Fault::Flood(b"SET:AAAA\r\n"),
            0,
            EndKind::Disconnect,
        ),
        (
            Phase::Turn,
            Fault::Flood(b"\r\n"),
            0,
            EndKind::ProtocolError,
        ),
    ] {
        // The culprit comes last.
        let script = Script::first(phase, fault);
        let mut players = [Player::honest(1), Player::honest(2)];
        players[culprit] = Player::with(script);
        let outcomes = host.play_after(1 - culprit, &players);
        let honest = &outcomes[1 - culprit];
        let is_normal = kind == EndKind::Normal;
        if is_normal {
            assert!(honest.finished && honest.result.is_some(), "{honest:?}");
        } else {
            assert_won(honest);
        }
        let next = host.play(&[Player::honest(3), Player::honest(4)]);
        let is_good = |o: &Outcome| o.finished && o.refused() == 0;
        assert!(next.iter().all(is_good), "{next:?}");

        games += 2;
        let ends = host.wait_for_ends(games);
        assert_eq!(ends.len(), games, "{script:?}: {ends:?}");
        let [first, second] = &ends[games - 2..] else {
            unreachable!("two games were played");
        };
        assert_eq!(second.kinds, [EndKind::Normal; 2]);
        assert_eq!(first.kinds[1 - culprit], EndKind::Normal);
        assert_eq!(first.kinds[culprit], kind, "{script:?}");
        assert!(second.rule.is_some() && first.rule.is_some() == is_normal);
        if !is_normal {
            assert_eq!(first.winner, Some(1 - culprit as u8), "{script:?}");
            let last = reasons(&host.server.records()[0]).pop();
            let last = last.expect("a reason");
            assert_eq!((last.0, last.1), (culprit as u8, Some(kind)), "{}", last.2);
        }
    }
    let reasons = reasons(&host.server.records()[0]);
    assert!(reasons.iter().any(|(_, _, r)| r.contains("unread")));
    assert!(reasons.len() < 1_000, "the record is not flooded");
}

#[test]
fn who_finds_no_place_in_the_queue_is_turned_away_cleanly() {
    let host = host("--queue 1");
    // One that has not set up would be let go for the next.
    let mut waiting = Wire::to(host.ports[0]);
    waiting.expect_line("SET?");
    waiting.say("SET:ABCD");
    waiting.expect_line("OK ");
    let (received, clean) = Wire::to(host.ports[0]).close_after_server();
    assert!(clean && received.is_empty(), "{received:?}");
    // The place of one who leaves is free again.
    let _ = waiting.close();
    Wire::to(host.ports[0]).expect_line("SET?");
}

#[test]
fn the_strict_mode_leaves_it_to_the_players_to_close() {
    let host = host("--strict");
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
