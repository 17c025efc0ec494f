//! The client's end of a connection.

use super::json::Malformed;
use super::message::{ClientMessage, Hello, ServerMessage, name_of};
use super::{SERVER_LINE_LIMIT, VERSION};
use crate::line::{Line, LineEnd, LineReader};

/// What a line of the server is.
#[derive(Clone, PartialEq, Debug)]
pub enum Received {
    /// A message.
    Message(ServerMessage),
    /// A message of a type that this version does not know: it is passed over.
    Unknown(String),
    /// No message at all.
    Odd(Malformed),
    /// A line longer than [`SERVER_LINE_LIMIT`].
    TooLong,
}

/// The client's end, over all connections to one match: it remembers the token and the last event,
/// so that [`ClientEnd::hello`] after a lost connection comes back to the same place.
///
/// ```
/// use taikyoku_protocol::native::{ClientEnd, Received, ServerMessage};
///
/// let mut end = ClientEnd::new("ana", Some("score-four"), None);
/// let hello = r#"{"type":"hello","versions":[1],"name":"ana","game":"score-four"}"#;
/// assert_eq!(end.hello(), format!("{hello}\n"));
/// end.receive(b"{\"type\":\"presence\",\"event\":7,\"player\":1,\"here\":false}\n");
/// let Some(Received::Message(ServerMessage::Presence { player: 1, .. })) = end.next_message() else {
///     panic!();
/// };
/// assert_eq!(end.last_event(), 7);
/// ```
#[derive(Clone, Debug)]
pub struct ClientEnd {
    hello: Hello,
    lines: LineReader,
    last: u64,
}

impl ClientEnd {
    /// The end of a player with this name, for one game or any, with what its program is called. Of both the server keeps
    /// [`super::NAME_LIMIT`] characters, and no more are sent: a hello has one line.
    pub fn new(name: &str, game: Option<&str>, client: Option<&str>) -> ClientEnd {
        ClientEnd {
            hello: Hello {
                versions: vec![VERSION],
                name: name_of(name, ""),
                client: client.map(|client| name_of(client, "unknown")),
                game: game.map(str::to_owned),
                ..Hello::default()
            },
            lines: LineReader::new(LineEnd::Lf, SERVER_LINE_LIMIT),
            last: 0,
        }
    }

    /// Begins a connection: gives the first line to send, with token and last event if there are any.
    /// What was left of a connection before is forgotten.
    pub fn hello(&mut self) -> String {
        self.lines = LineReader::new(LineEnd::Lf, SERVER_LINE_LIMIT);
        self.hello.last = self.hello.token.is_some().then_some(self.last);
        ClientMessage::Hello(self.hello.clone()).to_line()
    }

    /// The token of the seat, once there is one.
    pub fn token(&self) -> Option<&str> {
        self.hello.token.as_deref()
    }

    /// Sets the token of a seat that an earlier run of the program had.
    pub fn set_token(&mut self, token: &str) {
        self.hello.token = Some(token.to_owned());
    }

    /// Number of the last event; 0 before the first.
    pub const fn last_event(&self) -> u64 {
        self.last
    }

    /// Takes in bytes of the server, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The next message; `None` until more bytes come. Empty lines are passed over.
    pub fn next_message(&mut self) -> Option<Received> {
        loop {
            let parsed = match self.lines.next_line()? {
                Line::TooLong => return Some(Received::TooLong),
                Line::Text([]) => continue,
                Line::Text(line) => ServerMessage::parse(line),
            };
            return Some(match parsed {
                Ok(message) => {
                    if let ServerMessage::Welcome { token, .. } = &message {
                        self.hello.token = Some(token.clone());
                    }
                    if let Some(event) = message.event() {
                        self.last = self.last.max(event);
                    }
                    Received::Message(message)
                }
                Err(Malformed::UnknownType(kind)) => Received::Unknown(kind),
                Err(malformed) => Received::Odd(malformed),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_makes_the_first_line_too_long() {
        for name in ["将", "\u{1f469}", "\"", "a\u{202e}"] {
            let mut end =
                ClientEnd::new(&name.repeat(5000), Some("blokus"), Some(&name.repeat(5000)));
            assert!(end.hello().len() <= super::super::LINE_LIMIT, "{name}");
            assert_eq!(end.hello.name.chars().count(), super::super::NAME_LIMIT);
        }
    }
}
