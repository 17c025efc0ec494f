//! The client's end of a connection, without input or output: bytes in, events out.

use bytes::Bytes;
use games::geister::{Colour, Move, Placement};

use super::board::{Board, BoardError};
use super::message::{ClientLine, Outcome, ServerLine, ServerLineError, is_name};
use crate::line::{Line, LineEnd, LineReader};

/// What the server said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// [`ClientEnd::set`] is due.
    SetRequested,
    /// Whether the placement was accepted. If not, [`ClientEnd::set`] is due again.
    SetAnswer(bool),
    /// [`ClientEnd::play`] is due. The board is an error if the server sent none that can be.
    MoveRequested(Result<Board, BoardError>),
    /// The answer to a move.
    MoveAnswer(MoveAnswer),
    /// The game is over: close the connection. The board is an error if the server sent none that
    /// can be, as after a game against one that has not four red ghosts.
    Ended(Outcome, Result<Board, BoardError>),
    /// A line that means nothing, or not here. The game goes on.
    Odd(String),
}

/// The answer to a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveAnswer {
    /// Made; the colour of the ghost that it captured.
    Made(Option<Colour>),
    /// Refused. On most servers the game is lost and the result follows; where refusals do not end
    /// games, [`ClientEnd::play`] is due again.
    Refused,
}

/// The caller sends what is not due.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutOfTurn {
    /// A placement before `SET?` or after `OK `.
    #[error("a placement is not due now")]
    Placement,
    /// A move before `MOV?`, or a second one after it.
    #[error("a move is not due now")]
    Move,
    /// A name with other characters than ASCII letters, digits and `_`.
    #[error("a name may have letters, digits and _ only")]
    Name,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum GamePhase {
    Start,
    Placing,
    Placed,
    Waiting,
    Moving,
    Moved,
    Over,
}

/// The client's side of one game.
///
/// Feed every byte to [`ClientEnd::receive`] and take events with [`ClientEnd::next_event`] until it
/// gives `None`. It makes the best of what servers send: messages in one packet, answers without
/// their space, answers that never come. Each message to send comes as one buffer.
///
/// ```
/// use taikyoku_protocol::gat::{ClientEnd, Event};
///
/// let mut client = ClientEnd::new();
/// client.receive(b"SET?\r");
/// assert_eq!(client.next_event(), None);
/// assert_eq!(client.unfinished(), "SET?\r");
/// client.receive(b"\n");
/// assert_eq!(client.next_event(), Some(Event::SetRequested));
/// assert_eq!(client.set("ABCD".parse()?, None).as_deref(), Ok(&b"SET:ABCD\r\n"[..]));
/// # Ok::<(), games::geister::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClientEnd {
    lines: LineReader,
    phase: GamePhase,
}

/// Longest line of a server in bytes, without CR LF. The longest message needs 52.
pub const SERVER_LINE_LIMIT: usize = 1024;

/// Most characters of a name that a client sends.
pub const NAME_LIMIT: usize = 64;

impl Default for ClientEnd {
    fn default() -> Self {
        Self::new()
    }
}

impl ClientEnd {
    /// The end of a new connection.
    pub const fn new() -> Self {
        Self {
            lines: LineReader::new(LineEnd::CrLf, SERVER_LINE_LIMIT),
            phase: GamePhase::Start,
        }
    }

    /// Takes in bytes from the server, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The next event; `None` until more bytes come.
    pub fn next_event(&mut self) -> Option<Event> {
        let line = match self.lines.next_line()? {
            Line::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Line::TooLong => {
                return Some(Event::Odd(format!(
                    "a line of more than {SERVER_LINE_LIMIT} bytes"
                )));
            }
        };
        let event = match ServerLine::parse(&line) {
            Ok(message) => self.read(message),
            Err(ServerLineError::MoveRequest(error)) => self.move_requested(Err(error)),
            Err(ServerLineError::Result(outcome, error)) => self.ended(outcome, Err(error)),
            Err(ServerLineError::Unknown(_)) => None,
        };
        Some(event.unwrap_or(Event::Odd(line)))
    }

    /// What the server has said of a line that has no end yet: at the end of a connection it means nothing.
    pub fn unfinished(&self) -> String {
        String::from_utf8_lossy(self.lines.rest()).into_owned()
    }

    /// Whether the server has said `SET?`.
    pub fn has_begun(&self) -> bool {
        self.phase != GamePhase::Start
    }

    /// Whether the result has come.
    pub fn is_over(&self) -> bool {
        self.phase == GamePhase::Over
    }

    /// The message that places the red ghosts, with a name if one is given, of which [`NAME_LIMIT`] characters are sent.
    ///
    /// # Errors
    /// When no placement is due, or the name is none. Nothing changes.
    pub fn set(&mut self, placement: Placement, name: Option<&str>) -> Result<Bytes, OutOfTurn> {
        if self.phase != GamePhase::Placing {
            return Err(OutOfTurn::Placement);
        }
        if name.is_some_and(|name| !is_name(name)) {
            return Err(OutOfTurn::Name);
        }
        self.phase = GamePhase::Placed;
        Ok(message(&ClientLine::Set {
            placement,
            name: name.map(|name| name.chars().take(NAME_LIMIT).collect()),
        }))
    }

    /// The message that makes a move.
    ///
    /// # Errors
    /// When no move is due. Nothing changes.
    pub fn play(&mut self, mv: Move) -> Result<Bytes, OutOfTurn> {
        if self.phase != GamePhase::Moving {
            return Err(OutOfTurn::Move);
        }
        self.phase = GamePhase::Moved;
        Ok(message(&ClientLine::Move(mv)))
    }

    fn read(&mut self, message: ServerLine) -> Option<Event> {
        let (event, phase) = match (message, self.phase) {
            (ServerLine::SetRequest, GamePhase::Start | GamePhase::Placing) => {
                (Event::SetRequested, GamePhase::Placing)
            }
            (ServerLine::Ok(_), GamePhase::Placed) => (Event::SetAnswer(true), GamePhase::Waiting),
            (ServerLine::Refused, GamePhase::Placed) => {
                (Event::SetAnswer(false), GamePhase::Placing)
            }
            (ServerLine::Ok(captured), GamePhase::Moved) => (
                Event::MoveAnswer(MoveAnswer::Made(captured)),
                GamePhase::Waiting,
            ),
            (ServerLine::Refused, GamePhase::Moved) => {
                (Event::MoveAnswer(MoveAnswer::Refused), GamePhase::Moving)
            }
            (ServerLine::MoveRequest(board), _) => return self.move_requested(Ok(board)),
            (ServerLine::Result(outcome, board), _) => return self.ended(outcome, Ok(board)),
            _ => return None,
        };
        self.phase = phase;
        Some(event)
    }

    fn move_requested(&mut self, board: Result<Board, BoardError>) -> Option<Event> {
        // Before a placement was sent there is no board.
        if matches!(
            self.phase,
            GamePhase::Start | GamePhase::Placing | GamePhase::Over
        ) {
            return None;
        }
        self.phase = GamePhase::Moving;
        Some(Event::MoveRequested(board))
    }

    fn ended(&mut self, outcome: Outcome, board: Result<Board, BoardError>) -> Option<Event> {
        if self.phase == GamePhase::Over {
            return None;
        }
        self.phase = GamePhase::Over;
        Some(Event::Ended(outcome, board))
    }
}

fn message(line: &ClientLine) -> Bytes {
    Bytes::from(format!("{line}\r\n"))
}
