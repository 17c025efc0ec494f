//! Moves that the server does not take.

use games::blokus::{Board, Colour};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::play_against;
use super::server::{
    OPENING, error, is_legal, message, open, out, over, result, table, view, welcome,
};

#[test]
fn a_refused_move_is_followed_by_another() {
    let (summary, out) = play_against("--engine greedy", "", |server| {
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
    let summary = summary.expect("a match");
    // That it asks for the view does not mean that the boards differ.
    assert_eq!((summary.refused, summary.disagreements), (3, 0));
    assert!(out.contains("3 moves refused"), "{out}");
}

#[test]
fn a_move_on_a_board_that_was_wrong_is_made_again() {
    let (summary, _) = play_against("--engine random", "", |server| {
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
    assert_eq!(summary.expect("a match").refused, 1);
}

#[test]
fn requests_that_are_over_are_left_alone() {
    let (summary, _) = play_against("--engine random", "", |server| {
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
    let summary = summary.expect("a match");
    assert_eq!((summary.disagreements, summary.refused), (3, 0));
}

/// A position whose colour to move has one legal move: the moves of the game so far, the colour, the move.
fn only_move() -> (Vec<Value>, Colour, String) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut board, mut moves, mut told) = (Board::new(), Vec::new(), Vec::new());
    while let Some(colour) = board.to_move() {
        board.legal_moves(&mut moves);
        let mv = moves[rng.random_range(0..moves.len())];
        if moves.len() == 1 {
            return (told, colour, mv.to_string());
        }
        told.push(json!([colour.seat(), mv.to_string()]));
        board.play(mv).expect("legal");
    }
    panic!("another seed is needed");
}

#[test]
fn what_was_refused_may_be_played_in_the_next_game() {
    let (summary, _) = play_against("--engine greedy", "", |server| {
        let (moves, colour, only) = only_move();
        let (seat, ply) = (colour.seat(), moves.len() as u32);
        server.hear();
        server.tell(&[welcome(false), table()]);
        let players: Vec<u8> = (0..4).map(|other| (other + 4 - seat) % 4).collect();
        for game in 1..=2 {
            let view = message(&json!({
                "type": "view", "event": 2, "game": game, "seat": seat, "ply": ply, "to_move": seat,
                "view": {"moves": moves, "out": [null, null, null, null]},
            }));
            server.tell(&[
                message(&json!({
                    "type": "game", "event": 1, "game": game, "players": players, "ply": ply,
                })),
                view.clone(),
            ]);
            server.ask(game, ply);
            assert_eq!(server.hear_move(), (Some(u64::from(ply)), only.clone()));
            if game == 1 {
                server.tell(&[error("illegal")]);
                assert_eq!(server.hear()["type"], "view");
                server.tell(&[view, out(3, seat, "illegal"), result(&[], &[])]);
            }
        }
        server.tell(&[over()]);
    });
    let summary = summary.expect("a match");
    assert_eq!((summary.refused, summary.disagreements), (1, 0));
}
