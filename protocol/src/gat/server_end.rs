//! The server's end of one player's connection, without input or output or clocks.

use bytes::Bytes;
use games::geister::{Colour, Move, Placement};

use super::board::Board;
use super::message::{ClientLine, Outcome, ServerLine};
use crate::line::{LineEnd, LineReader};

/// What a player owes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// A placement.
    Placing,
    /// Nothing: the other has not set, or it is the other's turn.
    Waiting,
    /// A move.
    Moving,
    /// Nothing any more.
    Over,
}

/// The players that may send a name with their placement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Names {
    /// `SET:ABCD` and `SET:ABCD,NAME:foo` are both accepted.
    #[default]
    Optional,
    /// `SET:ABCD,NAME:foo` is refused, as the official server does unless told otherwise.
    Refused,
}

/// What a line means in the phase in which it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// A placement that was due: answer with [`ServerEnd::accept_placement`] (or
    /// [`ServerEnd::refuse`]).
    Placement {
        /// The red ghosts.
        placement: Placement,
        /// The player's name for itself; never empty.
        name: Option<String>,
    },
    /// A move in turn, legal or not: answer with [`ServerEnd::accept_move`], or if it is illegal
    /// with [`ServerEnd::refuse`].
    Move(Move),
    /// Refused without harm: a bad placement, a second one at any time, a move out of turn. Answer
    /// with [`ServerEnd::refuse`]; the game goes on.
    Refused(ClientLine),
    /// Neither a move nor a placement, where a move was due. Answer with [`ServerEnd::refuse`]; unless a refusal does not end
    /// games, the player has lost.
    Fault(ClientLine),
    /// Came after the end: no answer.
    Ignored(ClientLine),
}

/// The server's end of one player's connection.
///
/// Send [`ServerEnd::set_request`], feed every byte to [`ServerEnd::receive`], take requests with
/// [`ServerEnd::next_request`] until it gives `None`, answering each before the next is taken: a line
/// means what it means in the phase that the answers before it have brought about. Each answer is one
/// message, to be written by itself.
///
/// ```
/// use taikyoku_protocol::gat::{Request, ServerEnd};
///
/// let mut end = ServerEnd::new(Default::default());
/// assert_eq!(&end.set_request()[..], b"SET?\r\n");
/// end.receive(b"SET:AB");
/// assert_eq!(end.next_request(), None);
/// end.receive(b"CD\r\n");
/// assert!(matches!(end.next_request(), Some(Request::Placement { .. })));
/// assert_eq!(&end.accept_placement()[..], b"OK \r\n");
/// ```
#[derive(Clone, Debug)]
pub struct ServerEnd {
    lines: LineReader,
    phase: Phase,
    names: Names,
}

/// Longest line of a client in bytes, without CR LF. The longest command needs 19 bytes and a name.
pub const CLIENT_LINE_LIMIT: usize = 256;

impl ServerEnd {
    /// The end of a new connection, in [`Phase::Placing`].
    pub const fn new(names: Names) -> Self {
        Self {
            lines: LineReader::new(LineEnd::CrLf, CLIENT_LINE_LIMIT),
            phase: Phase::Placing,
            names,
        }
    }

    /// What the player owes.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Takes in bytes from the player, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Bytes taken in and not given as a request yet. Of an unfinished line no more than
    /// [`CLIENT_LINE_LIMIT`] bytes and a CR are kept, whole lines until they are taken.
    pub fn waiting(&self) -> usize {
        self.lines.waiting()
    }

    /// The next request; `None` until more bytes come.
    pub fn next_request(&mut self) -> Option<Request> {
        let line = ClientLine::read(self.lines.next_line()?);
        Some(match (self.phase, line) {
            (Phase::Over, line) => Request::Ignored(line),
            (Phase::Moving, ClientLine::Move(mv)) => Request::Move(mv),
            (Phase::Moving, line) => Request::Fault(line),
            (Phase::Placing, ClientLine::Set { placement, name })
                if name.is_none() || self.names == Names::Optional =>
            {
                let name = name.filter(|name| !name.is_empty());
                Request::Placement { placement, name }
            }
            (Phase::Placing | Phase::Waiting, line) => Request::Refused(line),
        })
    }

    /// `SET?`, the first message.
    pub fn set_request(&self) -> Bytes {
        ServerLine::SetRequest.encode()
    }

    /// `OK `: the placement is set.
    pub fn accept_placement(&mut self) -> Bytes {
        self.phase = Phase::Waiting;
        ServerLine::Ok(None).encode()
    }

    /// `NG `. The player owes what it owed.
    pub fn refuse(&self) -> Bytes {
        ServerLine::Refused.encode()
    }

    /// `MOV?` and the board: it is the player's turn.
    pub fn move_request(&mut self, board: &Board) -> Bytes {
        self.phase = Phase::Moving;
        ServerLine::MoveRequest(*board).encode()
    }

    /// `OK `, `OKR` or `OKB`: the move is made, `captured` is the colour of the ghost that it captured.
    pub fn accept_move(&mut self, captured: Option<Colour>) -> Bytes {
        self.phase = Phase::Waiting;
        ServerLine::Ok(captured).encode()
    }

    /// The game is decided, though the result may be held back: nothing is due any more.
    pub fn finish(&mut self) {
        self.phase = Phase::Over;
    }

    /// `WON:`, `LST:` or `DRW:` and the board with all colours: the game is over for this player.
    pub fn result(&mut self, outcome: Outcome, board: &Board) -> Bytes {
        self.phase = Phase::Over;
        ServerLine::Result(outcome, *board).encode()
    }
}
