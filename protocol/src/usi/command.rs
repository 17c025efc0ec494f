//! What a controller says.

use std::fmt;

use super::{clean, first_word, up_to};

/// A command. Prints as its line, without LF.
///
/// ```
/// use taikyoku_protocol::usi::{Command, Position, Start};
///
/// let line = "position sfen gle/1c1/1C1/ELG b - 1 moves 2c2b 2a2b";
/// let Some(Command::Position(position)) = Command::parse(line) else {
///     panic!();
/// };
/// assert_eq!(position.start, Start::Sfen("gle/1c1/1C1/ELG b - 1".to_owned()));
/// assert_eq!(position.moves, ["2c2b", "2a2b"]);
/// assert_eq!(Command::Position(position).to_line(), format!("{line}\n"));
/// assert_eq!(Command::parse("showboard"), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `usi`: asks for the engine's name and options.
    Usi,
    /// `isready`: is all loaded?
    IsReady,
    /// `setoption name Threads value 2`.
    SetOption {
        /// Words with single blanks between them, none of them `value`.
        name: String,
        /// Nothing for a button.
        value: Option<String>,
    },
    /// `usinewgame`.
    NewGame,
    /// `position`.
    Position(Position),
    /// `go`.
    Go(Go),
    /// `stop`.
    Stop,
    /// `ponderhit`: the move was played that the engine ponders on.
    PonderHit,
    /// `gameover win`.
    GameOver(GameEnd),
    /// `quit`.
    Quit,
}

/// A position: where it begins, and the moves from there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Position {
    /// The first position.
    pub start: Start,
    /// Moves, each a word.
    pub moves: Vec<String>,
}

/// A first position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Start {
    /// The initial position of the game.
    #[default]
    StartPos,
    /// Another: board, side to move, hands and, where it is told, the number of the move, with single blanks
    /// between them.
    Sfen(String),
}

/// How long to search. Times are milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// On the time of the opponent, after the move that is expected of it.
    pub ponder: bool,
    /// Time left of the first player.
    pub btime: Option<u64>,
    /// Time left of the second player.
    pub wtime: Option<u64>,
    /// Time for each move once the time left is used up.
    pub byoyomi: Option<u64>,
    /// What the first player gets for each move.
    pub binc: Option<u64>,
    /// What the second player gets for each move.
    pub winc: Option<u64>,
    /// Time for this move.
    pub movetime: Option<u64>,
    /// Most positions to look at.
    pub nodes: Option<u64>,
    /// Most plies to look ahead.
    pub depth: Option<u64>,
    /// Until `stop`.
    pub infinite: bool,
    /// Most time to look for a mate alone, which `checkmate` answers; `u64::MAX` is no limit.
    pub mate: Option<u64>,
}

/// How a game ended for the engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameEnd {
    /// It has won.
    Win,
    /// It has lost.
    Lose,
    /// Nobody has won.
    Draw,
}

impl Command {
    /// Reads a line; `None` if it is no command.
    pub fn parse(line: &str) -> Option<Command> {
        let line = clean(line);
        let (name, rest) = first_word(&line);
        Some(match name {
            "usi" => Command::Usi,
            "isready" => Command::IsReady,
            "setoption" => {
                let ("name", rest) = first_word(rest) else {
                    return None;
                };
                let (name, rest) = up_to(rest, &["value"]);
                let value = rest.strip_prefix("value");
                if name.is_empty() {
                    return None;
                }
                let value = value.map(|value| value.trim().to_owned());
                Command::SetOption { name, value }
            }
            "usinewgame" => Command::NewGame,
            "position" => Command::Position(Position::parse(rest)?),
            "go" => Command::Go(Go::parse(rest)),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "gameover" => Command::GameOver(match first_word(rest).0 {
                "win" => GameEnd::Win,
                "lose" => GameEnd::Lose,
                "draw" => GameEnd::Draw,
                _ => return None,
            }),
            "quit" => Command::Quit,
            _ => return None,
        })
    }

    /// The line with its LF. What a line cannot hold is left out.
    pub fn to_line(&self) -> String {
        format!("{}\n", clean(&self.to_string()))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Usi => f.write_str("usi"),
            Command::IsReady => f.write_str("isready"),
            Command::SetOption { name, value } => {
                write!(f, "setoption name {name}")?;
                match value {
                    Some(value) => write!(f, " value {value}"),
                    None => Ok(()),
                }
            }
            Command::NewGame => f.write_str("usinewgame"),
            Command::Position(position) => write!(f, "position {position}"),
            Command::Go(go) => write!(f, "go{go}"),
            Command::Stop => f.write_str("stop"),
            Command::PonderHit => f.write_str("ponderhit"),
            Command::GameOver(end) => write!(f, "gameover {end}"),
            Command::Quit => f.write_str("quit"),
        }
    }
}

impl Position {
    /// The initial position after these moves.
    pub fn after<M: fmt::Display>(moves: impl IntoIterator<Item = M>) -> Position {
        Position {
            start: Start::StartPos,
            moves: moves.into_iter().map(|mv| mv.to_string()).collect(),
        }
    }

    fn parse(text: &str) -> Option<Position> {
        let (start, rest) = match first_word(text) {
            ("startpos", rest) => (Start::StartPos, rest),
            ("sfen", rest) => {
                let (sfen, rest) = up_to(rest, &["moves"]);
                (
                    Some(sfen)
                        .filter(|sfen| !sfen.is_empty())
                        .map(Start::Sfen)?,
                    rest,
                )
            }
            _ => return None,
        };
        let moves = match first_word(rest) {
            ("moves", moves) => moves,
            ("", _) => "",
            _ => return None,
        };
        let moves = moves.split_whitespace().map(str::to_owned).collect();
        Some(Position { start, moves })
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Start::StartPos => f.write_str("startpos")?,
            Start::Sfen(sfen) => write!(f, "sfen {sfen}")?,
        }
        if !self.moves.is_empty() {
            f.write_str(" moves")?;
        }
        self.moves.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

impl Go {
    /// The words that a number follows, with their numbers.
    fn numbers(&mut self) -> [(&'static str, &mut Option<u64>); 8] {
        [
            ("btime", &mut self.btime),
            ("wtime", &mut self.wtime),
            ("byoyomi", &mut self.byoyomi),
            ("binc", &mut self.binc),
            ("winc", &mut self.winc),
            ("movetime", &mut self.movetime),
            ("nodes", &mut self.nodes),
            ("depth", &mut self.depth),
        ]
    }

    /// Takes the words that it knows; a number below 0 counts as 0.
    fn parse(text: &str) -> Go {
        let mut go = Go::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let number = words.peek().and_then(|word| word.parse::<i64>().ok());
            let number = number.map(|number| number.max(0).unsigned_abs());
            let is_taken = match word {
                "mate" => {
                    go.mate = number.or(Some(u64::MAX));
                    number.is_some() || words.peek() == Some(&"infinite")
                }
                "ponder" => {
                    go.ponder = true;
                    false
                }
                "infinite" => {
                    go.infinite = true;
                    false
                }
                _ => match go.numbers().into_iter().find(|(name, _)| *name == word) {
                    Some((_, field)) => {
                        *field = number.or(*field);
                        number.is_some()
                    }
                    None => false,
                },
            };
            if is_taken {
                words.next();
            }
        }
        go
    }
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Longer ones are no numbers for those that read them.
        let shown = |number: u64| number.min(i64::MAX.unsigned_abs());
        match self.mate {
            None => {}
            Some(u64::MAX) => f.write_str(" mate infinite")?,
            Some(ms) => write!(f, " mate {}", shown(ms))?,
        }
        if self.ponder {
            f.write_str(" ponder")?;
        }
        for (word, number) in { *self }.numbers() {
            if let Some(number) = *number {
                write!(f, " {word} {}", shown(number))?;
            }
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        Ok(())
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameEnd::Win => "win",
            GameEnd::Lose => "lose",
            GameEnd::Draw => "draw",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(words: &str) -> Go {
        match Command::parse(&format!("go {words}")) {
            Some(Command::Go(go)) => go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_of_go_that_are_unknown_are_passed_over() {
        let due = Go {
            btime: Some(60_000),
            wtime: Some(0),
            byoyomi: Some(1000),
            ..Go::default()
        };
        assert_eq!(go("btime 60000 wtime -20 byoyomi 1000"), due);
        assert_eq!(
            go("searchmoves 2c2b btime 60000 x wtime 0 byoyomi 1000"),
            due
        );
        assert_eq!(
            go("nodes infinite"),
            Go {
                infinite: true,
                ..Go::default()
            }
        );
        assert_eq!(go(""), Go::default());
    }

    #[test]
    fn what_is_no_command_is_none() {
        for line in [
            "",
            "  ",
            "position",
            "position 2c2b",
            "position startpos 2c2b",
            "position sfen",
            "position sfen moves 2c2b",
            "setoption Threads 2",
            "setoption name value 2",
            "gameover",
            "Usi",
        ] {
            assert_eq!(Command::parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn names_and_values_of_options_may_have_blanks() {
        let option = |line| match Command::parse(line) {
            Some(Command::SetOption { name, value }) => (name, value),
            other => panic!("{other:?}"),
        };
        let value = |text: &str| Some(text.to_owned());
        assert_eq!(
            option("setoption name  Eval  Dir value C:\\a  b \r"),
            ("Eval Dir".to_owned(), value("C:\\a  b"))
        );
        assert_eq!(option("setoption name Clear"), ("Clear".to_owned(), None));
        assert_eq!(
            option("setoption name Book value"),
            ("Book".to_owned(), value(""))
        );
    }

    #[test]
    fn no_word_brings_a_second_line_in() {
        let position = Position::after(["2c2b\nquit"]);
        let line = Command::Position(position).to_line();
        assert_eq!(line, "position startpos moves 2c2bquit\n");
    }
}
