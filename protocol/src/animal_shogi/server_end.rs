//! The server's end of one client's connection.

use std::fmt::Write as _;

use bytes::Bytes;

use super::message::{ClientLine, End, Move, Outcome, ServerLine, Side};
use crate::line::{Line, LineEnd, LineReader};

/// Longest line of a client in bytes, without its end: what the original server reads at once.
pub const CLIENT_LINE_LIMIT: usize = 255;

/// A client is sent a blank line when it was sent nothing for so many seconds.
pub const ALIVE_SECONDS: u64 = 30;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// It has no opponent yet.
    Waiting,
    /// It knows the game, and has not agreed.
    Summoned,
    /// It has agreed, or has sent a move without.
    Playing,
    Over,
}

/// What a line means in the phase in which it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// It names itself: answer with [`ServerEnd::logged_in`].
    Login(String),
    /// It agrees to the game: answer with [`ServerEnd::start`].
    Agree,
    /// It moves, in turn or out of turn.
    Move(Move),
    /// It gives the game up.
    Resign,
    /// What should be a move and is none, or a line above the limit: it costs the game.
    Fault(ClientLine),
    /// Nothing to answer.
    Ignored(ClientLine),
}

/// The server's end of one client's connection.
///
/// Feed every byte to [`ServerEnd::receive`] and take requests with [`ServerEnd::next_request`] until it gives
/// `None`. What the other methods give is one message each, to be written by itself.
///
/// ```
/// use taikyoku_protocol::animal_shogi::{Request, ServerEnd, Side};
///
/// let mut end = ServerEnd::default();
/// end.receive(b"LOGIN:ana\n");
/// assert_eq!(end.next_request(), Some(Request::Login("ana".to_owned())));
/// assert_eq!(&end.logged_in("ana")[..], b"LOGIN:ana,ok\n");
/// let summary = end.summary("20180910-001", Side::First);
/// assert!(summary.ends_with(b"Your_Turn:+\nEND Game_Summary\n"));
/// end.receive(b"AGREE\n");
/// assert_eq!(end.next_request(), Some(Request::Agree));
/// assert_eq!(&end.start()[..], b"START\n");
/// ```
#[derive(Clone, Debug)]
pub struct ServerEnd {
    lines: LineReader,
    phase: Phase,
    /// Whether it has agreed before it knew the game.
    agreed: bool,
}

impl Default for ServerEnd {
    fn default() -> ServerEnd {
        ServerEnd {
            lines: LineReader::new(LineEnd::Lf, CLIENT_LINE_LIMIT),
            phase: Phase::Waiting,
            agreed: false,
        }
    }
}

impl ServerEnd {
    /// Takes in bytes of the client, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Bytes taken in and not given as a request yet.
    pub fn waiting(&self) -> usize {
        self.lines.waiting()
    }

    /// The next request; `None` until more bytes come.
    pub fn next_request(&mut self) -> Option<Request> {
        let line = match self.lines.next_line()? {
            Line::Text(line) => ClientLine::parse(&String::from_utf8_lossy(line)),
            Line::TooLong => ClientLine::TooLong,
        };
        Some(match (line, self.phase) {
            (ClientLine::Login(Some(name)), _) => Request::Login(name),
            (ClientLine::Agree, Phase::Waiting) => {
                self.agreed = true;
                Request::Ignored(ClientLine::Agree)
            }
            (ClientLine::Agree, Phase::Summoned) => Request::Agree,
            (line, Phase::Waiting | Phase::Over) => Request::Ignored(line),
            (ClientLine::Move(mv), _) => {
                self.phase = Phase::Playing;
                Request::Move(mv)
            }
            (ClientLine::Resign, _) => Request::Resign,
            (line @ (ClientLine::NoMove(_) | ClientLine::TooLong), _) => Request::Fault(line),
            (line, _) => Request::Ignored(line),
        })
    }

    /// `LOGIN:name,ok`.
    pub fn logged_in(&self, name: &str) -> Bytes {
        message([ServerLine::LoggedIn(name.to_owned())])
    }

    /// The game begins; a client that has agreed already is told the start as well.
    pub fn summary(&mut self, id: &str, side: Side) -> Bytes {
        self.phase = Phase::Summoned;
        let summary = [
            ServerLine::SummaryBegin,
            ServerLine::GameId(id.to_owned()),
            ServerLine::YourTurn(side),
            ServerLine::SummaryEnd,
        ];
        let start = self.agreed.then_some(ServerLine::Start);
        if self.agreed {
            self.phase = Phase::Playing;
        }
        message(summary.into_iter().chain(start))
    }

    /// `START`, the answer to `AGREE`.
    pub fn start(&mut self) -> Bytes {
        self.phase = Phase::Playing;
        message([ServerLine::Start])
    }

    /// `+2c2b,OK`: this was played, by this client or its opponent.
    pub fn played(&self, mv: Move) -> Bytes {
        message([ServerLine::Played(mv)])
    }

    /// The two lines of the end.
    pub fn end(&mut self, end: End, outcome: Outcome) -> Bytes {
        self.phase = Phase::Over;
        message([ServerLine::End(end), ServerLine::Outcome(outcome)])
    }

    /// A blank line, which keeps the connection alive.
    pub fn alive(&self) -> Bytes {
        message([ServerLine::Alive])
    }
}

fn message(lines: impl IntoIterator<Item = ServerLine>) -> Bytes {
    let mut text = String::new();
    for line in lines {
        writeln!(text, "{line}").expect("a string takes all");
    }
    Bytes::from(text)
}
