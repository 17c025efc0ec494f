//! The two ends: of the engine and of its controller.

use super::message::{Answer, COMMAND_LIMIT, Command, Fault, NotAnAnswer, Problem};
use crate::line::{Line, LineEnd, LineReader};

/// Longest answer in bytes, its lines with a LF each. Lists of the moves and their values fit in easily.
pub const ANSWER_LIMIT: usize = 1 << 20;

/// What comes from an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Received {
    /// An answer.
    Answer(Answer),
    /// Something else that it wrote.
    Odd(NotAnAnswer),
    /// More than [`ANSWER_LIMIT`] without an empty line.
    TooLong,
}

/// Commands go out with numbers, bytes of an engine become answers.
///
/// ```
/// use taikyoku_protocol::gtp::{Command, ControllerEnd, Received};
///
/// let mut end = ControllerEnd::default();
/// let line = end.send(Command::new("genmove", ["1"]).unwrap());
/// assert_eq!(line, "1 genmove 1\n");
/// end.receive(b"=1 a19,a20\n\n");
/// let Some(Received::Answer(answer)) = end.next_answer() else {
///     panic!();
/// };
/// assert_eq!((answer.id, answer.result()), (Some(1), Ok("a19,a20")));
/// ```
#[derive(Clone, Debug)]
pub struct ControllerEnd {
    lines: LineReader,
    last_id: u32,
    /// Lines of an answer that has no end yet.
    text: String,
    /// Whether the rest of an answer above the limit is being dropped.
    dropping: bool,
}

impl Default for ControllerEnd {
    fn default() -> ControllerEnd {
        ControllerEnd {
            lines: LineReader::new(LineEnd::Lf, ANSWER_LIMIT),
            last_id: 0,
            text: String::new(),
            dropping: false,
        }
    }
}

impl ControllerEnd {
    /// The line to send: the command with the next number, from 1.
    pub fn send(&mut self, command: Command) -> String {
        self.last_id = self.last_id.wrapping_add(1);
        let id = Some(self.last_id);
        Command { id, ..command }.to_line()
    }

    /// Number of the last command.
    pub const fn last_id(&self) -> u32 {
        self.last_id
    }

    /// Takes in bytes, in any cuts. Take all answers after each.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The next answer; `None` until more bytes come.
    pub fn next_answer(&mut self) -> Option<Received> {
        loop {
            let line = match self.lines.next_line()? {
                Line::Text(line) => String::from_utf8_lossy(line),
                Line::TooLong => {
                    if let Some(too_long) = self.drop_rest() {
                        return Some(too_long);
                    }
                    continue;
                }
            };
            // A line with blanks in it is not empty.
            let is_empty = line.chars().all(char::is_control) && !line.contains('\t');
            if !is_empty {
                if self.dropping {
                    continue;
                }
                if self.text.len() + line.len() < ANSWER_LIMIT {
                    self.text.push_str(&line);
                    self.text.push('\n');
                } else if let Some(too_long) = self.drop_rest() {
                    return Some(too_long);
                }
                continue;
            }
            let text = std::mem::take(&mut self.text);
            let dropped = std::mem::take(&mut self.dropping);
            if dropped || text.is_empty() {
                continue;
            }
            return Some(match Answer::parse(&text) {
                Ok(answer) => Received::Answer(answer),
                Err(odd) => Received::Odd(odd),
            });
        }
    }

    fn drop_rest(&mut self) -> Option<Received> {
        self.text.clear();
        let first = !std::mem::replace(&mut self.dropping, true);
        first.then_some(Received::TooLong)
    }
}

/// Bytes of a controller become commands. Answers go out as [`Answer::to_text`](super::Answer::to_text).
///
/// Take all commands after each [`EngineEnd::receive`]; of an unfinished line no more than
/// [`COMMAND_LIMIT`] and two bytes wait.
///
/// ```
/// use taikyoku_protocol::gtp::{Command, EngineEnd};
///
/// let mut end = EngineEnd::default();
/// end.receive(b"1 name\n# so far\n\nquit");
/// assert_eq!(end.next_command().unwrap().unwrap().id, Some(1));
/// assert_eq!(end.next_command(), None);
/// end.finish();
/// assert_eq!(end.next_command().unwrap().unwrap().name, "quit");
/// ```
#[derive(Clone, Debug)]
pub struct EngineEnd {
    lines: LineReader,
}

impl Default for EngineEnd {
    fn default() -> EngineEnd {
        EngineEnd {
            lines: LineReader::new(LineEnd::Lf, COMMAND_LIMIT),
        }
    }
}

impl EngineEnd {
    /// Takes in bytes, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// No more bytes come: a last line without its LF is one, too.
    pub fn finish(&mut self) {
        self.lines.push(b"\n");
    }

    /// The next command, or what is wrong with its line; `None` until more bytes come. Letters that are no
    /// UTF-8 become U+FFFD.
    pub fn next_command(&mut self) -> Option<Result<Command, Fault>> {
        loop {
            let line = match self.lines.next_line()? {
                Line::Text(line) => String::from_utf8_lossy(line),
                Line::TooLong => {
                    let problem = Problem::TooLong;
                    return Some(Err(Fault { id: None, problem }));
                }
            };
            if let Some(command) = Command::parse(&line).transpose() {
                return Some(command);
            }
        }
    }
}
