//! The official game log: a line of text for each command, and one for the winner.

use std::fmt;

use games::geister::{Move, Placement};
use games::is_printable;

use super::message::ClientLine;

/// A line of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogLine {
    /// `player=0,MOV:A,N`: what a player said, accepted or not.
    Command {
        /// 0 or 1.
        player: u8,
        /// What it said.
        command: ClientLine,
    },
    /// `winner=0`, `winner=1`, or `winner=2` for a draw, which is `None` here. The official server
    /// writes none after a forfeit.
    Winner(Option<u8>),
}

/// A line that is none of the log.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: `{text}` is neither `player=0,...`, `player=1,...` nor `winner=0`, 1 or 2")]
pub struct LogError {
    /// Its number, from 1.
    pub line: usize,
    /// The line, of which no more than 80 characters are given.
    pub text: String,
}

/// One game as the official server logs it. Prints and reads as the text of the file; a line ends
/// with LF, or with CR LF as the server writes it on Windows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameLog {
    /// The lines in their order.
    pub lines: Vec<LogLine>,
}

impl GameLog {
    /// Reads a log.
    ///
    /// # Errors
    /// At the first line that is none. Malformed commands of players are no errors: the official
    /// server logs them too.
    pub fn parse(text: &str) -> Result<Self, LogError> {
        let mut lines = Vec::new();
        for (i, text) in text.lines().enumerate() {
            if text.is_empty() {
                continue;
            }
            lines.push(LogLine::parse(text).ok_or_else(|| LogError {
                line: i + 1,
                text: text.chars().take(80).collect(),
            })?);
        }
        Ok(Self { lines })
    }

    /// The placement of a player, the first that the log has for it, and its name if it gave one.
    pub fn placement(&self, player: u8) -> Option<(Placement, Option<&str>)> {
        self.lines.iter().find_map(|line| match line {
            LogLine::Command {
                player: by,
                command: ClientLine::Set { placement, name },
            } if *by == player => Some((*placement, name.as_deref())),
            _ => None,
        })
    }

    /// The moves with the players that sent them, accepted or not: moves out of turn and illegal ones
    /// are among them, and the rules tell which.
    pub fn moves(&self) -> impl Iterator<Item = (u8, Move)> {
        self.lines.iter().filter_map(|line| match line {
            LogLine::Command {
                player,
                command: ClientLine::Move(mv),
            } => Some((*player, *mv)),
            _ => None,
        })
    }

    /// The winner, `Some(None)` for a draw; `None` if the log does not say, as after a forfeit.
    pub fn winner(&self) -> Option<Option<u8>> {
        self.lines.iter().rev().find_map(|line| match line {
            LogLine::Winner(winner) => Some(*winner),
            LogLine::Command { .. } => None,
        })
    }
}

impl LogLine {
    /// Reads a line without its end; `None` if it is none of the log.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(winner) = text.strip_prefix("winner=") {
            return match winner {
                "0" => Some(Self::Winner(Some(0))),
                "1" => Some(Self::Winner(Some(1))),
                "2" => Some(Self::Winner(None)),
                _ => None,
            };
        }
        let (player, command) = text.strip_prefix("player=")?.split_once(',')?;
        let player = match player {
            "0" => 0,
            "1" => 1,
            _ => return None,
        };
        let command = ClientLine::parse(command);
        Some(Self::Command { player, command })
    }
}

/// The line without its end. What a player sent keeps to one line: `?` stands for each letter that is not printable, so
/// that what is malformed stays so.
impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { player, command } => {
                write!(f, "player={player},")?;
                let command = command.to_string();
                write!(f, "{}", command.replace(|c| !is_printable(c), "?"))
            }
            Self::Winner(winner) => write!(f, "winner={}", winner.unwrap_or(2)),
        }
    }
}

impl fmt::Display for GameLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_malformed_stays_so_in_print() {
        let log = GameLog::parse("player=0,SET:\u{5}ABCD\nplayer=0,SET:EFGH\n").unwrap();
        let printed = log.to_string();
        assert_eq!(printed, "player=0,SET:?ABCD\nplayer=0,SET:EFGH\n");
        let again = GameLog::parse(&printed).unwrap();
        assert_eq!(again.placement(0), log.placement(0));
        assert_eq!(log.placement(0).map(|(set, _)| set), "EFGH".parse().ok());
    }
}
