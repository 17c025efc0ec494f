//! What clients and servers say.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use games::geister::{Colour, Direction, Ghost, Move, ParseError, Placement};

use super::board::{Board, BoardError};
use crate::line::Line;

/// A line of a client. Prints as the line, without CR LF, in its shortest spelling.
///
/// Accepted are all spellings that the official server accepts: letters in any order and case,
/// directions N, E, W, S or in full and in any case, and `MOV:Axyz,N` for `MOV:A,N`. The words `SET`
/// and `MOV` are capitals; there are no spaces and nothing follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientLine {
    /// `SET:ABCD` or `SET:ABCD,NAME:foo`.
    Set {
        /// The red ghosts.
        placement: Placement,
        /// The name: ASCII letters, digits and `_`, empty in `SET:ABCD,NAME:`.
        name: Option<String>,
    },
    /// `MOV:A,N`.
    Move(Move),
    /// Anything else.
    Malformed {
        /// The line; bytes that are no UTF-8 are replaced by U+FFFD.
        text: String,
        /// What is wrong with it.
        reason: MalformedLine,
    },
    /// More than [`super::CLIENT_LINE_LIMIT`] bytes.
    TooLong,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedLine {
    /// Neither `SET:` nor `MOV:`.
    #[error("neither SET: nor MOV:")]
    Command,
    /// The letters of `SET:` or the parts of `MOV:`.
    #[error(transparent)]
    Argument(#[from] ParseError),
    /// After the letters of `SET:` something other than `,NAME:` and a name.
    #[error("after the four letters only `,NAME:` and letters, digits and _ may follow")]
    Name,
}

impl ClientLine {
    /// What a line, without its CR LF, says.
    pub fn read(line: Line<'_>) -> Self {
        match line {
            Line::Text(bytes) => Self::parse(&String::from_utf8_lossy(bytes)),
            Line::TooLong => Self::TooLong,
        }
    }

    /// What a line, without its CR LF, says.
    pub fn parse(text: &str) -> Self {
        let line = if let Some(set) = text.strip_prefix("SET:") {
            parse_set(set)
        } else if let Some(mv) = text.strip_prefix("MOV:") {
            parse_move(mv).map(Self::Move)
        } else {
            Err(MalformedLine::Command)
        };
        line.unwrap_or_else(|reason| Self::Malformed {
            text: text.to_owned(),
            reason,
        })
    }
}

fn parse_set(text: &str) -> Result<ClientLine, MalformedLine> {
    let (letters, name) = match text.split_once(',') {
        Some((letters, rest)) => (letters, Some(rest)),
        None => (text, None),
    };
    let placement = Placement::from_str(letters)?;
    let name = match name {
        None => None,
        Some(rest) => {
            let name = rest.strip_prefix("NAME:").filter(|name| is_name(name));
            Some(name.ok_or(MalformedLine::Name)?)
        }
    };
    Ok(ClientLine::Set {
        placement,
        name: name.map(str::to_owned),
    })
}

fn parse_move(text: &str) -> Result<Move, MalformedLine> {
    let (ghost, direction) = text
        .split_once(',')
        .ok_or_else(|| ParseError::Move(text.to_owned()))?;
    // Only the first character counts, but all must be letters, digits or `_`.
    let letter = ghost.chars().next().filter(|_| is_name(ghost));
    Ok(Move {
        ghost: letter
            .and_then(Ghost::from_letter)
            .ok_or_else(|| ParseError::Ghost(ghost.to_owned()))?,
        direction: Direction::from_str(direction)?,
    })
}

/// Whether a text consists of ASCII letters, digits and `_` only, so that it can be a name.
pub fn is_name(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

impl fmt::Display for ClientLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set {
                placement,
                name: None,
            } => write!(f, "SET:{placement}"),
            Self::Set {
                placement,
                name: Some(name),
            } => write!(f, "SET:{placement},NAME:{name}"),
            Self::Move(mv) => write!(f, "MOV:{mv}"),
            Self::Malformed { text, .. } => f.write_str(text),
            Self::TooLong => f.write_str("(line too long)"),
        }
    }
}

/// A line of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerLine {
    /// `SET?`: a placement is due.
    SetRequest,
    /// `OK `, or `OKR` and `OKB` when the move captured a ghost of that colour.
    Ok(Option<Colour>),
    /// `NG `: refused.
    Refused,
    /// `MOV?` and the board: a move is due.
    MoveRequest(Board),
    /// `WON:`, `LST:` or `DRW:` and the board with all colours: the game is over.
    Result(Outcome, Board),
}

/// What a game came to for the player that is told.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// It won.
    Won,
    /// It lost.
    Lost,
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// For `seat` of a game won by `winner`; `None` is a draw.
    pub fn of(seat: u8, winner: Option<u8>) -> Self {
        match winner {
            None => Self::Draw,
            Some(winner) if winner == seat => Self::Won,
            Some(_) => Self::Lost,
        }
    }

    const fn tag(self) -> &'static str {
        match self {
            Self::Won => "WON:",
            Self::Lost => "LST:",
            Self::Draw => "DRW:",
        }
    }
}

/// Why a line of a server means nothing, or not all that it should.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each error says what it is")]
pub enum ServerLineError {
    #[error("`{0}` is no message of a server")]
    Unknown(String),
    #[error("the board of MOV?: {0}")]
    MoveRequest(BoardError),
    #[error("the board of the result: {1}")]
    Result(Outcome, BoardError),
}

impl ServerLine {
    /// The bytes, with CR LF.
    pub fn encode(&self) -> Bytes {
        match self {
            Self::SetRequest => Bytes::from_static(b"SET?\r\n"),
            Self::Ok(None) => Bytes::from_static(b"OK \r\n"),
            Self::Ok(Some(Colour::Red)) => Bytes::from_static(b"OKR\r\n"),
            Self::Ok(Some(Colour::Blue)) => Bytes::from_static(b"OKB\r\n"),
            Self::Refused => Bytes::from_static(b"NG \r\n"),
            Self::MoveRequest(board) => Bytes::from(format!("MOV?{board}\r\n")),
            Self::Result(outcome, board) => Bytes::from(format!("{}{board}\r\n", outcome.tag())),
        }
    }

    /// Reads a line without its CR LF. Spaces at its end do not matter.
    ///
    /// # Errors
    /// If the line is no message of a server, or shows an impossible board.
    pub fn parse(text: &str) -> Result<Self, ServerLineError> {
        let text = text.trim_end_matches(' ');
        if let Some(board) = text.strip_prefix("MOV?") {
            let board = board.parse().map_err(ServerLineError::MoveRequest)?;
            return Ok(Self::MoveRequest(board));
        }
        for outcome in [Outcome::Won, Outcome::Lost, Outcome::Draw] {
            if let Some(board) = text.strip_prefix(outcome.tag()) {
                let board = board
                    .parse()
                    .map_err(|e| ServerLineError::Result(outcome, e))?;
                return Ok(Self::Result(outcome, board));
            }
        }
        Ok(match text {
            "SET?" => Self::SetRequest,
            "OK" => Self::Ok(None),
            "OKR" => Self::Ok(Some(Colour::Red)),
            "OKB" => Self::Ok(Some(Colour::Blue)),
            "NG" => Self::Refused,
            _ => return Err(ServerLineError::Unknown(text.to_owned())),
        })
    }
}
