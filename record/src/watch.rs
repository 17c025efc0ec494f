//! What a server of the native protocol says to watchers.

use protocol::native::{
    ClientMessage, ErrorCode, Hello, Malformed, OrganiserRequest, SERVER_LINE_LIMIT, VERSION,
    line_of, read_line,
};
use protocol::{Line, LineEnd, LineReader};
use serde::{Deserialize, Serialize};

use crate::{Event, Frame, GameResult, Header};

/// A table as everybody may know it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Table {
    /// Number of the match.
    #[serde(rename = "match")]
    pub number: u64,
    /// Name of the game.
    pub game: String,
    /// The protocol that the players speak.
    pub protocol: String,
    /// Name of the match, as in its record.
    pub id: String,
    /// Names by player.
    pub players: Vec<String>,
    /// Games that the match is to have.
    pub games: u32,
    /// Points so far by player.
    pub scores: Vec<f64>,
    /// Whether it is played or over.
    pub state: State,
}

/// How far a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is in play.
    Playing,
    /// It is over.
    Over,
}

/// How a league stands whose tables are watched. The best entrants come first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct League {
    /// Its title.
    pub title: String,
    /// Name of the game.
    pub game: String,
    /// Fixtures that were played.
    pub fixtures: u64,
    /// Fixtures of the whole schedule; none where it has no end.
    pub scheduled: Option<u64>,
    /// Entrants, not all of them where there are many.
    pub entrants: Vec<Entrant>,
    /// Share of the first in the games of two entrants of the list, 0 to 1; none where they have not met. Empty where
    /// the entrants are many.
    pub cross: Vec<Vec<Option<f64>>>,
    /// Entrants by name that meet in the fixtures in play and in the next ones, as far as that is known.
    pub next: Vec<Vec<String>>,
    /// Why the league is paused, if it is; the reason may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// The last fixtures that were played, the latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub played: Vec<Fixture>,
    /// The groups of the stage in play, where entrants are ranked by points; empty where they are ranked by ratings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

/// A group of a stage of a league.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Group {
    /// Its name; empty in a league without stages.
    pub name: String,
    /// Its entrants from the best to the worst, by all games so far.
    pub entrants: Vec<Standing>,
}

/// An entrant in the table of its group.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Games that it has played in the stage.
    pub games: u64,
    /// Its points of them.
    pub points: f64,
}

/// A fixture that was played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fixture {
    /// Its key.
    pub key: String,
    /// Names by seat.
    pub entrants: Vec<String>,
}

/// An entrant of a league.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entrant {
    /// Its name.
    pub name: String,
    /// Games that are counted.
    pub games: u64,
    /// Its faults.
    pub faults: u64,
    /// Rating points above the anchor; none before it has any.
    pub rating: Option<f64>,
    /// Half the width of the 95 % interval of the rating; none where nothing can be told.
    pub half_width: Option<f64>,
    /// Whether it is disqualified.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disqualified: bool,
    /// Whether it is set aside, as it was out of time again and again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub set_aside: bool,
    /// Whether one that comes itself is `here`, `playing` or `missing`; none of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// A message to a watcher. Each but those of the port itself and of a league names the match that it is of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WatchMessage {
    /// The answer to a hello.
    Watching {
        /// The version that is spoken.
        version: u32,
        /// Program and version.
        server: String,
        /// How long events are held back.
        delay_ms: u64,
        /// The only match whose events are told; 0 is none.
        #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
        wanted: Option<u64>,
        /// Whether an organiser may act here, with its token.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        acts: bool,
    },
    /// The answer to an organiser's act: the league takes it up.
    Acted {
        /// What is done, for people.
        text: String,
    },
    /// There is such a table, or it stands otherwise than before.
    Table(Table),
    /// All tables have been told.
    Tables {
        /// Numbers of the matches in play.
        playing: Vec<u64>,
    },
    /// How the league stands.
    League(League),
    /// A match begins, or is in play when a watcher comes; again when a player gets another name.
    Match {
        /// Number of the match.
        #[serde(rename = "match")]
        number: u64,
        /// The first line of its record.
        header: Box<Header>,
    },
    /// What everybody may see of a game now.
    Frame {
        /// Number of the match.
        #[serde(rename = "match")]
        number: u64,
        /// The frame, which has nothing that is hidden.
        #[serde(flatten)]
        frame: Box<Frame>,
    },
    /// A player's connection was lost, or it is back.
    Presence {
        /// Number of the match.
        #[serde(rename = "match")]
        number: u64,
        /// The player.
        player: u8,
        /// Whether it is there.
        here: bool,
    },
    /// A game is over.
    Result {
        /// Number of the match.
        #[serde(rename = "match")]
        number: u64,
        /// What it has come to, with the views of all seats.
        #[serde(flatten)]
        result: Box<GameResult>,
    },
    /// Lines of the record of a game that is over.
    Record {
        /// Number of the match.
        #[serde(rename = "match")]
        number: u64,
        /// Number of the game.
        game: u32,
        /// The lines, in order.
        events: Vec<Event>,
        /// Whether more lines of this game follow.
        more: bool,
    },
    /// Nothing more is told of a game: the server could not keep up.
    Missed {
        /// Number of the match.
        #[serde(rename = "match")]
        number: u64,
        /// Number of the game.
        game: u32,
    },
    /// A match is over.
    Over {
        /// Number of the match.
        #[serde(rename = "match")]
        number: u64,
        /// Games that counted.
        games: u32,
        /// Points over all games by player.
        scores: Vec<f64>,
        /// Why it is over before its last game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A line of the watcher could not be used.
    Error {
        /// For programs.
        code: ErrorCode,
        /// For people.
        message: String,
        /// Versions that the server speaks, where that is the trouble.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        versions: Option<Vec<u32>>,
    },
}

impl WatchMessage {
    const TYPES: [&str; 13] = [
        "watching", "acted", "table", "tables", "league", "match", "frame", "presence", "result",
        "record", "missed", "over", "error",
    ];

    /// Reads a line without its end.
    ///
    /// # Errors
    /// When it is no message to a watcher of this version.
    pub fn parse(line: &[u8]) -> Result<WatchMessage, Malformed> {
        read_line(line, &Self::TYPES)
    }

    /// The message as a line with its LF.
    pub fn to_line(&self) -> String {
        line_of(self)
    }

    /// The number of the match that it is of.
    pub const fn number(&self) -> Option<u64> {
        match self {
            WatchMessage::Table(Table { number, .. })
            | WatchMessage::Match { number, .. }
            | WatchMessage::Frame { number, .. }
            | WatchMessage::Presence { number, .. }
            | WatchMessage::Result { number, .. }
            | WatchMessage::Record { number, .. }
            | WatchMessage::Missed { number, .. }
            | WatchMessage::Over { number, .. } => Some(*number),
            WatchMessage::Watching { .. }
            | WatchMessage::Acted { .. }
            | WatchMessage::Tables { .. }
            | WatchMessage::League(_)
            | WatchMessage::Error { .. } => None,
        }
    }
}

/// The watcher's end of a connection.
///
/// ```
/// use taikyoku_record::watch::{WatchEnd, WatchMessage};
///
/// let mut end = WatchEnd::default();
/// let hello = r#"{"type":"hello","versions":[1],"name":"","watch":true,"match":2}"#;
/// assert_eq!(WatchEnd::hello(Some(2)), format!("{hello}\n"));
/// end.receive(b"{\"type\":\"missed\",\"match\":2,\"game\":7}\n");
/// let missed = end.next_message().unwrap();
/// assert_eq!(missed, Ok(WatchMessage::Missed { number: 2, game: 7 }));
/// assert_eq!(end.next_message(), None);
/// ```
#[derive(Clone, Debug)]
pub struct WatchEnd(LineReader);

impl Default for WatchEnd {
    fn default() -> WatchEnd {
        WatchEnd(LineReader::new(LineEnd::Lf, SERVER_LINE_LIMIT))
    }
}

impl WatchEnd {
    /// The line that a watcher of one match, of none (0) or of all sends first, and the only one.
    pub fn hello(wanted: Option<u64>) -> String {
        let hello = Hello {
            versions: vec![VERSION],
            watch: true,
            wanted,
            ..Hello::default()
        };
        ClientMessage::Hello(hello).to_line()
    }

    /// The lines of an organiser that has this token and does this.
    pub fn act(token: &str, act: &OrganiserRequest) -> String {
        let hello = Hello {
            versions: vec![VERSION],
            watch: true,
            token: Some(token.to_owned()),
            ..Hello::default()
        };
        let act = ClientMessage::Act(act.clone());
        ClientMessage::Hello(hello).to_line() + &act.to_line()
    }

    /// Takes in bytes of the server, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// The next message, or what is wrong with a line; `None` until more bytes come. Empty lines and messages of types
    /// that this version does not know are passed over.
    pub fn next_message(&mut self) -> Option<Result<WatchMessage, Malformed>> {
        loop {
            let line = match self.0.next_line()? {
                Line::TooLong => {
                    return Some(Err(Malformed::Json("the line is too long".to_owned())));
                }
                Line::Text([]) => continue,
                Line::Text(line) => line,
            };
            match WatchMessage::parse(line) {
                Err(Malformed::UnknownType(_)) => {}
                parsed => return Some(parsed),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
            let mut watcher = WatchEnd::default();
            watcher.receive(&bytes);
            while watcher.next_message().is_some() {}
        }
    }
}
