//! A person's lines.

use super::server::{open, view};
use super::{over, play_against, result};

#[test]
fn a_person_plays_with_help_and_errors() {
    let lines = "help\n\nb9\nmove b2\na1\nlegal\n0\n16\nB2\nboard\n2\nresign\n";
    let (summary, out) = play_against("--engine human --name ana", lines, |server| {
        open(server, 0, "a1a1a1a1");
        server.ask(1, 4);
        assert_eq!(server.hear_move(), (Some(4), "b2".to_owned()));
        server.moved(2, 4, 0, "b2");
        server.moved(3, 5, 1, "c3");
        server.ask(1, 6);
        assert_eq!(server.hear_move(), (Some(6), "c1".to_owned()));
        server.moved(4, 6, 0, "c1");
        assert_eq!(server.hear()["type"], "resign");
        // The input is at its end, but nothing is asked: the person does not leave.
        assert!(server.hears_nothing());
        server.tell(&[result(&[2, 1], "resign"), over()]);
    });
    assert_eq!(summary.expect("a match").counts.total().counts(), [0, 0, 1]);
    for due in [
        "drop a ball on the peg",
        "`b9` is not a peg",
        "`move b2` is not a peg",
        "a1: the peg is full",
        " 1 b1    2 c1    3 d1    4 a2",
        "The legal moves have the numbers 1 to 15.",
        "Game 1 of 1: me is x, bo\\u001b[31m is o.",
        "Your move (x, 5.0 s left):",
        "bo\\u001b[31m plays c3.",
        "   level 1   level 2   level 3   level 4",
        "You have lost (resign).",
        "The match is over: me 1, bo\\u001b[31m 0.",
    ] {
        assert!(out.contains(due), "{due} is not in\n{out}");
    }
    assert!(!out.contains('\u{1b}'), "{out}");
}

#[test]
fn pegs_may_be_typed_before_the_turn() {
    let (summary, _) = play_against("--engine human", "d4\nd3\n", |server| {
        open(server, 1, "");
        server.moved(2, 0, 0, "a1");
        server.ask(1, 1);
        assert_eq!(server.hear_move(), (Some(1), "d4".to_owned()));
        server.moved(3, 1, 1, "d4");
        server.moved(4, 2, 0, "a1");
        server.ask(1, 3);
        assert_eq!(server.hear_move(), (Some(3), "d3".to_owned()));
        server.tell(&[view(1, 5, "a1d4a1d3"), over()]);
    });
    assert!(summary.is_ok());
}

#[test]
fn the_end_of_the_input_or_quit_leaves() {
    for lines in ["", "quit\nb3\n"] {
        let (summary, out) = play_against("--engine human", lines, |server| {
            open(server, 0, "");
            server.ask(1, 0);
            assert_eq!(server.hear()["type"], "leave");
            server.tell(&[result(&[2, 1], "disconnect"), over()]);
        });
        assert!(summary.is_ok());
        assert!(out.contains("You have lost (disconnect)."), "{out}");
    }
}

#[test]
fn who_quits_while_waiting_for_another_player_is_gone() {
    let (summary, _) = play_against("--engine human", "quit\n", |server| {
        server.hear();
        server.tell(&[super::server::welcome(false)]);
        assert_eq!(server.hear()["type"], "leave");
        server.close();
    });
    let summary = summary.expect("left");
    assert_eq!(summary.reconnected, 0);
    assert_eq!(summary.reason.as_deref(), Some("the player has left"));
}
