//! What a server says.

use bytes::Bytes;
use games::geister::Color;

use super::board::{Board, BoardError};

/// A line of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerLine {
    /// `SET?`: a placement is due.
    SetRequest,
    /// `OK `, or `OKR` and `OKB` when the move captured a ghost of that colour.
    Ok(Option<Color>),
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
pub enum ServerLineError {
    /// No message begins so.
    #[error("`{0}` is no message of a server")]
    Unknown(String),
    /// A move is due, but the board is none.
    #[error("the board of MOV?: {0}")]
    MoveRequest(BoardError),
    /// The game is over, but the board is none.
    #[error("the board of the result: {1}")]
    Result(Outcome, BoardError),
}

impl ServerLine {
    /// The bytes, with CR LF.
    pub fn encode(&self) -> Bytes {
        match self {
            Self::SetRequest => Bytes::from_static(b"SET?\r\n"),
            Self::Ok(None) => Bytes::from_static(b"OK \r\n"),
            Self::Ok(Some(Color::Red)) => Bytes::from_static(b"OKR\r\n"),
            Self::Ok(Some(Color::Blue)) => Bytes::from_static(b"OKB\r\n"),
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
            "OKR" => Self::Ok(Some(Color::Red)),
            "OKB" => Self::Ok(Some(Color::Blue)),
            "NG" => Self::Refused,
            _ => return Err(ServerLineError::Unknown(text.to_owned())),
        })
    }
}
