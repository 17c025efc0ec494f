//! Games of score four on a scripted server.

use games::score_four::Position;
use protocol::native::{Clocks, ServerMessage};
use serde_json::json;

use crate::native_server::{self, Server};

pub(super) fn welcome(resumed: bool) -> ServerMessage {
    native_server::welcome("score-four", resumed)
}

/// Takes the hello and begins a game of these moves, with the client in this seat.
pub(super) fn open(server: &mut Server, seat: u8, moves: &str) {
    let hello = server.hear();
    assert_eq!(
        (&hello["type"], &hello["versions"]),
        (&json!("hello"), &json!([1]))
    );
    server.tell(&[welcome(false), table()]);
    let ply = (moves.len() / 2) as u32;
    let players = if seat == 0 { vec![0, 1] } else { vec![1, 0] };
    server.tell(&[
        ServerMessage::Game {
            event: 1,
            game: 1,
            players,
            ply,
        },
        view(seat, 1, moves),
    ]);
}

pub(super) fn table() -> ServerMessage {
    ServerMessage::Match {
        players: vec!["me".to_owned(), "bo\u{1b}[31m".to_owned()],
        games: 1,
        rules: json!({}),
        clocks: Clocks {
            move_ms: Some(5000),
            resume_ms: Some(1000),
            ..Clocks::default()
        },
        draws: false,
    }
}

pub(super) fn view(seat: u8, event: u64, moves: &str) -> ServerMessage {
    let position = Position::from_moves(moves).expect("moves");
    ServerMessage::View {
        event,
        game: 1,
        seat,
        ply: u32::from(position.ply()),
        to_move: position.to_move(),
        view: json!({"board": position.to_string(), "moves": moves}),
    }
}
