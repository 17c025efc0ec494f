//! Commands of a controller and answers of an engine.

use std::fmt;

use games::is_printable;

/// Longest command line in bytes, without its end.
pub const COMMAND_LIMIT: usize = 4096;

/// A command line, taken apart.
///
/// ```
/// use taikyoku_protocol::gtp::Command;
///
/// let command = Command::parse("12 play\t1  b19,B18 # the first\r").unwrap().unwrap();
/// assert_eq!((command.id, command.name.as_str()), (Some(12), "play"));
/// assert_eq!(command.arguments, ["1", "b19,B18"]);
/// assert_eq!(command.to_line(), "12 play 1 b19,B18\n");
/// assert_eq!(Command::parse("  # nothing"), Ok(None));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The number that the answer repeats.
    pub id: Option<u32>,
    /// The first word.
    pub name: String,
    /// The other words, without the quotes that they may have had.
    pub arguments: Vec<String>,
}

/// Why a line is no command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing stands after the number.
    #[error("no command after the number")]
    NoName,
    /// The number is too large.
    #[error("the number of the command is above {}", u32::MAX)]
    Number,
    /// The line is too long.
    #[error("the line is longer than {} bytes", COMMAND_LIMIT)]
    TooLong,
}

/// A line that is no command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The number to be repeated, where it could be read.
    pub id: Option<u32>,
    /// What is wrong.
    pub problem: Problem,
}

/// A word that no command line can hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a command line cannot hold the word {0:?}")]
pub struct NotAWord(
    /// The word.
    pub String,
);

impl Command {
    /// A command without a number.
    ///
    /// # Errors
    /// When a word has `#` or a control letter, or the name has blanks or quotes, begins with a digit or is
    /// empty.
    pub fn new<A: Into<String>>(
        name: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Command, NotAWord> {
        let arguments: Vec<String> = arguments.into_iter().map(Into::into).collect();
        let bad_name =
            name.is_empty() || quoted(name) || name.starts_with(|c: char| c.is_ascii_digit());
        let cannot = |word: &&str| word.contains(|c: char| c == '#' || c.is_control());
        let mut words = std::iter::once(name).chain(arguments.iter().map(String::as_str));
        let bad = if bad_name {
            Some(name)
        } else {
            words.find(cannot)
        };
        if let Some(word) = bad {
            return Err(NotAWord(word.to_owned()));
        }
        Ok(Command {
            id: None,
            name: name.to_owned(),
            arguments,
        })
    }

    /// Reads a line; `None` if nothing is in it but blanks and a comment.
    ///
    /// # Errors
    /// When there is no command after a number, or the number does not fit.
    pub fn parse(line: &str) -> Result<Option<Command>, Fault> {
        let line: String = line
            .chars()
            .take_while(|c| *c != '#')
            .filter_map(|c| match c {
                '\t' => Some(' '),
                c if c.is_control() => None,
                c => Some(c),
            })
            .collect();
        let line = line.trim();
        if line.is_empty() {
            return Ok(None);
        }
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = line.split_at(digits);
        // `4x` is a name that begins with a digit.
        let has_number = digits > 0 && (rest.is_empty() || rest.starts_with(char::is_whitespace));
        let (id, rest) = match (has_number, number.parse()) {
            (false, _) => (None, line),
            (true, Ok(id)) => (Some(id), rest),
            (true, Err(_)) => {
                let problem = Problem::Number;
                return Err(Fault { id: None, problem });
            }
        };
        let rest = rest.trim_start();
        if rest.is_empty() {
            let problem = Problem::NoName;
            return Err(Fault { id, problem });
        }
        let (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        Ok(Some(Command {
            id,
            name: name.to_owned(),
            arguments: words(rest),
        }))
    }

    /// The line with its LF.
    pub fn to_line(&self) -> String {
        format!("{self}\n")
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id {
            write!(f, "{id} ")?;
        }
        f.write_str(&self.name)?;
        for word in &self.arguments {
            if !quoted(word) {
                write!(f, " {word}")?;
                continue;
            }
            f.write_str(" \"")?;
            for c in word.chars() {
                if matches!(c, '"' | '\\') {
                    f.write_str("\\")?;
                }
                write!(f, "{c}")?;
            }
            f.write_str("\"")?;
        }
        Ok(())
    }
}

fn quoted(word: &str) -> bool {
    word.is_empty() || word.contains(|c: char| c == '"' || c.is_whitespace())
}

/// Words between blanks. In quotes, which may lie anywhere in a word and need no end, blanks are part of the
/// word and `\` keeps a quote or another `\` from its meaning; elsewhere `\` is a letter.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut in_quotes = false;
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' => {
                in_quotes = !in_quotes;
                word.get_or_insert_default();
            }
            '\\' if in_quotes => {
                let next = letters.next_if(|next| matches!(next, '"' | '\\'));
                word.get_or_insert_default().push(next.unwrap_or('\\'));
            }
            c if c.is_whitespace() && !in_quotes => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

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
            .filter(|c| *c == '\t' || is_printable(*c))
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

    fn read(line: &str) -> (Option<u32>, Vec<String>) {
        let command = Command::parse(line).expect(line).expect(line);
        let mut words = vec![command.name];
        words.extend(command.arguments);
        (command.id, words)
    }

    #[test]
    fn lines_are_cleaned_as_the_specification_says() {
        for line in ["", " \t ", "# 7 name", "\u{7}\r", "  #"] {
            assert_eq!(Command::parse(line), Ok(None), "{line:?}");
        }
        for line in ["name", " name ", "na\rme\r", "\u{8}name", "name# is it"] {
            assert_eq!(read(line), (None, vec!["name".to_owned()]), "{line:?}");
        }
        assert_eq!(read("007 g"), (Some(7), vec!["g".to_owned()]));
        assert_eq!(read("4x 5"), (None, vec!["4x".to_owned(), "5".to_owned()]));
    }

    #[test]
    fn quotes_keep_blanks() {
        let args = |line| read(&format!("l {line}")).1.split_off(1);
        assert_eq!(args(r#""my game.blksgf" 3"#), ["my game.blksgf", "3"]);
        assert_eq!(args(r#"a" b"c "" "d"#), ["a bc", "", "d"]);
        assert_eq!(args(r"C:\x\y a\b"), [r"C:\x\y", r"a\b"]);
        assert_eq!(args(r#""\" \\ \n""#), [r#"" \ \n"#]);
    }

    #[test]
    fn a_number_alone_is_a_fault_that_repeats_it() {
        let fault = |line| Command::parse(line).expect_err(line);
        assert_eq!(
            (fault("3 ").id, fault("3").problem),
            (Some(3), Problem::NoName)
        );
        assert_eq!(fault("4294967296 name").problem, Problem::Number);
        assert_eq!(read("4294967295 name").0, Some(u32::MAX));
    }

    #[test]
    fn words_that_would_not_arrive_are_refused() {
        for name in ["", "a b", "1", "a#", "a\n", "a\"b"] {
            assert!(Command::new(name, [""; 0]).is_err(), "{name:?}");
        }
        for word in ["a#b", "a\nb", "\r"] {
            assert!(Command::new("x", [word]).is_err(), "{word:?}");
        }
    }

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
