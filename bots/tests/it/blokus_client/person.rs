//! A person's lines.

use super::play;
use super::server::{OPENING, open, out, over, result, welcome};
use crate::native_server::Script;

#[test]
fn a_person_plays_with_help_and_errors() {
    let mut script = Script::start(|server| {
        open(server, 0, 4);
        server.ask(1, 4);
        assert_eq!(server.hear_move(), (Some(4), "c17".to_owned()));
        server.moved(2, 4, 0, "c17");
        server.tell(&[out(3, 1, "timeout"), result(&[2, 1, 4, 3], &[0; 4]), over()]);
    });
    let lines = format!("help\n\nb9,z1\n{}\nc3\nlegal\nC17\n", OPENING[0]);
    let (summary, out) = play(script.port, "--engine human --name ana", &lines);
    script.finish();
    assert!(summary.is_ok());
    for due in [
        "The first piece covers your corner",
        "`z1` is not a square",
        "has placed its piece",
        "touches no other piece of blue",
        "me is blue, bo is yellow, cy is red, di is green",
        "Your move (blue, 5.0 s left):",
        "bo is out (timeout).",
        "Your place is 2 (no-moves).",
        "*blue: 5",
    ] {
        assert!(out.contains(due), "{due} is not in\n{out}");
    }
}

#[test]
fn who_has_resigned_stays_for_the_rest_of_the_match() {
    let mut script = Script::start(|server| {
        open(server, 0, 4);
        server.ask(1, 4);
        assert_eq!(server.hear()["type"], "resign");
        // The input is at its end, and the same request crosses the resignation.
        server.ask(1, 4);
        assert!(server.hears_nothing());
        server.tell(&[out(2, 0, "resign"), result(&[4, 1, 2, 3], &[0; 4]), over()]);
    });
    let (summary, _) = play(script.port, "--engine human --name ana", "resign\n");
    script.finish();
    assert!(summary.is_ok());
}

#[test]
fn who_quits_while_waiting_for_the_others_is_gone() {
    let mut script = Script::start(|server| {
        server.hear();
        server.tell(&[welcome(false)]);
        assert_eq!(server.hear()["type"], "leave");
        server.close();
    });
    let (summary, out) = play(script.port, "--engine human", "quit\n");
    script.finish();
    let summary = summary.expect("left");
    assert_eq!(summary.reconnected, 0);
    assert_eq!(summary.reason.as_deref(), Some("the player has left"));
    assert!(out.contains("Waiting for the others"), "{out}");
}
