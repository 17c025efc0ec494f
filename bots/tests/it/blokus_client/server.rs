//! Games of Blokus on a scripted server.

use games::blokus::{Board, Colour};
use protocol::native::ServerMessage;
use serde_json::{Value, json};

use crate::native_server::{self, Server};

/// The first moves of a game.
pub(super) const OPENING: [&str; 4] = [
    "a17,a18,b18,a19,a20",
    "s18,s19,t19,r18,t20",
    "t1,t2,s3,t3,s4",
    "a1,a2,b2,b3,b4",
];

pub(super) fn welcome(resumed: bool) -> ServerMessage {
    native_server::welcome("blokus", resumed)
}

pub(super) fn message(value: &Value) -> ServerMessage {
    ServerMessage::parse(value.to_string().as_bytes()).expect("a message")
}

pub(super) fn table() -> ServerMessage {
    table_of(&json!({}))
}

/// A match with these options of the rules.
pub(super) fn table_of(rules: &Value) -> ServerMessage {
    message(&json!({
        "type": "match", "players": ["me", "bo", "cy", "di"], "games": 1, "rules": rules,
        "clocks": {"move_ms": 5000, "increment_ms": 100, "budget_ms": 1000},
    }))
}

/// The game begins with this client in a seat, after so many plies.
pub(super) fn game(seat: u8, ply: u32) -> ServerMessage {
    let players: Vec<u8> = (0..4).map(|other| (other + 4 - seat) % 4).collect();
    message(&json!({"type": "game", "event": 1, "game": 1, "players": players, "ply": ply}))
}

/// The view after these moves, each of the colour after the one before, with these seats out by a fault.
pub(super) fn view(seat: u8, event: u64, moves: &[&str], out: &[u8]) -> ServerMessage {
    let moves: Vec<Value> = (0..).zip(moves).map(|(i, mv)| json!([i % 4, mv])).collect();
    let out: Vec<Value> = (0..4)
        .map(|seat| {
            if out.contains(&seat) {
                json!("forfeit")
            } else {
                Value::Null
            }
        })
        .collect();
    message(&json!({
        "type": "view", "event": event, "game": 1, "seat": seat, "ply": moves.len(),
        "to_move": Value::Null, "view": {"board": [], "left": [], "moves": moves, "out": out},
    }))
}

pub(super) fn out(event: u64, seat: u8, end: &str) -> ServerMessage {
    message(&json!({"type": "out", "event": event, "game": 1, "seat": seat, "end": end}))
}

pub(super) fn result(places: &[u8], points: &[i32]) -> ServerMessage {
    message(&json!({
        "type": "result", "event": 98, "game": 1, "places": places, "scores": [0.0, 1.0, 0.0, 0.0],
        "end": "no-moves", "ends": ["no-moves", "all-placed", "timeout", "no-moves"],
        "game_points": points,
    }))
}

pub(super) fn over() -> ServerMessage {
    message(&json!({"type": "over", "event": 99, "games": 1, "scores": [0.0, 1.0, 0.0, 0.0]}))
}

pub(super) fn error(code: &str) -> ServerMessage {
    message(&json!({"type": "error", "code": code, "message": "so it is"}))
}

/// Takes the hello and begins a game with this client in a seat and some moves of [`OPENING`] played.
pub(super) fn open(server: &mut Server, seat: u8, plies: usize) {
    let hello = server.hear();
    assert_eq!(
        (&hello["type"], &hello["game"]),
        (&json!("hello"), &json!("blokus"))
    );
    server.tell(&[
        welcome(false),
        table(),
        game(seat, plies as u32),
        view(seat, 1, &OPENING[..plies], &[]),
    ]);
}

/// Whether a move is legal after some moves of [`OPENING`].
pub(super) fn is_legal(plies: usize, seat: u8, mv: &str) -> bool {
    let mut board = Board::new();
    for mv in &OPENING[..plies] {
        board.play(mv.parse().expect(mv)).expect(mv);
    }
    let colour = Colour::new(seat).expect("a seat");
    board.is_legal(colour, mv.parse().expect(mv))
}
