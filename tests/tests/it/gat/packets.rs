//! Lines in any packets, names, and the pieces in which the server writes.

use std::collections::BTreeSet;

use end_to_end::gat::{Fault, Host, Phase, Player, Script, Wire, leave};
use end_to_end::relay::Relay;
use record::EndKind;

fn host(options: &[&str]) -> Host {
    let mut all = vec!["--games", "1000", "--no-swap"];
    all.extend(options);
    Host::start(&all)
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
        wire.say(&format!("SET:{set}"));
        wire.expect_line("OK ");
    }
    players[0].expect("MOV?");
    leave(players);
    host.wait_for_ends(1);
    let record = &host.server.records()[0];
    let names = record.header.players.iter().map(|player| &player.name[..]);
    assert_eq!(names.collect::<Vec<_>>(), ["foo_1", "player 1"]);
}
