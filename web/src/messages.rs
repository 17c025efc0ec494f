//! The messages of the page: all JSON that the gateway sends in play, while watching and in a replay. `MESSAGES.md` documents
//! them.

use std::collections::BTreeSet;

use games::{GameName, OfferStep};
use protocol::native::Clocks;
use record::watch::{League, State};
use record::{Frame, GameResult, Header};
use serde::Serialize;
use serde_json::Value;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::catalogue;

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum Message {
    /// What a page has to sit with in place of the token of its link.
    Token {
        token: String,
    },
    Table(TableInfo),
    Frame(Frame),
    Ask(Ask),
    Clock {
        left_ms: Vec<Option<u64>>,
        running: Option<u8>,
    },
    Presence {
        player: u8,
        here: bool,
    },
    Result {
        #[serde(flatten)]
        result: GameResult,
        /// Points of the match so far by player, while they are known.
        match_scores: Option<Vec<f64>>,
    },
    Over(Over),
    Offer(Offer),
    Hint(Hint),
    Thoughts {
        thoughts: Vec<PlyThought>,
    },
    /// The players who want another match.
    Again {
        players: BTreeSet<u8>,
    },
    Lobby {
        tables: Vec<LobbyTable>,
        /// Those with open seats that everybody may take.
        open: Vec<OpenTable>,
        leagues: Vec<LobbyLeague>,
    },
    /// Asks whether the page is still connected.
    Ping,
    /// Why nothing is told of a watched match, for people.
    Said {
        text: String,
    },
    Error {
        code: String,
        message: String,
    },
}

impl Message {
    /// The message as the text of a frame of the WebSocket.
    pub(crate) fn line(&self) -> Utf8Bytes {
        let line = serde_json::to_string(self);
        line.expect("messages are plain data").into()
    }

    pub(crate) fn error(code: &str, message: &str) -> Message {
        Message::Error {
            code: code.to_owned(),
            message: message.to_owned(),
        }
    }
}

/// A table with what holds for its match.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TableInfo {
    pub(crate) id: String,
    pub(crate) game: GameName,
    #[serde(rename = "match")]
    pub(crate) number: u64,
    pub(crate) games: Option<u32>,
    /// Empty until they are known.
    pub(crate) players: Vec<Participant>,
    pub(crate) you: Option<u8>,
    pub(crate) rules: Value,
    pub(crate) clocks: Option<Clocks>,
    pub(crate) practice: bool,
    pub(crate) protocol: String,
    /// The name of the record, where there will be one.
    pub(crate) record: Option<String>,
    pub(crate) can: TablePermissions,
    /// Of a record: the name of its league, and when it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) league: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) when: Option<String>,
    /// Frames and results that follow at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) missed: Option<usize>,
}

impl TableInfo {
    /// A table of a game, of which nothing else is known.
    pub(crate) fn new(id: &str, game: GameName) -> TableInfo {
        TableInfo {
            id: id.to_owned(),
            game,
            number: 1,
            games: None,
            players: Vec::new(),
            you: None,
            rules: catalogue::rules(game),
            clocks: None,
            practice: false,
            protocol: game.protocol().to_owned(),
            record: None,
            can: TablePermissions::default(),
            league: None,
            when: None,
            missed: None,
        }
    }

    /// A table of persons, who have their numbers as names; the first is that of the page.
    #[cfg(test)]
    pub(crate) fn of_persons(game: GameName) -> TableInfo {
        let person = |player: u8| Participant {
            name: player.to_string(),
            kind: ParticipantKind::Person,
            player,
        };
        TableInfo {
            games: Some(2),
            players: (0..game.seats() as u8).map(person).collect(),
            you: Some(0),
            ..TableInfo::new("1", game)
        }
    }

    /// A match at which nobody of this gateway plays.
    pub(crate) fn of(number: u64, header: &Header) -> TableInfo {
        let clocks = header.clocks;
        let players = (0..).zip(&header.players);
        let players = players.map(|(player, about)| Participant {
            name: about.name.clone(),
            kind: ParticipantKind::Guest,
            player,
        });
        TableInfo {
            number,
            games: Some(header.games),
            players: players.collect(),
            rules: header.rules.clone(),
            clocks: Some(Clocks {
                budget_ms: clocks.game_ms,
                increment_ms: clocks.increment_ms,
                move_ms: clocks.move_ms,
                resume_ms: None,
            }),
            protocol: header.tongue.clone(),
            ..TableInfo::new(&header.id, header.game)
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Participant {
    pub(crate) name: String,
    pub(crate) kind: ParticipantKind,
    pub(crate) player: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ParticipantKind {
    /// A person at a page of this gateway.
    Person,
    Bot,
    Guest,
}

/// What a page may ask for at a table.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct TablePermissions {
    pub(crate) resign: bool,
    /// Whether last moves are taken back; where another person plays, that person is asked.
    pub(crate) takeback: bool,
    /// Whether the players may agree on a draw.
    pub(crate) draw: bool,
    pub(crate) hint: bool,
    /// Whether the table offers another match after this one.
    pub(crate) again: bool,
    pub(crate) watch: bool,
}

/// A move of this seat is due.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Ask {
    pub(crate) game: u32,
    pub(crate) ply: u32,
    pub(crate) moves: Vec<String>,
    pub(crate) kind: String,
    pub(crate) left_ms: Option<u64>,
}

/// What a player says about an offer to the other one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Offer {
    pub(crate) about: OfferKind,
    pub(crate) player: u8,
    pub(crate) act: OfferStep,
    /// The plies of the game so far: the next one ends the offer.
    pub(crate) ply: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OfferKind {
    Draw,
    /// To take the last move of the player back that asks for it.
    Takeback,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Over {
    pub(crate) games: Option<u32>,
    pub(crate) scores: Option<Vec<f64>>,
    pub(crate) reason: Option<String>,
    pub(crate) record: Option<String>,
    /// What is wrong with the record.
    pub(crate) note: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Hint {
    pub(crate) game: u32,
    pub(crate) ply: u32,
    /// None where no engine was asked and the values are exact.
    pub(crate) engine: Option<String>,
    pub(crate) reasons: Value,
    #[serde(flatten)]
    pub(crate) values: MoveValues,
}

/// Moves with their values as far as they are known, and what has to be got before more are.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MoveValues {
    pub(crate) moves: Vec<MoveValue>,
    pub(crate) missing: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct MoveValue {
    #[serde(rename = "move")]
    pub(crate) mv: String,
    pub(crate) value: Option<f64>,
    pub(crate) exact: Option<String>,
    pub(crate) visits: Option<u64>,
}

/// What a bot thought of the move that leads to a ply.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PlyThought {
    pub(crate) game: u32,
    pub(crate) ply: Option<u32>,
    pub(crate) value: Option<f64>,
    pub(crate) thought: Value,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct LobbyTable {
    pub(crate) source: String,
    /// None of a table of this gateway.
    #[serde(rename = "match")]
    pub(crate) number: Option<u64>,
    pub(crate) game: String,
    pub(crate) players: Vec<String>,
    /// The player in each seat; none before the first game.
    pub(crate) seats: Option<Vec<games::Player>>,
    pub(crate) games: u32,
    pub(crate) scores: Vec<f64>,
    pub(crate) state: State,
    pub(crate) game_no: u32,
    pub(crate) to_move: Option<games::Seat>,
    pub(crate) views: Vec<Value>,
}

/// A table of this gateway with open seats that everybody may take.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct OpenTable {
    pub(crate) table: String,
    pub(crate) game: GameName,
    /// The names of those who sit there.
    pub(crate) players: Vec<String>,
    pub(crate) free: usize,
    pub(crate) games: u32,
    pub(crate) clock: Option<Clocks>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct LobbyLeague {
    pub(crate) source: String,
    /// Whether the page takes acts on it.
    pub(crate) acts: bool,
    #[serde(flatten)]
    pub(crate) league: League,
}

/// The answer to a request for a record.
#[derive(Debug, Serialize)]
pub(crate) struct RecordAnswer {
    pub(crate) table: TableInfo,
    pub(crate) games: Vec<RecordedGame>,
}

#[derive(Debug, Serialize)]
pub(crate) struct RecordedGame {
    pub(crate) game: u32,
    pub(crate) plies: u32,
    /// None in games that begin behind the most frames of an answer.
    pub(crate) frames: Option<Vec<RecordedFrame>>,
    pub(crate) result: Option<GameResult>,
}

/// A frame of a record, with what the bot that made the move thought.
#[derive(Debug, Serialize)]
pub(crate) struct RecordedFrame {
    #[serde(flatten)]
    pub(crate) frame: Frame,
    #[serde(flatten)]
    pub(crate) thought: Option<FrameThought>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FrameThought {
    pub(crate) thought: Value,
    pub(crate) value: Option<f64>,
}

/// The answer to a question about a position of a record, or of a variation.
#[derive(Debug, Serialize)]
pub(crate) struct AnalysisAnswer {
    /// The frames of the further moves, with the views of all seats.
    pub(crate) frames: Vec<Frame>,
    /// What the rules say that the variation has come to.
    pub(crate) result: Option<GameResult>,
    /// The moves of the last position; none where no move is due.
    pub(crate) ask: Option<Ask>,
    pub(crate) hint: Option<Hint>,
    /// The variation in the format of the field of its game.
    pub(crate) sheet: Option<FileAnswer>,
    pub(crate) record: Option<FileAnswer>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FileAnswer {
    /// What the name of such a file ends in.
    pub(crate) ending: &'static str,
    pub(crate) text: String,
}

/// A record that was made of a text.
#[derive(Debug, Serialize)]
pub(crate) struct ImportAnswer {
    pub(crate) id: String,
    pub(crate) format: &'static str,
    pub(crate) game: GameName,
    pub(crate) games: u32,
    /// Whether a game has no end.
    pub(crate) unfinished: bool,
    pub(crate) variations: bool,
}

/// Why no record is made of a text.
#[derive(Debug, Serialize)]
pub(crate) struct ImportRefusal {
    /// What the text seems to be, if it is like anything that is known.
    pub(crate) code: Option<&'static str>,
    /// The line of the mistake, from 1, if it is in one.
    pub(crate) line: Option<u64>,
    pub(crate) error: String,
}

/// A seat of a page, for a list of those that it knows.
#[derive(Debug, Serialize)]
pub(crate) struct SeatInfo {
    pub(crate) table: String,
    pub(crate) game: GameName,
    pub(crate) players: Vec<String>,
    pub(crate) you: Option<u8>,
    /// Whether the match has yet to begin.
    pub(crate) waits: bool,
    pub(crate) yours: bool,
}

/// A game that the page offers.
#[derive(Debug, Serialize)]
pub(crate) struct GameInfo {
    pub(crate) name: GameName,
    pub(crate) seats: usize,
    /// The strongest first.
    pub(crate) engines: Vec<String>,
    /// Names of engines for people, the weakest first.
    pub(crate) levels: Vec<&'static str>,
    /// That of opponents unless a person chooses another.
    pub(crate) usual_level: &'static str,
    /// Whether its clocks may have increments.
    pub(crate) increments: bool,
    pub(crate) rules: Value,
}

#[derive(Debug, Serialize)]
pub(crate) struct NewTable {
    pub(crate) table: Option<String>,
    pub(crate) tokens: Vec<SeatToken>,
    /// The address of the page for other machines.
    pub(crate) others: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SeatToken {
    pub(crate) seat: u8,
    pub(crate) token: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct ErrorAnswer {
    /// For programs, of an act of an organiser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'static str>,
    pub(crate) error: String,
}

/// What an organiser's act has done.
#[derive(Debug, Serialize)]
pub(crate) struct CommandAnswer {
    pub(crate) text: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct RecordInfo {
    pub(crate) id: String,
    pub(crate) game: GameName,
    pub(crate) players: Vec<String>,
    pub(crate) when: String,
    pub(crate) games: u32,
    /// Of a match that is over the games that counted, and points by player.
    pub(crate) played: Option<u32>,
    pub(crate) scores: Option<Vec<f64>>,
}

#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct LeagueInfo {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) when: Option<String>,
}
