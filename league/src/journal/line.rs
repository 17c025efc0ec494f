//! The lines of a journal: the first, and all others.

use std::path::Path;

use games::GameName;
use serde::{Deserialize, Serialize};

use super::{CommandAction, OrganiserCommand};
use crate::schedule::{Fixture, Key};
use crate::settings::{ExclusionRule, Settings};
use record::EndKind;

pub const VERSION: u32 = 3;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    #[serde(rename = "taikyoku-league")]
    pub version: u32,
    /// Time of the start, RFC 3339.
    pub started: String,
    /// Program and version that began the journal.
    pub server: String,
    /// The machine on which it did, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    pub settings: Settings,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedBy {
    /// From when on, RFC 3339.
    pub since: String,
    /// Program, version and, if it is known, commit.
    pub program: String,
    /// Its machine, if it is known.
    pub machine: Option<String>,
}

/// A line but the first. `begun` is its time, RFC 3339.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Entry {
    Played(Played),
    /// A fixture that was begun in vain, by our fault or the machine's: it does not count, and is played again.
    Void {
        key: Key,
        void: String,
    },
    Command {
        /// When the league has taken it up, RFC 3339.
        begun: String,
        act: OrganiserCommand,
    },
    /// A fixture that was played again after its result was struck.
    Replayed {
        begun: String,
        /// The result that counts.
        replayed: Played,
    },
    Round {
        begun: String,
        round: PairedRound,
    },
    /// An entrant was out of time in too many fixtures in a row, and is set aside.
    Excluded {
        begun: String,
        set_aside: Exclusion,
    },
    /// A machine plays fixtures for the first time.
    Joined {
        begun: String,
        joined: Machine,
    },
    /// The league was begun or taken up again.
    Begun {
        begun: String,
        /// The settings from now on, where the file says otherwise than before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<Box<Settings>>,
        /// The program and the machine that have taken it up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Host>,
    },
}

/// A program that plays a league, and the machine on which it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    pub program: String,
    pub machine: String,
}

impl Host {
    pub fn here() -> Host {
        Host {
            program: format!("taikyoku {}", program::version()),
            machine: program::machine(),
        }
    }
}

/// A machine that plays fixtures of a league that another one drives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name, as [`Played::host`] has it.
    pub name: String,
    #[serde(flatten)]
    pub host: Host,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineWork {
    pub name: String,
    pub fixtures: u64,
    /// Milliseconds of them, from the first message of each to its last.
    pub ms: u64,
    /// The programs and systems of machines of this name.
    pub hosts: Vec<Host>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    pub entrant: String,
    pub reason: String,
    pub games: ExclusionRule,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairedRound {
    /// The number of its section, from 0.
    pub section: usize,
    /// The number of its first matchup.
    pub first: u32,
    pub matchups: Vec<Vec<usize>>,
    pub groups: Vec<Vec<usize>>,
}

impl Entry {
    /// The fixture that was played, if it is the line of one.
    pub const fn played(&self) -> Option<&Played> {
        match self {
            Entry::Played(played)
            | Entry::Replayed {
                replayed: played, ..
            } => Some(played),
            _ => None,
        }
    }

    /// The key of the fixture of which it strikes the results before it.
    pub(super) fn strikes(&self) -> Option<Key> {
        match self {
            Entry::Command {
                act:
                    OrganiserCommand {
                        action: CommandAction::Replay { key },
                        ..
                    },
                ..
            } => Some(*key),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Played {
    pub key: Key,
    /// The entrant in each seat of the schedule. In Daihinmin the dealer seats them again for each game.
    pub seats: Vec<usize>,
    /// Milliseconds from its first message to its last.
    pub ms: u64,
    /// Its games: one, or those of a session.
    pub games: Vec<Game>,
    /// Where they are recorded, if a record is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<InRecord>,
    /// Name of the machine that has played it, where it is none of the league's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// Where the games of a fixture stand among the records of their league.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InRecord {
    /// Name of the file in the folder of the records.
    pub file: String,
    /// The number that the record gives the first of the games; those of the others of a session follow, but for void games.
    pub game: u32,
}

impl InRecord {
    /// Whether it names a file in the folder, and no other.
    pub(super) fn is_plain(&self) -> bool {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_record = Path::new(&self.file)
            .extension()
            .is_some_and(|e| e == "jsonl");
        is_record && self.file.chars().all(is_letter)
    }
}

/// The rule by which a game ends that none of its players has begun.
pub const WALKOVER: &str = "walkover";

impl Played {
    /// A fixture that all its players lose, as none of them plays.
    pub fn lost_by_all(settings: &Settings, fixture: &Fixture) -> Played {
        let seats = fixture.seats.len();
        // In Daihinmin the last place has a point.
        let own = f64::from(u8::from(settings.game() == GameName::Daihinmin));
        let game = Game {
            places: vec![0; seats],
            points: vec![settings.points.map_or(own, |[_, _, loss]| loss); seats],
            kinds: vec![EndKind::Stall; seats],
            rule: Some(WALKOVER.to_owned()),
            moves: vec![0; seats],
            used: vec![0; seats],
            slowest: vec![0; seats],
            ..Game::default()
        };
        Played {
            key: fixture.key,
            seats: fixture.seats.clone(),
            ms: 0,
            games: vec![game; settings.session.max(1) as usize],
            record: None,
            host: None,
        }
    }
}

/// A game. All lists go by the seats of [`Played::seats`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Game {
    /// Places, 0 is the best; equal places share.
    pub places: Vec<u8>,
    /// Points, as the league counts them.
    pub points: Vec<f64>,
    /// What each has by the game's own count, in games that have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<i32>,
    /// The fault of each; empty if there was none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<EndKind>,
    /// Melds and gifts of each that were refused in Daihinmin; empty if none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<u32>,
    /// The rule that ended the game, in games that end by several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The seat at the table of each, where the dealer drew them; empty where it is that of the schedule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<u8>,
    /// Moves of all.
    pub plies: u32,
    /// Moves of each.
    pub moves: Vec<u32>,
    /// Milliseconds that each has used for all its moves.
    pub used: Vec<u64>,
    /// Milliseconds that each has used for its slowest move.
    pub slowest: Vec<u64>,
    /// A digest of its first position, the setups of Geister and its moves, as sixteen hexadecimal digits: games with the same
    /// digest are the same. It is empty in Daihinmin and in a walkover.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
}

impl Game {
    /// The first list, if there is one, that is none of a game of so many seats.
    pub fn misfit(&self, seats: usize) -> Option<&'static str> {
        let all = [
            ("`places`", self.places.len()),
            ("`points`", self.points.len()),
            ("`moves`", self.moves.len()),
            ("`used`", self.used.len()),
            ("`slowest`", self.slowest.len()),
        ];
        let some = [
            ("`counts`", self.counts.len()),
            ("`kinds`", self.kinds.len()),
            ("`refused`", self.refused.len()),
            ("`at`", self.at.len()),
        ];
        let some = some.into_iter().filter(|&(_, n)| n > 0);
        let wrong = all.into_iter().chain(some).find(|&(_, n)| n != seats);
        let is_seat = |&seat: &u8| usize::from(seat) < seats;
        match wrong {
            Some((what, _)) => Some(what),
            None if !self.places.iter().all(is_seat) => Some("`places`"),
            None if !self.at.iter().all(is_seat) => Some("`at`"),
            None => None,
        }
    }

    /// Whether all its players have lost it, as none of them has begun it.
    pub fn is_walkover(&self) -> bool {
        self.rule.as_deref() == Some(WALKOVER)
    }

    /// The fault of a seat, [`EndKind::Normal`] without one.
    pub fn kind(&self, seat: usize) -> EndKind {
        self.kinds.get(seat).copied().unwrap_or_default()
    }
}
