//! Players of the native protocol, of any game.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::exit;

use end_to_end::patience::connect;
use serde_json::{Value, json};

/// Lines that one who cannot read messages that came together takes from one read.
const MOST_LINES: usize = 2;

pub(crate) fn play(mode: &str, port: u16) {
    let mut stream = connect(port).expect("a server");
    if mode == "bad-handshake" {
        let _ = stream.write_all(b"hello\n");
    } else {
        send(
            &mut stream,
            &json!({"type": "hello", "versions": [1], "name": "mock"}),
        );
    }
    let mut player = Player {
        mode,
        stream,
        seat: Value::Null,
        request: Value::Null,
        requests: 0,
    };
    let mut text = Vec::new();
    let mut bytes = [0; 1 << 14];
    loop {
        let Ok(n @ 1..) = player.stream.read(&mut bytes) else {
            return;
        };
        text.extend_from_slice(&bytes[..n]);
        let whole = text
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let lines: Vec<u8> = text.drain(..whole).collect();
        let lines = String::from_utf8_lossy(&lines).into_owned();
        let cannot = mode == "together" && player.requests > 0;
        let most = if cannot { MOST_LINES } else { usize::MAX };
        for line in lines.lines().take(most) {
            let message: Value = serde_json::from_str(line).expect("JSON");
            if message["type"] == "over" {
                return;
            }
            player.hear(&message);
        }
    }
}

struct Player<'a> {
    mode: &'a str,
    stream: TcpStream,
    seat: Value,
    request: Value,
    requests: usize,
}

impl Player<'_> {
    fn hear(&mut self, message: &Value) {
        match message["type"].as_str() {
            Some("view") => self.seat = message["seat"].clone(),
            Some("request") => {
                self.request = message.clone();
                self.requests += 1;
                match self.mode {
                    "illegal" => self.send_move(&json!("nowhere")),
                    "second-seat" if self.seat == 1 => self.send_move(&json!("nowhere")),
                    "garbage" => {
                        let _ = self.stream.write_all(b"}{\n");
                    }
                    "crash" => exit(3),
                    "stall" => {}
                    _ => send(&mut self.stream, &json!({"type": "legal"})),
                }
            }
            Some("legal") => {
                let moves = message["moves"].as_array().expect("moves");
                if !moves.is_empty() {
                    self.send_move(&moves[self.requests * 7 % moves.len()]);
                }
            }
            Some("out") if self.mode == "quits" && message["end"] == "disconnect" => {
                eprintln!("panic: no such player");
                exit(9);
            }
            _ => {}
        }
    }

    fn send_move(&mut self, mv: &Value) {
        let (game, ply) = (&self.request["game"], &self.request["ply"]);
        let message = json!({"type": "move", "game": game, "ply": ply, "move": mv});
        send(&mut self.stream, &message);
    }
}

fn send(stream: &mut TcpStream, message: &Value) {
    // A connection that is lost shows in the reading.
    let _ = stream.write_all(format!("{message}\n").as_bytes());
}
