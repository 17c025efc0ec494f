//! Names, and the pieces in which the server writes.

use std::collections::BTreeSet;

use end_to_end::gat::{Host, Player, Wire, leave};
use end_to_end::relay::Relay;

fn host(options: &str) -> Host {
    Host::start(&format!("--games 1000 --no-swap {options}"))
}

#[test]
fn no_message_comes_in_two_pieces() {
    let mut host = host("--ply-limit 40");
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
    let host = host("--client-names");
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
