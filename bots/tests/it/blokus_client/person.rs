//! A person's lines.

use super::play_against;
use super::server::{OPENING, open, out, over, result};

#[test]
fn a_person_plays_with_help_and_errors() {
    let lines = format!("help\n\nb9,z1\n{}\nc3\nlegal\nC17\n", OPENING[0]);
    let (summary, out) = play_against("--engine human --name ana", &lines, |server| {
        open(server, 0, 4);
        server.ask(1, 4);
        assert_eq!(server.hear_move(), (Some(4), "c17".to_owned()));
        server.moved(2, 4, 0, "c17");
        server.tell(&[out(3, 1, "timeout"), result(&[2, 1, 4, 3], &[0; 4]), over()]);
    });
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
    let (summary, _) = play_against("--engine human --name ana", "resign\n", |server| {
        open(server, 0, 4);
        server.ask(1, 4);
        assert_eq!(server.hear()["type"], "resign");
        // The input is at its end, and the same request crosses the resignation.
        server.ask(1, 4);
        assert!(server.hears_nothing());
        server.tell(&[out(2, 0, "resign"), result(&[4, 1, 2, 3], &[0; 4]), over()]);
    });
    assert!(summary.is_ok());
}
