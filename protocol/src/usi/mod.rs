//! USI, the Universal Shogi Interface, as engines and controllers of the shogi family speak it on standard input
//! and output: a command or an answer a line.
//!
//! `protocol/USI.md` says which commands there are and what Dobutsu shogi adds. [`EngineEnd`] and
//! [`ControllerEnd`] are the two ends: bytes become [`Command`]s and [`Answer`]s and back, and each end knows what
//! is due. Moves and positions are words here: no rule is looked into.
//!
//! As engines of the field do, an end passes over lines that it does not know, and words of `go` and `info` that it
//! does not know. Control letters are dropped, a tab is a blank.

mod answer;
mod command;
mod controller_end;
mod engine_end;

pub use answer::{Answer, BestMove, CheckMate, EngineOption, Info, OptionKind, Score};
pub use command::{Command, GameEnd, Go, Position, Start};
pub use controller_end::{ANSWER_LIMIT, Awaited, ControllerEnd, Identity, Received};
pub use engine_end::{COMMAND_LIMIT, EngineEnd, Event};

/// The caller sends what is not due.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutOfOrder {
    /// A command before the engine has answered the last one that it must answer.
    #[error("the engine has not answered `{0}` yet")]
    Unanswered(Awaited),
    /// A command before `usi`, or after `quit`.
    #[error("the engine is not there: `usi` comes first, and nothing after `quit`")]
    NotThere,
    /// `stop` without a search that it could end, or a move that was not asked for.
    #[error("no search is on")]
    NoSearch,
}

/// A line without what a line cannot hold: control letters, blanks at its ends; a tab is a blank.
fn clean(line: &str) -> String {
    let kept = line.chars().filter_map(|c| match c {
        '\t' => Some(' '),
        c if c.is_control() => None,
        c => Some(c),
    });
    kept.collect::<String>().trim().to_owned()
}

/// The words up to one of these, with single blanks between them, and the rest from that one on.
fn up_to<'a>(text: &'a str, stops: &[&str]) -> (String, &'a str) {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = text;
    loop {
        let (word, after) = first_word(rest);
        if word.is_empty() || stops.contains(&word) {
            return (words.join(" "), rest);
        }
        words.push(word);
        rest = after;
    }
}

/// The first word, empty if there is none, and the rest after its blanks.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}
