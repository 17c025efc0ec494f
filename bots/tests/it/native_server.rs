//! A server of the native protocol that follows a script.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use protocol::native::ServerMessage;
use serde_json::Value;

pub(crate) const TOKEN: &str = "00112233445566778899aabbccddeeff";

/// A script that runs on a thread of its own.
pub(crate) struct Script {
    pub(crate) port: u16,
    thread: Option<JoinHandle<()>>,
}

impl Script {
    pub(crate) fn start(act: impl FnOnce(&mut Server) + Send + 'static) -> Script {
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

    pub(crate) fn finish(&mut self) {
        self.thread
            .take()
            .expect("once")
            .join()
            .expect("a script without a failure");
    }
}

/// Longest wait for a message: a client that says nothing fails the test.
const PATIENCE: Duration = Duration::from_mins(1);

fn accept(listener: &TcpListener) -> BufReader<TcpStream> {
    let (stream, _) = listener.accept().expect("a client");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    BufReader::new(stream)
}

pub(crate) struct Server {
    reader: BufReader<TcpStream>,
    listener: TcpListener,
}

impl Server {
    pub(crate) fn say(&mut self, line: &str) {
        // The client may have left already.
        let _ = self
            .reader
            .get_mut()
            .write_all(format!("{line}\n").as_bytes());
    }

    pub(crate) fn tell(&mut self, messages: &[ServerMessage]) {
        let lines: String = messages.iter().map(ServerMessage::to_line).collect();
        self.say(lines.trim_end());
    }

    pub(crate) fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: `{line}`"))
    }

    /// Whether the client says nothing for a while.
    pub(crate) fn hears_nothing(&mut self) -> bool {
        let stream = self.reader.get_ref();
        let wait = Duration::from_millis(300);
        stream.set_read_timeout(Some(wait)).expect("a time");
        let heard = self.reader.fill_buf().is_ok_and(|bytes| !bytes.is_empty());
        let stream = self.reader.get_ref();
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        !heard
    }

    pub(crate) fn hear_move(&mut self) -> (Option<u64>, String) {
        let message = self.hear();
        assert_eq!(message["type"], "move", "{message}");
        let mv = message["move"].as_str().expect("a move").to_owned();
        (message["ply"].as_u64(), mv)
    }

    pub(crate) fn ask(&mut self, game: u32, ply: u32) {
        let (left_ms, budget_ms) = (Some(5000), None);
        self.tell(&[ServerMessage::Request {
            game,
            ply,
            left_ms,
            budget_ms,
        }]);
    }

    pub(crate) fn moved(&mut self, event: u64, ply: u32, seat: u8, mv: &str) {
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

    pub(crate) fn close(&mut self) {
        let _ = self.reader.get_ref().shutdown(std::net::Shutdown::Both);
    }

    /// Cuts the connection and waits for the next.
    pub(crate) fn cut(&mut self) {
        let _ = self.reader.get_ref().shutdown(std::net::Shutdown::Both);
        self.reader = accept(&self.listener);
    }
}

/// The answer to the hello of the first player.
pub(crate) fn welcome(game: &str, resumed: bool) -> ServerMessage {
    ServerMessage::Welcome {
        version: 1,
        server: "script".to_owned(),
        game: game.to_owned(),
        number: 1,
        player: 0,
        token: TOKEN.to_owned(),
        resumed,
    }
}
