//! The controller's end: what may be sent, and what comes back.

use std::fmt;

use super::OutOfOrder;
use super::answer::{Answer, BestMove, EngineOption, Info};
use super::command::{Command, Go, Position};
use crate::line::{Line, LineEnd, LineReader};

/// Longest line of an engine in bytes, without its end; the name and all options of an engine together have no
/// more either.
pub const ANSWER_LIMIT: usize = 1 << 18;

/// What comes from an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Received {
    /// `usiok`: all that it has told of itself.
    Identity(Identity),
    /// `readyok`.
    Ready,
    /// It tells of its search.
    Info(Info),
    /// The answer to `go`.
    BestMove(BestMove),
    /// A line that means nothing, or not now. It is passed over.
    Odd(String),
    /// More than [`ANSWER_LIMIT`] bytes.
    TooLong,
}

/// What an engine tells of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// Its name; empty if it tells none.
    pub name: String,
    /// Its authors; empty if it tells none.
    pub author: String,
    /// Its options.
    pub options: Vec<EngineOption>,
}

/// Options that are sent to every engine, also to one that does not list them.
const UNLISTED: [&str; 2] = ["USI_Hash", "USI_Ponder"];

impl Identity {
    /// The name and value of an option that is to be set, written as `NAME=VALUE`, or as `NAME` if it is a button.
    ///
    /// # Errors
    /// A sentence for people, if the engine does not list the option or does not take the value.
    pub fn setting(&self, text: &str) -> Result<(String, Option<String>), String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value)),
            None => (text.trim(), None),
        };
        if text.contains(char::is_control) {
            return Err(format!(
                "the engine's option {name:?} has more than one line, or a control character"
            ));
        }
        if let Some(option) = self.options.iter().find(|option| option.name == name) {
            option.kind.check(value).map_err(|takes| {
                let given = value.map_or("nothing".to_owned(), |value| format!("`{value}`"));
                format!("the engine's option `{name}` takes {takes}, not {given}")
            })?;
        } else if !UNLISTED.contains(&name) {
            let names = self
                .options
                .iter()
                .map(|option| format!("`{}`", option.name));
            let names: Vec<String> = names.collect();
            let names = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            return Err(format!("the engine has no option `{name}`: it has {names}"));
        }
        Ok((name.to_owned(), value.map(str::to_owned)))
    }
}

/// The answer that is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Awaited {
    /// That to `usi`.
    UsiOk,
    /// That to `isready`.
    ReadyOk,
    /// That to `go`.
    BestMove,
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Awaited::UsiOk => "usi",
            Awaited::ReadyOk => "isready",
            Awaited::BestMove => "go",
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EnginePhase {
    /// Before `usi`.
    Start,
    Waiting(Awaited),
    Idle,
    /// After `quit`.
    Over,
}

/// The controller's end of one engine.
///
/// The methods give lines to write. One command at a time waits for its answer: `usi`, `isready`, `go`. Feed every
/// byte of the engine to [`ControllerEnd::receive`] and take all with [`ControllerEnd::next_received`].
///
/// ```
/// use taikyoku_protocol::usi::{BestMove, ControllerEnd, Go, Position, Received};
///
/// let mut end = ControllerEnd::default();
/// assert_eq!(end.usi().unwrap(), "usi\n");
/// end.receive(b"id name Lion\nusiok\n");
/// assert!(matches!(end.next_received(), Some(Received::Identity(engine)) if engine.name == "Lion"));
/// assert_eq!(end.is_ready().unwrap(), "isready\n");
/// end.receive(b"readyok\n");
/// assert_eq!(end.next_received(), Some(Received::Ready));
/// let go = Go { nodes: Some(1000), ..Go::default() };
/// let lines = end.go(&Position::after(["2c2b"]), &go).unwrap();
/// assert_eq!(lines, "position startpos moves 2c2b\ngo nodes 1000\n");
/// end.receive(b"info nodes 998 score cp 0 pv 2a2b\nbestmove 2a2b\n");
/// assert!(matches!(end.next_received(), Some(Received::Info(_))));
/// assert_eq!(end.next_received(), Some(Received::BestMove(BestMove::of("2a2b"))));
/// ```
#[derive(Clone, Debug)]
pub struct ControllerEnd {
    lines: LineReader,
    phase: EnginePhase,
    /// What the engine has told of itself so far, and in how many bytes.
    identity: Identity,
    told: usize,
}

impl Default for ControllerEnd {
    fn default() -> ControllerEnd {
        ControllerEnd {
            lines: LineReader::new(LineEnd::Lf, ANSWER_LIMIT),
            phase: EnginePhase::Start,
            identity: Identity::default(),
            told: 0,
        }
    }
}

impl ControllerEnd {
    /// The answer that is waited for.
    pub const fn awaited(&self) -> Option<Awaited> {
        match self.phase {
            EnginePhase::Waiting(awaited) => Some(awaited),
            _ => None,
        }
    }

    /// `usi`, the first command.
    ///
    /// # Errors
    /// When it was sent already.
    pub fn usi(&mut self) -> Result<String, OutOfOrder> {
        if self.phase != EnginePhase::Start {
            self.idle()?;
        }
        self.phase = EnginePhase::Waiting(Awaited::UsiOk);
        Ok(Command::Usi.to_line())
    }

    /// `setoption`.
    ///
    /// # Errors
    /// When the engine owes an answer.
    pub fn set_option(&self, name: &str, value: Option<&str>) -> Result<String, OutOfOrder> {
        self.idle()?;
        let (name, value) = (name.to_owned(), value.map(str::to_owned));
        Ok(Command::SetOption { name, value }.to_line())
    }

    /// `isready`.
    ///
    /// # Errors
    /// When the engine owes an answer.
    pub fn is_ready(&mut self) -> Result<String, OutOfOrder> {
        self.idle()?;
        self.phase = EnginePhase::Waiting(Awaited::ReadyOk);
        Ok(Command::IsReady.to_line())
    }

    /// `usinewgame`.
    ///
    /// # Errors
    /// When the engine owes an answer.
    pub fn new_game(&self) -> Result<String, OutOfOrder> {
        self.idle()?;
        Ok(Command::NewGame.to_line())
    }

    /// `position` and `go`.
    ///
    /// # Errors
    /// When the engine owes an answer.
    pub fn go(&mut self, position: &Position, go: &Go) -> Result<String, OutOfOrder> {
        self.idle()?;
        self.phase = EnginePhase::Waiting(Awaited::BestMove);
        let position = Command::Position(position.clone()).to_line();
        Ok(position + &Command::Go(*go).to_line())
    }

    /// `stop`: the engine is to answer now.
    ///
    /// # Errors
    /// When it does not search.
    pub fn stop(&self) -> Result<String, OutOfOrder> {
        match self.phase {
            EnginePhase::Waiting(Awaited::BestMove) => Ok(Command::Stop.to_line()),
            _ => Err(OutOfOrder::NoSearch),
        }
    }

    /// `quit`, at any time.
    pub fn quit(&mut self) -> String {
        self.phase = EnginePhase::Over;
        Command::Quit.to_line()
    }

    fn idle(&self) -> Result<(), OutOfOrder> {
        match self.phase {
            EnginePhase::Idle => Ok(()),
            EnginePhase::Waiting(awaited) => Err(OutOfOrder::Unanswered(awaited)),
            EnginePhase::Start | EnginePhase::Over => Err(OutOfOrder::NotThere),
        }
    }

    /// Takes in bytes, in any cuts. Take all that was received after each.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// What has come next; `None` until more bytes come. Empty lines are passed over. Letters that are no UTF-8
    /// become U+FFFD.
    pub fn next_received(&mut self) -> Option<Received> {
        loop {
            let line = match self.lines.next_line()? {
                Line::Text(line) => String::from_utf8_lossy(line).into_owned(),
                Line::TooLong => return Some(Received::TooLong),
            };
            if line.trim().is_empty() {
                continue;
            }
            match (Answer::parse(&line), self.phase) {
                (Some(Answer::Info(info)), _) => return Some(Received::Info(info)),
                (Some(Answer::BestMove(best)), EnginePhase::Waiting(Awaited::BestMove)) => {
                    self.phase = EnginePhase::Idle;
                    return Some(Received::BestMove(best));
                }
                (Some(Answer::ReadyOk), EnginePhase::Waiting(Awaited::ReadyOk)) => {
                    self.phase = EnginePhase::Idle;
                    return Some(Received::Ready);
                }
                (Some(Answer::UsiOk), EnginePhase::Waiting(Awaited::UsiOk)) => {
                    self.phase = EnginePhase::Idle;
                    self.told = 0;
                    return Some(Received::Identity(std::mem::take(&mut self.identity)));
                }
                (
                    Some(answer @ (Answer::Name(_) | Answer::Author(_) | Answer::Option(_))),
                    EnginePhase::Waiting(Awaited::UsiOk),
                ) => {
                    let was_told = self.told <= ANSWER_LIMIT;
                    self.told = self.told.saturating_add(line.len());
                    if self.told <= ANSWER_LIMIT {
                        self.identity.learn(answer);
                    } else if was_told {
                        return Some(Received::TooLong);
                    }
                }
                _ => return Some(Received::Odd(line)),
            }
        }
    }
}

impl Identity {
    fn learn(&mut self, answer: Answer) {
        match answer {
            Answer::Name(name) => self.name = name,
            Answer::Author(author) => self.author = author,
            Answer::Option(option) => self.options.push(option),
            _ => {}
        }
    }
}
