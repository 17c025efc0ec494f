//! The two ends.

use bytes::Bytes;

use super::board::{Board, Place};
use super::message::{Answer, Command, Player};
use crate::line::{Line, LineEnd, LineReader};

/// Longest line of a client in bytes, without its end.
pub const COMMAND_LIMIT: usize = 255;

/// Longest line of a server in bytes, without its end. A board has 168.
pub const ANSWER_LIMIT: usize = 1024;

/// The server's end of one client's connection: bytes become [`Command`]s, [`Answer`]s become lines.
///
/// ```
/// use taikyoku_protocol::course::{Answer, Command, Player, ServerEnd};
///
/// let mut end = ServerEnd::default();
/// assert_eq!(&end.say(&Answer::YouAre(Player::One))[..], b"You are Player1\n");
/// end.receive(b"turn\nmv B3 B2\n");
/// assert_eq!(end.next_command(), Some(Command::Turn));
/// assert!(matches!(end.next_command(), Some(Command::Move(..))));
/// ```
#[derive(Clone, Debug)]
pub struct ServerEnd {
    lines: LineReader,
}

impl Default for ServerEnd {
    fn default() -> ServerEnd {
        ServerEnd {
            lines: LineReader::new(LineEnd::Lf, COMMAND_LIMIT),
        }
    }
}

impl ServerEnd {
    /// Takes in bytes of the client, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Bytes taken in and not given as a command yet.
    pub fn waiting(&self) -> usize {
        self.lines.waiting()
    }

    /// The next command; `None` until more bytes come. Empty lines are passed over.
    pub fn next_command(&mut self) -> Option<Command> {
        loop {
            let line = match self.lines.next_line()? {
                Line::Text(line) => String::from_utf8_lossy(line),
                Line::TooLong => return Some(Command::TooLong),
            };
            if let Some(command) = Command::parse(&line) {
                return Some(command);
            }
        }
    }

    /// The line that says this, a message to be written by itself.
    pub fn say(&self, answer: &Answer) -> Bytes {
        Bytes::from(format!("{answer}\n"))
    }
}

/// What the server has said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The game has begun, and this is the own player.
    Begun(Player),
    /// It is the turn of this player.
    Turn(Player),
    /// The position.
    Board(Board),
    /// The own move was made.
    Moved,
    /// Nothing was done, for this reason.
    Refused(String),
}

/// The client's end: it asks one thing after the other. Lines to send have their LF.
///
/// ```
/// use taikyoku_protocol::course::{ClientEnd, Event, Player};
///
/// let mut end = ClientEnd::default();
/// end.receive(b"You are Player1\n");
/// assert_eq!(end.next_event(), Some(Event::Begun(Player::One)));
/// assert_eq!(end.ask_turn(), "turn\n");
/// end.receive(b"Player1\n");
/// assert_eq!(end.next_event(), Some(Event::Turn(Player::One)));
/// assert!(end.is_own_turn());
/// assert_eq!(end.play("B3".parse().unwrap(), "B2".parse().unwrap()), "mv B3 B2\n");
/// ```
#[derive(Clone, Debug)]
pub struct ClientEnd {
    lines: LineReader,
    player: Option<Player>,
    turn: Option<Player>,
}

impl Default for ClientEnd {
    fn default() -> ClientEnd {
        ClientEnd {
            lines: LineReader::new(LineEnd::Lf, ANSWER_LIMIT),
            player: None,
            turn: None,
        }
    }
}

impl ClientEnd {
    /// Takes in bytes of the server, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The own player, once the game has begun.
    pub const fn player(&self) -> Option<Player> {
        self.player
    }

    /// Whether it was this client's turn when it was last told.
    pub fn is_own_turn(&self) -> bool {
        self.turn.is_some() && self.turn == self.player
    }

    /// What the server has said next; `None` until more bytes come. Empty lines are passed over.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            let line = match self.lines.next_line()? {
                Line::Text(line) => String::from_utf8_lossy(line).into_owned(),
                Line::TooLong => {
                    let reason = format!("a line of more than {ANSWER_LIMIT} bytes");
                    return Some(Event::Refused(reason));
                }
            };
            if line.trim().is_empty() {
                continue;
            }
            return Some(match Answer::parse(&line) {
                Answer::YouAre(player) => {
                    self.player = Some(player);
                    Event::Begun(player)
                }
                Answer::Turn(player) => {
                    self.turn = Some(player);
                    Event::Turn(player)
                }
                Answer::Board(board) | Answer::Json(board) => Event::Board(board),
                Answer::Moved => {
                    self.turn = None;
                    Event::Moved
                }
                Answer::Refused(reason) => Event::Refused(reason),
            });
        }
    }

    /// `turn`.
    pub fn ask_turn(&self) -> String {
        format!("{}\n", Command::Turn)
    }

    /// `board`.
    pub fn ask_board(&self) -> String {
        format!("{}\n", Command::Board)
    }

    /// `mv`.
    pub fn play(&self, from: Place, to: Place) -> String {
        format!("{}\n", Command::Move(from, to))
    }
}
