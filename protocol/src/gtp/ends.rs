//! The controller's end.

use super::answer::{Answer, NotAnAnswer};
use super::message::Command;
use crate::native::{Line, LineReader};

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
            lines: LineReader::new(ANSWER_LIMIT),
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
