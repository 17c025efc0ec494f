//! Moves that the server does not take.

use super::native_server::Script;
use super::play;
use super::server::{OPENING, error, is_legal, open, over, result, view};

#[test]
fn a_refused_move_is_followed_by_another() {
    let mut script = Script::start(|server| {
        open(server, 0, 0);
        server.ask(1, 0);
        let mut moves = Vec::new();
        for _ in 0..3 {
            let (ply, mv) = server.hear_move();
            assert!(
                ply == Some(0) && is_legal(0, 0, &mv) && !moves.contains(&mv),
                "{mv}"
            );
            moves.push(mv);
            server.tell(&[error("illegal")]);
            assert_eq!(server.hear()["type"], "view");
            server.tell(&[view(0, 2, &[], &[])]);
        }
        server.hear_move();
        server.tell(&[result(&[4, 1, 2, 3], &[0; 4]), over()]);
    });
    let (summary, out) = play(script.port, "--engine greedy", "");
    script.finish();
    assert_eq!(summary.expect("a match").refused, 3);
    assert!(out.contains("3 moves refused"), "{out}");
}

#[test]
fn a_move_on_a_board_that_was_wrong_is_made_again() {
    let mut script = Script::start(|server| {
        open(server, 1, 1);
        server.ask(1, 1);
        server.hear_move();
        // The server's board is another.
        server.tell(&[error("illegal")]);
        assert_eq!(server.hear()["type"], "view");
        server.tell(&[view(1, 2, &["a20"], &[])]);
        let (ply, mv) = server.hear_move();
        assert!(ply == Some(1) && is_legal(1, 1, &mv), "{mv}");
        server.tell(&[result(&[4, 1, 2, 3], &[0; 4]), over()]);
    });
    let (summary, _) = play(script.port, "--engine random", "");
    script.finish();
    assert_eq!(summary.expect("a match").refused, 1);
}

#[test]
fn requests_that_are_over_are_left_alone() {
    let mut script = Script::start(|server| {
        open(server, 2, 2);
        // Of an earlier ply, of an earlier game, and of one that is to come.
        for (game, ply) in [(1, 0), (0, 2), (2, 2)] {
            server.ask(game, ply);
            assert_eq!(server.hear()["type"], "view");
            server.tell(&[view(2, 2, &OPENING[..2], &[])]);
        }
        server.tell(&[error("stale"), error("not-your-turn"), error("no-game")]);
        server.ask(1, 2);
        let (ply, mv) = server.hear_move();
        assert!(ply == Some(2) && is_legal(2, 2, &mv), "{mv}");
        server.tell(&[result(&[4, 1, 2, 3], &[0; 4]), over()]);
    });
    let (summary, _) = play(script.port, "--engine random", "");
    script.finish();
    let summary = summary.expect("a match");
    assert_eq!((summary.disagreements, summary.refused), (3, 0));
}
