//! The Geister server as a service: its settings, its files, its end.

use std::fs;
use std::process::{Command, Stdio};

use end_to_end::gat::{Host, Wire, ends, leave};
use end_to_end::programs;
use end_to_end::run::{listening, signal};
use record::{EndKind, Record};

#[test]
fn a_request_to_end_makes_games_void_and_closes_all_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let older = "an older record\n";
    fs::write(folder.path().join("r.jsonl"), older).expect("a file");
    let mut child = Command::new(programs::taikyoku())
        .args(["serve", "geister", "--records", "r.jsonl", "--log", "log"])
        .args(["--ports", "0,0"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let ports = listening(&mut child, 2);
    let mut wires = [ports[0], ports[1]].map(Wire::to);
    for wire in &mut wires {
        wire.expect_line("SET?");
        wire.say("SET:ABCD");
        wire.expect_line("OK ");
    }
    wires[0].expect("MOV?");
    signal(&child, "TERM");
    for wire in wires {
        let (_, clean) = wire.close_after_server();
        assert!(clean);
    }
    let code = child.wait().expect("a child").code();
    assert!(code.is_some_and(|code| code != 0), "not by the signal");
    // The record went beside the older one, and is whole.
    let kept = fs::read_to_string(folder.path().join("r.jsonl")).expect("the older record");
    assert_eq!(kept, older);
    let record = Record::open(&folder.path().join("r-2.jsonl")).expect("a record");
    let ends = ends(&record);
    assert_eq!(ends.len(), 1);
    assert_eq!(ends[0].kinds, [EndKind::Void; 2]);
    // A game that does not count has no official log.
    let logs = fs::read_dir(folder.path().join("log")).expect("a folder");
    assert_eq!(logs.count(), 0);
}

/// A player that never moves in time ends the match.
#[test]
fn a_match_ends_when_a_player_is_late_again_and_again() {
    let clocks = "--timeouts 2 --budget-ms 0 --move-ms 300";
    let host = Host::start(&format!("--once --games 9 --json --no-swap {clocks}"));
    for _ in 0..2 {
        let [mut first, mut second] = host.seat();
        first.expect("MOV?");
        second.expect("WON:");
        let _ = first.close();
        let _ = second.close();
    }
    let finished = host.server.finish();
    assert_eq!(finished.json()["games"], 2);
    let reason = finished.json()["reason"].as_str().map(str::to_owned);
    assert!(reason.is_some_and(|reason| reason.contains("out of time")));
    assert_eq!(finished.status.code(), Some(130));
}

#[test]
fn names_are_taken_where_the_server_says_so() {
    let host = Host::start("--games 2 --no-swap --client-names");
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
