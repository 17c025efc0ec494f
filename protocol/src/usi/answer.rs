//! What an engine says.

use std::fmt;

use super::{clean, first_word, up_to};

/// A line of an engine. Prints as it, without LF.
///
/// ```
/// use taikyoku_protocol::usi::{Answer, BestMove};
///
/// let best = Answer::parse("bestmove 2c2b ponder 2a2b");
/// let due = BestMove::Move { mv: "2c2b".to_owned(), ponder: Some("2a2b".to_owned()) };
/// assert_eq!(best, Some(Answer::BestMove(due)));
/// assert_eq!(Answer::parse("loading tables ..."), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// `id name`.
    Name(String),
    /// `id author`.
    Author(String),
    /// `option`.
    Option(EngineOption),
    /// `usiok`: name and options are told.
    UsiOk,
    /// `readyok`.
    ReadyOk,
    /// `info`.
    Info(Info),
    /// `bestmove`.
    BestMove(BestMove),
    /// `checkmate`, the answer to `go mate`.
    CheckMate(CheckMate),
}

/// What an engine does at its turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BestMove {
    /// It plays this, or whatever it has in the place of a move, which may be nothing.
    Move {
        /// A word.
        mv: String,
        /// The answer that it expects.
        ponder: Option<String>,
    },
    /// It gives up.
    Resign,
    /// It says that it has won by a rule of its game.
    Win,
}

/// What came of the search for a mate. Prints as `checkmate` is followed by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckMate {
    /// The moves of both sides, each a word, from the position to its end.
    Moves(Vec<String>),
    /// The side to move cannot force a win.
    NoMate,
    /// It is not known.
    TimeOut,
}

/// An option of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineOption {
    /// Words with single blanks between them, none of them `type`.
    pub name: String,
    /// What values it has.
    pub kind: OptionKind,
}

/// The values of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// Its value as long as none is set.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// Its value as long as none is set.
        default: i64,
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// One of some texts, which have no word `var` or `default`.
    Combo {
        /// Its value as long as none is set.
        default: String,
        /// All values.
        vars: Vec<String>,
    },
    /// No value: something is done when it is set.
    Button,
    /// A text; may be empty.
    Text {
        /// Its value as long as none is set.
        default: String,
    },
    /// A name of a file; may be empty.
    FileName {
        /// Its value as long as none is set.
        default: String,
    },
}

impl OptionKind {
    /// Looks whether an option takes a value; `None` is none.
    pub(super) fn check(&self, value: Option<&str>) -> Result<(), String> {
        let (fits, takes) = match self {
            OptionKind::Check { .. } => (
                matches!(value, Some("true" | "false")),
                "`true` or `false`".to_owned(),
            ),
            OptionKind::Spin { min, max, .. } => {
                let number = value.and_then(|value| value.parse().ok());
                (
                    number.is_some_and(|number| (*min..=*max).contains(&number)),
                    format!("a whole number from {min} to {max}"),
                )
            }
            OptionKind::Combo { vars, .. } => (
                value.is_some_and(|value| vars.iter().any(|var| var == value)),
                format!("one of `{}`", vars.join("`, `")),
            ),
            OptionKind::Button => (value.is_none(), "no value".to_owned()),
            OptionKind::Text { .. } | OptionKind::FileName { .. } => {
                (value.is_some(), "a text".to_owned())
            }
        };
        if fits { Ok(()) } else { Err(takes) }
    }
}

/// What an engine tells of its search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Plies.
    pub depth: Option<u64>,
    /// Value for the side to move.
    pub score: Option<Score>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Positions a second.
    pub nps: Option<u64>,
    /// Milliseconds.
    pub time: Option<u64>,
    /// The line, each move a word.
    pub pv: Vec<String>,
    /// A text for people; not with a line.
    pub string: Option<String>,
}

/// A value for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// Hundredths of a chick, or what the engine takes for such.
    Cp(i64),
    /// It wins in so many plies; below 0 it loses.
    Mate(i64),
    /// It wins, and how soon is not known.
    Mating,
    /// It loses, and how soon is not known.
    Mated,
}

impl Answer {
    /// Reads a line; `None` if it is no answer.
    pub fn parse(line: &str) -> Option<Answer> {
        let line = clean(line);
        let (name, rest) = first_word(&line);
        Some(match name {
            "id" => match first_word(rest) {
                ("name", name) => Answer::Name(name.to_owned()),
                ("author", author) => Answer::Author(author.to_owned()),
                _ => return None,
            },
            "option" => Answer::Option(EngineOption::parse(rest)?),
            "usiok" => Answer::UsiOk,
            "readyok" => Answer::ReadyOk,
            "info" => Answer::Info(Info::parse(rest)),
            "bestmove" => Answer::BestMove(BestMove::parse(rest)),
            "checkmate" => Answer::CheckMate(CheckMate::parse(rest)?),
            _ => return None,
        })
    }

    /// The line with its LF. What a line cannot hold is left out.
    pub fn to_line(&self) -> String {
        format!("{}\n", clean(&self.to_string()))
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Name(name) => write!(f, "id name {name}"),
            Answer::Author(author) => write!(f, "id author {author}"),
            Answer::Option(option) => write!(f, "option {option}"),
            Answer::UsiOk => f.write_str("usiok"),
            Answer::ReadyOk => f.write_str("readyok"),
            Answer::Info(info) => write!(f, "info{info}"),
            Answer::BestMove(best) => write!(f, "bestmove {best}"),
            Answer::CheckMate(found) => write!(f, "checkmate {found}"),
        }
    }
}

impl BestMove {
    /// A move, without an answer to ponder on.
    pub fn of(mv: impl fmt::Display) -> BestMove {
        BestMove::Move {
            mv: mv.to_string(),
            ponder: None,
        }
    }

    fn parse(text: &str) -> BestMove {
        let (mv, rest) = first_word(text);
        let ponder = match first_word(rest) {
            ("ponder", rest) => Some(first_word(rest).0).filter(|mv| !mv.is_empty()),
            _ => None,
        };
        match mv {
            "resign" => BestMove::Resign,
            "win" => BestMove::Win,
            mv => BestMove::Move {
                mv: mv.to_owned(),
                ponder: ponder.map(str::to_owned),
            },
        }
    }
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BestMove::Resign => f.write_str("resign"),
            BestMove::Win => f.write_str("win"),
            BestMove::Move { mv, ponder } => {
                f.write_str(mv)?;
                match ponder {
                    Some(ponder) => write!(f, " ponder {ponder}"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl CheckMate {
    fn parse(text: &str) -> Option<CheckMate> {
        match text.trim() {
            "" | "notimplemented" => None,
            "nomate" => Some(CheckMate::NoMate),
            "timeout" => Some(CheckMate::TimeOut),
            moves => Some(CheckMate::Moves(
                moves.split_whitespace().map(str::to_owned).collect(),
            )),
        }
    }
}

impl fmt::Display for CheckMate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckMate::Moves(moves) => f.write_str(&moves.join(" ")),
            CheckMate::NoMate => f.write_str("nomate"),
            CheckMate::TimeOut => f.write_str("timeout"),
        }
    }
}

/// How an option writes that its text is empty.
const EMPTY: &str = "<empty>";

impl EngineOption {
    fn parse(text: &str) -> Option<EngineOption> {
        let ("name", rest) = first_word(text) else {
            return None;
        };
        let (name, rest) = up_to(rest, &["type"]);
        let ("type", rest) = first_word(rest) else {
            return None;
        };
        let (kind, rest) = first_word(rest);
        let default = || {
            let text = match first_word(rest) {
                ("default", text) => text,
                _ => "",
            };
            if text == EMPTY { "" } else { text }.to_owned()
        };
        let number = |key: &str| {
            let mut words = rest.split_whitespace();
            words.find(|word| *word == key)?;
            words.next()?.parse().ok()
        };
        let kind = match kind {
            "check" => OptionKind::Check {
                default: default() == "true",
            },
            "spin" => OptionKind::Spin {
                default: number("default")?,
                min: number("min")?,
                max: number("max")?,
            },
            "combo" => {
                let (mut default, mut vars) = (String::new(), Vec::new());
                let mut rest = rest;
                while let (key, after) = first_word(rest)
                    && !key.is_empty()
                {
                    let (text, after) = up_to(after, &["default", "var"]);
                    match key {
                        "default" => default = text,
                        "var" if !text.is_empty() => vars.push(text),
                        _ => {}
                    }
                    rest = after;
                }
                OptionKind::Combo { default, vars }
            }
            "button" => OptionKind::Button,
            "string" => OptionKind::Text { default: default() },
            "filename" => OptionKind::FileName { default: default() },
            _ => return None,
        };
        Some(EngineOption { name, kind }).filter(|option| !option.name.is_empty())
    }
}

impl fmt::Display for EngineOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name {} type ", self.name)?;
        let or_empty = |text: &str| if text.is_empty() { EMPTY } else { text }.to_owned();
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, vars } => {
                write!(f, "combo default {default}")?;
                vars.iter().try_for_each(|var| write!(f, " var {var}"))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::Text { default } => write!(f, "string default {}", or_empty(default)),
            OptionKind::FileName { default } => {
                write!(f, "filename default {}", or_empty(default))
            }
        }
    }
}

impl Info {
    /// The words that a number follows, with their numbers.
    fn numbers(&mut self) -> [(&'static str, &mut Option<u64>); 4] {
        [
            ("depth", &mut self.depth),
            ("nodes", &mut self.nodes),
            ("nps", &mut self.nps),
            ("time", &mut self.time),
        ]
    }

    fn parse(text: &str) -> Info {
        let mut info = Info::default();
        let mut rest = text;
        loop {
            let (word, after) = first_word(rest);
            rest = after;
            let (next, after) = first_word(rest);
            match word {
                "" => return info,
                "string" => {
                    info.string = Some(rest.to_owned());
                    return info;
                }
                "pv" => {
                    info.pv = rest.split_whitespace().map(str::to_owned).collect();
                    return info;
                }
                "score" => {
                    if let Some((score, after)) = Score::parse(rest) {
                        info.score = Some(score);
                        rest = after;
                    }
                }
                _ => {
                    let mut numbers = info.numbers().into_iter();
                    if let Some((_, field)) = numbers.find(|(name, _)| *name == word)
                        && let Ok(number) = next.parse()
                    {
                        *field = Some(number);
                        rest = after;
                    }
                }
            }
        }
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, number) in self.clone().numbers() {
            if let Some(number) = number {
                write!(f, " {word} {number}")?;
            }
        }
        if let Some(score) = self.score {
            write!(f, " score {score}")?;
        }
        match &self.string {
            Some(string) => write!(f, " string {string}"),
            None if self.pv.is_empty() => Ok(()),
            None => write!(f, " pv {}", self.pv.join(" ")),
        }
    }
}

impl Score {
    /// Reads a score at the beginning of a text; gives what follows.
    fn parse(text: &str) -> Option<(Score, &str)> {
        let (unit, rest) = first_word(text);
        let (number, rest) = first_word(rest);
        let score = match (unit, number) {
            ("cp", number) => Score::Cp(number.parse().ok()?),
            ("mate", "+") => Score::Mating,
            ("mate", "-") => Score::Mated,
            ("mate", number) => Score::Mate(number.parse().ok()?),
            _ => return None,
        };
        Some((score, rest))
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Cp(value) => write!(f, "cp {value}"),
            Score::Mate(plies) => write!(f, "mate {plies}"),
            Score::Mating => f.write_str("mate +"),
            Score::Mated => f.write_str("mate -"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(line: &str) -> Option<OptionKind> {
        match Answer::parse(line)? {
            Answer::Option(option) => Some(option.kind),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_of_engines_are_read() {
        let spin = "option name Hash Size type spin min 1 default 16 max 4096";
        assert_eq!(
            option(spin),
            Some(OptionKind::Spin {
                default: 16,
                min: 1,
                max: 4096
            })
        );
        let combo =
            "option name USI_Variant type combo default shogi var dobutsu var two words var shogi";
        assert_eq!(
            option(combo),
            Some(OptionKind::Combo {
                default: "shogi".to_owned(),
                vars: ["dobutsu", "two words", "shogi"]
                    .map(str::to_owned)
                    .to_vec(),
            })
        );
        let text = |default: &str| {
            let default = default.to_owned();
            Some(OptionKind::Text { default })
        };
        assert_eq!(
            option("option name A type string default <empty>"),
            text("")
        );
        assert_eq!(option("option name A type string"), text(""));
        assert_eq!(
            option("option name A type string default a  b"),
            text("a  b")
        );
        assert_eq!(
            option("option name Clear type button"),
            Some(OptionKind::Button)
        );
        for line in [
            "option name A type spin default x min 0 max 1",
            "option name A type knob",
            "option name type check default true",
            "option Threads",
        ] {
            assert_eq!(option(line), None, "{line}");
        }
    }

    #[test]
    fn info_is_read_as_far_as_it_is_known() {
        let line = "info depth 12 seldepth 14 tbhits 0 score mate -78 upperbound nodes 1000 nps x pv 2c2b 2a2b";
        let Some(Answer::Info(info)) = Answer::parse(line) else {
            panic!();
        };
        let due = Info {
            depth: Some(12),
            score: Some(Score::Mate(-78)),
            nodes: Some(1000),
            pv: ["2c2b", "2a2b"].map(str::to_owned).to_vec(),
            ..Info::default()
        };
        assert_eq!(info, due);
        let Some(Answer::Info(info)) = Answer::parse("info string depth 3 of  4") else {
            panic!();
        };
        assert_eq!(info.string.as_deref(), Some("depth 3 of  4"));
    }

    #[test]
    fn what_an_engine_does_at_its_turn_is_read() {
        let best = |line| match Answer::parse(line) {
            Some(Answer::BestMove(best)) => best,
            other => panic!("{other:?}"),
        };
        assert_eq!(best("bestmove resign"), BestMove::Resign);
        assert_eq!(best("bestmove win\r"), BestMove::Win);
        assert_eq!(best("bestmove 2c2b ponder"), BestMove::of("2c2b"));
        assert_eq!(best("bestmove"), BestMove::of(""));
        assert_eq!(best("bestmove (none)"), BestMove::of("(none)"));
    }
}
