//! Clients with habits that published ones have, as state machines without a socket.

use super::board::moves;

/// What a client takes for granted. All of these take what one read gives for one message, end when a read gives
/// nothing, and play at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// It answers each read, and connects again for each game when it has closed.
    OneRead,
    /// It sends its placement as soon as it is connected, and then passes over all that is no `MOV?`.
    Ahead,
    /// It keeps the connection of a game open until it has another one for the next.
    Keeps,
    /// It takes the first port for the first seat, in every game.
    PortIsSeat,
}

impl Habit {
    pub const ALL: [Habit; 4] = [
        Habit::OneRead,
        Habit::Ahead,
        Habit::Keeps,
        Habit::PortIsSeat,
    ];
}

/// What a client does after a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Say(String),
    Read,
    /// It has taken this for the result, `WON`, `LST` or `DRW`.
    Over(String),
    /// It ends, with what it did not understand.
    Lost(String),
}

/// The opponent's ghosts before its first move.
const UNMOVED: &str = "41u31u21u11u40u30u20u10u";

#[derive(Clone, Debug)]
pub struct OneReader {
    habit: Habit,
    /// Whether it is at the first port.
    is_first: bool,
    reads: usize,
    has_moved: bool,
}

impl OneReader {
    /// A client at the beginning of a game.
    pub const fn new(habit: Habit, is_first: bool) -> OneReader {
        OneReader {
            habit,
            is_first,
            reads: 0,
            has_moved: false,
        }
    }

    /// What it sends when it is connected.
    pub fn first(&self) -> Option<&'static str> {
        (self.habit == Habit::Ahead).then_some("SET:BCFG")
    }

    /// What it does with what one read has given: of several messages it sees the first alone.
    pub fn read(&mut self, bytes: &[u8]) -> Step {
        self.reads += 1;
        let text = String::from_utf8_lossy(bytes);
        let line = text.split("\r\n").next().unwrap_or_default();
        if let Some(board) = line.strip_prefix("MOV?") {
            let begins = !std::mem::replace(&mut self.has_moved, true);
            let moves_first = board.ends_with(UNMOVED);
            if self.habit == Habit::PortIsSeat && begins && moves_first != self.is_first {
                return Step::Lost("another seat than its port".to_owned());
            }
            let moves = moves(board);
            return Step::Say(format!("MOV:{}", moves[self.reads * 7 % moves.len()]));
        }
        match (line.get(..3), self.habit) {
            (Some("WON" | "LST" | "DRW"), _) => Step::Over(line[..3].to_owned()),
            (Some("SET"), Habit::Ahead) => Step::Read,
            (Some("SET"), _) => Step::Say("SET:BCFG".to_owned()),
            (Some(_), _) if line.starts_with("OK") => Step::Read,
            _ => Step::Lost(text.into_owned()),
        }
    }
}
