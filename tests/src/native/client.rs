//! A client that speaks the native protocol by hand.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::net::{Shutdown, TcpStream};

use serde_json::{Value, json};

use crate::patience::connect;

/// A connection of lines of JSON.
#[derive(Debug)]
pub struct Client {
    reader: BufReader<TcpStream>,
    /// The token, once it has said hello.
    pub token: String,
    /// Lines taken from the last read.
    taken: usize,
}

impl Client {
    /// Connects to a server of this machine that may still be starting.
    pub fn connect(port: u16) -> Client {
        Client::of(connect(port).expect("a connection"))
    }

    /// On a connection that is there.
    pub fn of(stream: TcpStream) -> Client {
        Client {
            reader: BufReader::new(stream),
            token: String::new(),
            taken: 0,
        }
    }

    /// Connects and says hello; the welcome is read.
    pub fn seated(port: u16, name: &str) -> Client {
        let mut client = Client::connect(port);
        client.send(&json!({"type": "hello", "versions": [1], "name": name}));
        let welcome = client.expect("welcome");
        let token = welcome["token"].as_str().expect("a token");
        token.clone_into(&mut client.token);
        client
    }

    /// Two players at a table; the first is to move.
    pub fn pair(port: u16) -> [Client; 2] {
        let mut clients = [Client::seated(port, "ana"), Client::seated(port, "bo")];
        for client in &mut clients {
            for kind in ["match", "game", "view"] {
                client.expect(kind);
            }
        }
        clients[0].expect("request");
        clients
    }

    /// Connects again with a token; the welcome is read.
    pub fn back(port: u16, token: &str, last: Option<u64>) -> Client {
        let mut client = Client::connect(port);
        let hello =
            json!({"type": "hello", "versions": [1], "name": "x", "token": token, "last": last});
        client.send(&hello);
        let welcome = client.expect("welcome");
        assert_eq!(
            (&welcome["resumed"], &welcome["token"]),
            (&json!(true), &json!(token))
        );
        token.clone_into(&mut client.token);
        client
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reader.get_mut().write_all(bytes)
    }

    pub fn say(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes())
            .expect("a server that listens");
    }

    pub fn send(&mut self, message: &Value) {
        self.say(&message.to_string());
    }

    pub fn play(&mut self, mv: &str) {
        self.send(&json!({"type": "move", "move": mv}));
    }

    /// Drops the whole lines of the last read behind so many that were taken from it.
    pub fn forget_beyond(&mut self, lines: usize) {
        if self.reader.buffer().is_empty() {
            self.taken = 0;
        } else if self.taken >= lines {
            let end = self.reader.buffer().iter().rposition(|b| *b == b'\n');
            self.reader.consume(end.map_or(0, |end| end + 1));
        }
    }

    /// The next line without its end.
    pub fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.taken += 1;
        if self.reader.read_line(&mut line)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end_matches('\n').to_owned())
    }

    pub fn hear(&mut self) -> Value {
        let line = self
            .line()
            .unwrap_or_else(|e| panic!("a message was due: {e}"));
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }

    /// The next message, which must be of this type.
    pub fn expect(&mut self, kind: &str) -> Value {
        let message = self.hear();
        assert_eq!(message["type"], kind, "{message}");
        message
    }

    /// The next message of this type; others are passed over.
    pub fn wait_for(&mut self, kind: &str) -> Value {
        loop {
            let message = self.hear();
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// Reads an error with this code; others messages are passed over.
    pub fn error(&mut self, code: &str) {
        let error = self.wait_for("error");
        assert_eq!(error["code"], code, "{error}");
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.len() > 10),
            "{error}"
        );
    }

    /// Whether the server has closed, all that came before passed over.
    pub fn is_closed(&mut self) -> bool {
        loop {
            match self.line() {
                Ok(_) => {}
                Err(e) => return e.kind() == ErrorKind::UnexpectedEof,
            }
        }
    }

    /// Closes its side, and waits until the server has noticed that and closed too.
    pub fn close(mut self) {
        let _ = self.reader.get_ref().shutdown(Shutdown::Write);
        assert!(self.is_closed(), "the server closes");
    }

    pub fn cut(self) {
        let _ = self.reader.get_ref().shutdown(Shutdown::Both);
    }
}
