//! What clients and servers say.

use std::fmt;
use std::str::FromStr;

use games::dobutsu::{self, ParseError};

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// `+`, who moves first.
    First,
    /// `-`.
    Second,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "+",
            Side::Second => "-",
        })
    }
}

/// A move and the side that makes it. Reads and prints the notation of the lines, whose files run from left to right.
///
/// ```
/// use taikyoku_protocol::animal_shogi::{Move, Side};
///
/// let mv: Move = "+3d3c".parse()?;
/// assert_eq!((mv.side(), mv.usi()), (Side::First, "1d1c".to_owned()));
/// let drop: Move = "-h*1b".parse()?;
/// assert_eq!(drop.usi(), "C*3b");
/// assert_eq!(Move::from_usi(Side::Second, "2c2d+")?.to_string(), "-2c2d+");
/// # Ok::<(), games::dobutsu::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    side: Side,
    mv: dobutsu::Move,
}

impl Move {
    /// The side that moves.
    pub const fn side(self) -> Side {
        self.side
    }

    /// The move in the notation of USI, without its side.
    pub fn usi(self) -> String {
        self.mv.to_string()
    }

    /// A move of a side in the notation of USI.
    ///
    /// # Errors
    /// When the text is none.
    pub fn from_usi(side: Side, text: &str) -> Result<Move, ParseError> {
        let mv = text.parse()?;
        Ok(Move { side, mv })
    }
}

impl FromStr for Move {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Move, ParseError> {
        let (seat, mv) = dobutsu::Move::read_animal_shogi(text)?;
        let side = if seat == 0 { Side::First } else { Side::Second };
        Ok(Move { side, mv })
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seat = u8::from(self.side == Side::Second);
        f.write_str(&self.mv.animal_shogi(seat))
    }
}

/// A line of a client. Prints as it, without LF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientLine {
    /// `LOGIN:name`; nothing for `LOGIN` without a name.
    Login(Option<String>),
    /// `AGREE`.
    Agree,
    /// A move.
    Move(Move),
    /// `resign`.
    Resign,
    /// A blank line: it keeps the connection alive.
    Alive,
    /// `+` or `-`, and what follows is no move.
    NoMove(String),
    /// Anything else.
    Other(String),
    /// More than [`super::CLIENT_LINE_LIMIT`] bytes.
    TooLong,
}

impl ClientLine {
    /// Reads a line. Blanks at its ends count for nothing.
    pub fn parse(line: &str) -> ClientLine {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("LOGIN") {
            let name = rest.strip_prefix(':').map(str::trim);
            let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
            return ClientLine::Login(name);
        }
        match line {
            "" => ClientLine::Alive,
            "AGREE" => ClientLine::Agree,
            "resign" => ClientLine::Resign,
            mv if mv.starts_with(['+', '-']) => match mv.parse() {
                Ok(mv) => ClientLine::Move(mv),
                Err(_) => ClientLine::NoMove(mv.to_owned()),
            },
            other => ClientLine::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for ClientLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientLine::Login(Some(name)) => write!(f, "LOGIN:{name}"),
            ClientLine::Login(None) => f.write_str("LOGIN"),
            ClientLine::Agree => f.write_str("AGREE"),
            ClientLine::Move(mv) => write!(f, "{mv}"),
            ClientLine::Resign => f.write_str("resign"),
            ClientLine::Alive | ClientLine::TooLong => Ok(()),
            ClientLine::NoMove(text) | ClientLine::Other(text) => f.write_str(text),
        }
    }
}

/// A line of a server. Prints as it, without LF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerLine {
    /// `LOGIN:name,ok`.
    LoggedIn(String),
    /// `BEGIN Game_Summary`.
    SummaryBegin,
    /// `Game_ID:20180910-001`.
    GameId(String),
    /// `Your_Turn:+`.
    YourTurn(Side),
    /// `END Game_Summary`.
    SummaryEnd,
    /// `START`.
    Start,
    /// `+2c2b,OK`: this was played.
    Played(Move),
    /// `#GAME_OVER` or `#ILLEGAL`.
    End(End),
    /// `#WIN`, `#LOSE` or `#DRAW`.
    Outcome(Outcome),
    /// A blank line: it keeps the connection alive.
    Alive,
    /// Anything else.
    Other(String),
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// `#GAME_OVER`: by the rules, on time, or because a player gave up or left.
    GameOver,
    /// `#ILLEGAL`: by what this player has sent.
    Illegal,
}

/// What a game came to for a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// `#WIN`.
    Win,
    /// `#LOSE`.
    Lose,
    /// `#DRAW`.
    Draw,
}

impl ServerLine {
    /// Reads a line. Blanks at its ends count for nothing.
    pub fn parse(line: &str) -> ServerLine {
        let line = line.trim();
        if let Some(name) = line
            .strip_prefix("LOGIN:")
            .and_then(|l| l.strip_suffix(",ok"))
        {
            return ServerLine::LoggedIn(name.trim().to_owned());
        }
        if let Some(id) = line.strip_prefix("Game_ID:") {
            return ServerLine::GameId(id.trim().to_owned());
        }
        if let Some(Ok(mv)) = line.strip_suffix(",OK").map(str::parse) {
            return ServerLine::Played(mv);
        }
        match line {
            "" => ServerLine::Alive,
            "BEGIN Game_Summary" => ServerLine::SummaryBegin,
            "Your_Turn:+" => ServerLine::YourTurn(Side::First),
            "Your_Turn:-" => ServerLine::YourTurn(Side::Second),
            "END Game_Summary" => ServerLine::SummaryEnd,
            "START" => ServerLine::Start,
            "#GAME_OVER" => ServerLine::End(End::GameOver),
            // The page of the original had the second.
            "#ILLEGAL" | "#ILLEGAL_MOVE" => ServerLine::End(End::Illegal),
            "#WIN" => ServerLine::Outcome(Outcome::Win),
            "#LOSE" => ServerLine::Outcome(Outcome::Lose),
            "#DRAW" => ServerLine::Outcome(Outcome::Draw),
            other => ServerLine::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for ServerLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerLine::LoggedIn(name) => write!(f, "LOGIN:{name},ok"),
            ServerLine::SummaryBegin => f.write_str("BEGIN Game_Summary"),
            ServerLine::GameId(id) => write!(f, "Game_ID:{id}"),
            ServerLine::YourTurn(side) => write!(f, "Your_Turn:{side}"),
            ServerLine::SummaryEnd => f.write_str("END Game_Summary"),
            ServerLine::Start => f.write_str("START"),
            ServerLine::Played(mv) => write!(f, "{mv},OK"),
            ServerLine::End(End::GameOver) => f.write_str("#GAME_OVER"),
            ServerLine::End(End::Illegal) => f.write_str("#ILLEGAL"),
            ServerLine::Outcome(Outcome::Win) => f.write_str("#WIN"),
            ServerLine::Outcome(Outcome::Lose) => f.write_str("#LOSE"),
            ServerLine::Outcome(Outcome::Draw) => f.write_str("#DRAW"),
            ServerLine::Alive => Ok(()),
            ServerLine::Other(text) => f.write_str(text),
        }
    }
}
