//! How clients of Geister may write, over TCP: every accepted spelling, lines in any packets, names; and the
//! pieces in which the server writes.

use std::collections::BTreeSet;

use end_to_end::gat::{Fault, Host, Phase, Player, Script, Wire, leave};
use end_to_end::relay::Relay;
use record::{EndKind, What};

const START: &str = "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u";

fn host(options: &[&str]) -> Host {
    let mut all = vec!["--games", "1000", "--no-swap"];
    all.extend(options);
    Host::start(&all)
}

#[test]
fn every_spelling_is_understood() {
    let host = host(&[]);
    for set in ["ABCD", "DCBA", "dcba", "aBcD"] {
        let mut players = host.ports.map(Wire::to);
        for wire in &mut players {
            wire.expect_line("SET?");
            wire.say(&format!("SET:{set}"));
            wire.expect_line("OK ");
        }
        // There and back again, so that nothing is captured.
        let there = ["A,N", "A,north", "a,North", "Axyz,N", "ABCD,n"];
        let back = ["A,S", "a,SOUTH", "A,south", "A1_,s", "aH,S"];
        for (there, back) in there.into_iter().zip(back) {
            for mv in [there, back] {
                for wire in &mut players {
                    wire.expect("MOV?");
                    wire.say(&format!("MOV:{mv}"));
                    wire.expect_line("OK ");
                }
            }
        }
        assert_eq!(players[0].expect("MOV?"), START);
        for mv in ["A,W", "A,EAST", "A,west", "A,e"] {
            players[0].say(&format!("MOV:{mv}"));
            players[0].expect_line("OK ");
            players[1].expect("MOV?");
            players[1].say(&format!("MOV:{mv}"));
            players[1].expect_line("OK ");
            players[0].expect("MOV?");
        }
        leave(players);
    }
}

#[test]
fn both_spellings_of_the_escape_win() {
    for escape in ["D,E", "D,N"] {
        let host = host(&[]);
        let mut players = host.ports.map(Wire::to);
        for (wire, set) in players.iter_mut().zip(["ABCE", "ABCD"]) {
            wire.expect_line("SET?");
            wire.say(&format!("SET:{set}"));
            wire.expect_line("OK ");
        }
        let [first, second] = &mut players;
        let own = ["D,E", "D,N", "D,N", "D,N", "D,N"];
        let other = ["D,E", "D,W", "D,E", "D,W", "D,E"];
        for (mv, answer) in own.into_iter().zip(other) {
            for (wire, mv) in [(&mut *first, mv), (&mut *second, answer)] {
                wire.expect("MOV?");
                wire.say(&format!("MOV:{mv}"));
                wire.expect_line("OK ");
            }
        }
        first.expect("MOV?");
        first.say(&format!("MOV:{escape}"));
        first.expect_line("OK ");
        let board = first.expect("WON:");
        assert_eq!(&board[9..12], "88b", "{board}");
        let board = second.expect("LST:");
        assert_eq!(&board[33..36], "88b", "{board}");
        let end = host.wait_for_ends(1).remove(0);
        assert_eq!((end.winner, end.plies), (Some(0), 11));
        assert_eq!(end.rule.as_deref(), Some("escape"));
    }
}

#[test]
fn only_both_bytes_together_end_a_line() {
    let host = host(&[]);
    let mut players = host.ports.map(Wire::to);
    for wire in &mut players {
        wire.expect_line("SET?");
        // Neither LF nor CR alone: there would be another answer first.
        for part in [&b"SET:ABCD\n"[..], b"SET:ABCD\r"] {
            wire.send_alone(part);
        }
        wire.send(b"\n").unwrap();
        wire.expect_line("NG ");
        // CR and LF in two packets.
        wire.send_alone(b"SET:ABCD\r");
        wire.send(b"\n").unwrap();
        wire.expect_line("OK ");
    }
    players[0].expect("MOV?");
    leave(players);
}

#[test]
fn two_commands_in_one_packet_are_two_commands() {
    let host = host(&[]);
    let mut players = host.ports.map(Wire::to);
    for wire in &mut players {
        wire.expect_line("SET?");
        wire.send(b"SET:AAAA\r\nSET:ABCD\r\nSET:ABCD\r\n\r\n")
            .unwrap();
        for answer in ["NG ", "OK ", "NG ", "NG "] {
            wire.expect_line(answer);
        }
    }
    for seat in [0, 1, 0] {
        players[seat].expect("MOV?");
        players[seat].send(b"MOV:A,N\r\nMOV:A,N\r\n").unwrap();
        players[seat].expect_line("OK ");
        players[seat].expect_line("NG ");
    }
    players[1].expect("MOV?");
    leave(players);
    assert_eq!(host.wait_for_ends(1)[0].plies, 3);
}

#[test]
fn the_cut_of_the_packets_makes_no_difference() {
    let host = host(&["--ply-limit", "60"]);
    let honest = [Player::honest(5), Player::honest(6)];
    let fragments = honest.clone().map(|player| Player {
        script: Some(Script::first(Phase::Connected, Fault::Fragments)),
        ..player
    });
    let (whole, single) = (host.play(&honest), host.play(&fragments));
    assert!(whole.iter().all(|o| o.finished), "{whole:?}");
    assert_eq!(whole, single, "all players receive the same lines");

    // Every move twice: the second of each is refused, and the game is the same. Not the placements: that of the first player
    // may be the last to come, and its second one is then an answer to `MOV?`, which loses.
    let twice = honest.clone().map(|player| Player {
        script: Some(Script::first(Phase::Placed, Fault::Twice)),
        ..player
    });
    let twice = host.play(&twice);
    for (outcome, whole) in twice.iter().zip(&whole) {
        let mut lines = outcome.lines.clone();
        lines.retain(|line| line != "NG ");
        assert_eq!(lines, whole.lines);
        assert!(outcome.refused() > 0);
    }
    assert!(
        host.wait_for_ends(3)
            .iter()
            .all(|end| end.kinds == [EndKind::Normal; 2])
    );
}

#[test]
fn no_message_comes_in_two_pieces() {
    let mut host = host(&["--ply-limit", "40"]);
    let relays = host.ports.map(Relay::to);
    host.ports = relays.each_ref().map(|relay| relay.port);
    let outcomes = host.play(&[Player::honest(5), Player::honest(6)]);
    for (outcome, relay) in outcomes.iter().zip(&relays) {
        assert!(outcome.finished, "{outcome:?}");
        let ends = |lengths: Vec<usize>| {
            let ends = lengths.into_iter().scan(0, |sum, length| {
                *sum += length;
                Some(*sum)
            });
            ends.collect::<BTreeSet<usize>>()
        };
        let lines = outcome.lines.iter().map(|line| line.len() + 2);
        let (lines, pieces) = (ends(lines.collect()), ends(relay.pieces()));
        assert_eq!(pieces.last(), lines.last(), "all comes through the relay");
        // A relay that is late reads two messages as one piece.
        assert!(pieces.is_subset(&lines), "{pieces:?} {lines:?}");
    }
}

#[test]
fn names_are_taken_where_the_server_says_so() {
    let host = host(&["--client-names"]);
    let mut players = host.ports.map(Wire::to);
    for (wire, set) in players.iter_mut().zip(["ABCD,NAME:foo_1", "EFGH"]) {
        wire.expect_line("SET?");
        for bad in [
            "ABCD,NAME:a-b",
            "ABCD,name:foo",
            "ABCD,NAME",
            "ABCD,NAME:a,b",
        ] {
            wire.say(&format!("SET:{bad}"));
            wire.expect_line("NG ");
        }
        wire.say(&format!("SET:{set}"));
        wire.expect_line("OK ");
    }
    players[0].expect("MOV?");
    leave(players);
    host.wait_for_ends(1);
    let record = &host.server.records()[0];
    let names = record.header.players.iter().map(|player| &player.name[..]);
    assert_eq!(names.collect::<Vec<_>>(), ["foo_1", "player 1"]);
    let setups: Vec<(u8, &str, Option<&str>)> = record
        .events
        .iter()
        .filter_map(|event| match &event.what {
            What::Setup {
                player,
                setup,
                name,
            } => Some((*player, setup.as_str(), name.as_deref())),
            _ => None,
        })
        .collect();
    assert_eq!(setups, [(0, "ABCD", Some("foo_1")), (1, "EFGH", None)]);
}
