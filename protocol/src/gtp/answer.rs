//! Answers of an engine.

use std::fmt;

/// An answer: a success or a failure, each with a text.
///
/// A text has lines without control letters but tabs, without blanks at their ends and without empty lines but,
/// at most, the first, which sets a board or a list off from the `=`. [`Answer::success`] and
/// [`Answer::failure`] make any text such a one.
///
/// ```
/// use taikyoku_protocol::gtp::Answer;
///
/// assert_eq!(Answer::success(Some(3), "b18,c18,b19").to_text(), "=3 b18,c18,b19\n\n");
/// assert_eq!(Answer::failure(None, "unknown command").to_text(), "? unknown command\n\n");
/// assert_eq!(Answer::success(None, "\na b\n\nc \n").to_text(), "= \na b\nc\n\n");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The number of the command.
    pub id: Option<u32>,
    result: Result<String, String>,
}

/// A text between empty lines that does not begin as an answer does.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no answer: it begins with {0:?}")]
pub struct NotAnAnswer(
    /// The beginning of the text.
    pub String,
);

/// Most letters of a text that is no answer that are kept.
const MOST_KEPT: usize = 80;

impl Answer {
    /// The command was carried out.
    pub fn success(id: Option<u32>, text: impl AsRef<str>) -> Answer {
        let result = Ok(clean(text.as_ref()));
        Answer { id, result }
    }

    /// The command failed, and nothing has changed.
    pub fn failure(id: Option<u32>, text: impl AsRef<str>) -> Answer {
        let result = Err(clean(text.as_ref()));
        Answer { id, result }
    }

    /// The text of a success, or as an error that of a failure.
    ///
    /// # Errors
    /// When the command failed.
    pub fn result(&self) -> Result<&str, &str> {
        match &self.result {
            Ok(text) => Ok(text),
            Err(text) => Err(text),
        }
    }

    /// Reads an answer without the empty line at its end. A number follows `=` or `?` without a blank.
    ///
    /// # Errors
    /// When it begins with neither.
    pub fn parse(text: &str) -> Result<Answer, NotAnAnswer> {
        let is_success = match text.chars().next() {
            Some('=') => true,
            Some('?') => false,
            _ => return Err(NotAnAnswer(text.chars().take(MOST_KEPT).collect())),
        };
        let text = &text[1..];
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = text.split_at(digits);
        // A number that does not fit belongs to no command.
        let id = number.parse().ok();
        Ok(if is_success {
            Answer::success(id, rest)
        } else {
            Answer::failure(id, rest)
        })
    }

    /// The answer with the empty line at its end.
    pub fn to_text(&self) -> String {
        format!("{self}\n\n")
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, text) = match &self.result {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        write!(f, "{sign}")?;
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        write!(f, " {text}")
    }
}

/// What is left of a text that no line of it may end the answer.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        let line: String = line
            .chars()
            .filter(|c| *c == '\t' || !c.is_control())
            .collect();
        let line = line.trim_end();
        if number == 0 {
            out.push_str(line.trim_start());
        } else if !line.is_empty() {
            out.push('\n');
            out.push_str(line);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_other_engines_are_read() {
        for (text, id, result) in [
            ("=", None, Ok("")),
            ("= ", None, Ok("")),
            ("=12", Some(12), Ok("")),
            ("=12 34", Some(12), Ok("34")),
            ("= 12", None, Ok("12")),
            ("=\ta1,a2\r", None, Ok("a1,a2")),
            ("?7 illegal move", Some(7), Err("illegal move")),
            ("= \n  a b\n 1 2", None, Ok("\n  a b\n 1 2")),
            ("=99999999999 x", None, Ok("x")),
        ] {
            let answer = Answer::parse(text).expect(text);
            assert_eq!((answer.id, answer.result()), (id, result), "{text:?}");
        }
        assert!(Answer::parse("loading tables").is_err());
    }
}
