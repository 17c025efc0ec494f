//! A server that follows a script.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use games::score_four::Position;
use protocol::native::{Clocks, ServerMessage};
use serde_json::{Value, json};

pub(super) const TOKEN: &str = "00112233445566778899aabbccddeeff";

/// A script that runs on a thread of its own.
pub(super) struct Script {
    pub(super) port: u16,
    thread: Option<JoinHandle<()>>,
}

impl Script {
    /// Waits for a client and does this.
    pub(super) fn start(act: impl FnOnce(&mut Server) + Send + 'static) -> Script {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let thread = std::thread::spawn(move || {
            let mut server = Server {
                reader: accept(&listener),
                listener,
            };
            act(&mut server);
        });
        Script {
            port,
            thread: Some(thread),
        }
    }

    /// Waits for its end.
    pub(super) fn finish(&mut self) {
        self.thread
            .take()
            .expect("once")
            .join()
            .expect("a script without a failure");
    }
}

fn accept(listener: &TcpListener) -> BufReader<TcpStream> {
    BufReader::new(listener.accept().expect("a client").0)
}

/// The server's end of the connection.
pub(super) struct Server {
    reader: BufReader<TcpStream>,
    listener: TcpListener,
}

impl Server {
    pub(super) fn say(&mut self, line: &str) {
        // The client may have left already.
        let _ = self
            .reader
            .get_mut()
            .write_all(format!("{line}\n").as_bytes());
    }

    pub(super) fn tell(&mut self, messages: &[ServerMessage]) {
        let lines: String = messages.iter().map(ServerMessage::to_line).collect();
        self.say(lines.trim_end());
    }

    /// The next message of the client.
    pub(super) fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: `{line}`"))
    }

    pub(super) fn hear_move(&mut self) -> (Option<u64>, String) {
        let message = self.hear();
        assert_eq!(message["type"], "move", "{message}");
        let mv = message["move"].as_str().expect("a move").to_owned();
        (message["ply"].as_u64(), mv)
    }

    /// Takes the hello and begins a game of these moves, with the client in this seat.
    pub(super) fn open(&mut self, seat: u8, moves: &str) {
        let hello = self.hear();
        assert_eq!(
            (&hello["type"], &hello["versions"]),
            (&json!("hello"), &json!([1]))
        );
        self.tell(&[welcome(false), table()]);
        let ply = (moves.len() / 2) as u32;
        let players = if seat == 0 { vec![0, 1] } else { vec![1, 0] };
        self.tell(&[
            ServerMessage::Game {
                event: 1,
                game: 1,
                players,
                ply,
            },
            view(seat, 1, moves),
        ]);
    }

    pub(super) fn ask(&mut self, game: u32, ply: u32) {
        let (left_ms, budget_ms) = (Some(5000), None);
        self.tell(&[ServerMessage::Request {
            game,
            ply,
            left_ms,
            budget_ms,
        }]);
    }

    pub(super) fn moved(&mut self, event: u64, ply: u32, seat: u8, mv: &str) {
        let (mv, used_ms, budget_ms) = (mv.to_owned(), 1, None);
        self.tell(&[ServerMessage::Moved {
            event,
            game: 1,
            ply,
            seat,
            mv,
            used_ms,
            budget_ms,
        }]);
    }

    /// Closes the connection for good.
    pub(super) fn close(&mut self) {
        let _ = self.reader.get_ref().shutdown(std::net::Shutdown::Both);
    }

    /// Cuts the connection and waits for the next.
    pub(super) fn cut(&mut self) {
        let _ = self.reader.get_ref().shutdown(std::net::Shutdown::Both);
        self.reader = accept(&self.listener);
    }
}

pub(super) fn welcome(resumed: bool) -> ServerMessage {
    ServerMessage::Welcome {
        version: 1,
        server: "script".to_owned(),
        game: "score-four".to_owned(),
        number: 1,
        player: 0,
        token: TOKEN.to_owned(),
        resumed,
    }
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
