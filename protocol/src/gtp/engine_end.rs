//! The engine's end.

use super::message::{Command, Fault, Problem};
use crate::native::{Line, LineReader};

/// Longest command line in bytes, without its end.
pub const COMMAND_LIMIT: usize = 4096;

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
            lines: LineReader::new(COMMAND_LIMIT),
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
