//! Commands and answers.

use std::fmt;

use super::board::{Board, Place};

/// Player 1, who moves first, or player 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Player {
    /// Moves first and sits below.
    One,
    /// Moves second.
    Two,
}

impl Player {
    /// 1 or 2.
    pub const fn number(self) -> u8 {
        match self {
            Player::One => 1,
            Player::Two => 2,
        }
    }

    fn parse(text: &str) -> Option<Player> {
        match text {
            "Player1" => Some(Player::One),
            "Player2" => Some(Player::Two),
            _ => None,
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Player{}", self.number())
    }
}

/// What a client asks. Prints as its line, without LF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `turn`: whose turn is it?
    Turn,
    /// `board`.
    Board,
    /// `boardjson`.
    BoardJson,
    /// `initboard`: the first position.
    InitBoard,
    /// `initboardjson`.
    InitBoardJson,
    /// `whoami`.
    WhoAmI,
    /// `mv B3 B2`: a move, or a drop from a place of the hand.
    Move(Place, Place),
    /// Anything else.
    Other(String),
    /// More than [`super::COMMAND_LIMIT`] bytes.
    TooLong,
}

impl Command {
    /// Reads a line; `None` if it is empty.
    pub fn parse(line: &str) -> Option<Command> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some(match words[..] {
            [] => return None,
            ["turn"] => Command::Turn,
            ["board"] => Command::Board,
            ["boardjson"] => Command::BoardJson,
            ["initboard"] => Command::InitBoard,
            ["initboardjson"] => Command::InitBoardJson,
            ["whoami"] => Command::WhoAmI,
            ["mv", from, to] => match (from.parse(), to.parse()) {
                (Ok(from), Ok(to)) => Command::Move(from, to),
                _ => Command::Other(words.join(" ")),
            },
            _ => Command::Other(words.join(" ")),
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Command::Turn => "turn",
            Command::Board => "board",
            Command::BoardJson => "boardjson",
            Command::InitBoard => "initboard",
            Command::InitBoardJson => "initboardjson",
            Command::WhoAmI => "whoami",
            Command::Move(from, to) => return write!(f, "mv {from} {to}"),
            Command::Other(text) => text,
            Command::TooLong => "",
        })
    }
}

/// What a server says. Prints as its line, without LF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// `You are Player1`: the greeting, and the answer to `whoami`.
    YouAre(Player),
    /// `Player1`: it is the turn of this player.
    Turn(Player),
    /// The answer to `board` and `initboard`.
    Board(Board),
    /// The answer to `boardjson` and `initboardjson`.
    Json(Board),
    /// `moved.`
    Moved,
    /// Why nothing was done.
    Refused(String),
}

/// What a client reads where a move was made.
const MOVED: &str = "moved.";

impl Answer {
    /// Reads a line. What it cannot be anything else is a refusal.
    pub fn parse(line: &str) -> Answer {
        let line = line.trim();
        let you_are = line
            .strip_prefix("You are ")
            .map(|l| l.trim_end_matches('.'));
        if let Some(player) = you_are.and_then(Player::parse) {
            return Answer::YouAre(player);
        }
        if let Some(player) = Player::parse(line) {
            return Answer::Turn(player);
        }
        if line == MOVED {
            return Answer::Moved;
        }
        if line.starts_with('{') {
            if let Ok(board) = Board::from_json(line) {
                return Answer::Json(board);
            }
        } else if !line.is_empty()
            && let Ok(board) = line.parse()
        {
            return Answer::Board(board);
        }
        Answer::Refused(line.to_owned())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::YouAre(player) => write!(f, "You are {player}"),
            Answer::Turn(player) => write!(f, "{player}"),
            Answer::Board(board) => write!(f, "{board}"),
            Answer::Json(board) => f.write_str(&board.to_json()),
            Answer::Moved => f.write_str(MOVED),
            Answer::Refused(text) => f.write_str(text),
        }
    }
}
