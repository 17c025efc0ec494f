//! What a league and the carrier of its pieces tell each other, and what a worker reads and writes: lines of JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::journal::{Machine, Played};
use crate::runner::seed;
use crate::schedule::{Fixture, Key};
use crate::settings::Settings;
use crate::table_session::SessionPlan;

/// A line from the league to the carrier, which passes it on to workers as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ToCarrier {
    /// The first line: the league without its seed. The file of a worker must say the same, and so must its programs.
    League {
        /// The settings.
        league: Box<Settings>,
        /// Programs of the project, by name, with their versions.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        programs: BTreeMap<String, String>,
    },
    /// Work for one worker.
    Piece(Piece),
}

/// Work for one worker, which takes about a minute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// Its number, which no other piece of the same run has.
    pub piece: u64,
    /// Its sittings.
    pub sittings: Vec<PieceSitting>,
}

/// A sitting: some fixtures of one matchup, played by the same programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PieceSitting {
    /// The entrant of each player.
    pub players: Vec<usize>,
    /// Entrants whose programs are not started; their seats stay empty.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub out: BTreeSet<usize>,
    /// The fixtures, in their order.
    pub fixtures: Vec<PieceFixture>,
}

/// A fixture, and all that follows from the league's seed in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PieceFixture {
    /// The fixture, with the key of its deal.
    pub fixture: Fixture,
    /// The seeds of the programs that begin with it, by player.
    pub seeds: Vec<u64>,
}

impl PieceSitting {
    /// The sitting of a plan.
    pub fn of(settings: &Settings, plan: &SessionPlan) -> PieceSitting {
        let players = 0..plan.players.len();
        let fixture = |fixture: &Fixture| PieceFixture {
            fixture: fixture.clone(),
            seeds: players
                .clone()
                .map(|player| seed(settings, Some(fixture.key), player))
                .collect(),
        };
        PieceSitting {
            players: plan.players.clone(),
            out: BTreeSet::new(),
            fixtures: plan.fixtures.iter().map(fixture).collect(),
        }
    }

    /// Its plan, without a place for a record.
    pub fn plan(&self) -> SessionPlan {
        let fixtures = self.fixtures.iter();
        SessionPlan {
            fixtures: fixtures.map(|one| one.fixture.clone()).collect(),
            players: self.players.clone(),
            record: None,
            seeds: self
                .fixtures
                .first()
                .map_or_else(Vec::new, |first| first.seeds.clone()),
        }
    }
}

/// A line from the carrier to the league.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FromCarrier {
    /// How many pieces it takes at the same time from now on.
    Slots {
        /// How many.
        slots: usize,
    },
    /// A piece is over.
    Over {
        /// Its number.
        piece: u64,
        /// Time of the worker, in milliseconds.
        ms: u64,
        /// What the worker has written.
        lines: Vec<WorkLine>,
    },
    /// A piece is lost: its machine has vanished, or its worker has failed.
    Lost {
        /// Its number.
        piece: u64,
        /// Why.
        lost: String,
    },
}

/// A line that a worker writes: one of the journal, or a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WorkLine {
    /// A fixture was played.
    Played(Played),
    /// A fixture came to nothing, and its sitting is over.
    Void {
        /// Its key.
        key: Key,
        /// Why.
        void: String,
        /// Standard error of the programs at fault; the journal does not keep it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        said: String,
    },
    /// A file of the record of a sitting, of which some fixtures were played.
    Record {
        /// The key of the first of its fixtures.
        key: Key,
        /// Its name in the folder of the records, which begins with the key.
        record: String,
        /// What is in it.
        text: String,
    },
    /// The first line: which machine it is.
    Joined {
        /// When, RFC 3339.
        begun: String,
        /// Which.
        joined: Machine,
    },
    /// A line that is none of these: it does not count.
    Odd(serde_json::Value),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Entry, Host};
    use crate::testing::settings;

    #[test]
    fn lines_of_a_worker_are_lines_of_the_journal() {
        let settings = settings();
        let fixture = settings.plan().block(0, &[0, 1], 0).swap_remove(0);
        let mut played = Played::lost_by_all(&settings, &fixture);
        played.host = Some("alpha".to_owned());
        let (begun, key) = ("2026-11-23T10:00:00Z".to_owned(), fixture.key);
        let joined = Machine {
            name: "alpha".to_owned(),
            host: Host::here(),
        };
        let void = "no port".to_owned();
        for (line, due) in [
            (WorkLine::Played(played.clone()), Entry::Played(played)),
            (
                WorkLine::Void {
                    key,
                    void: void.clone(),
                    said: "oh".to_owned(),
                },
                Entry::Void { key, void },
            ),
            (
                WorkLine::Joined {
                    begun: begun.clone(),
                    joined: joined.clone(),
                },
                Entry::Joined { begun, joined },
            ),
        ] {
            let text = serde_json::to_string(&line).unwrap();
            assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), due, "{text}");
            assert_eq!(serde_json::from_str::<WorkLine>(&text).unwrap(), line);
        }
        for odd in ["7", r#"{"key":"0.0.0"}"#, r#"["games"]"#] {
            let text = format!(r#"{{"piece":1,"ms":2,"lines":[{odd}]}}"#);
            let FromCarrier::Over { lines, .. } = serde_json::from_str(&text).unwrap() else {
                panic!("{text}");
            };
            assert!(matches!(lines[..], [WorkLine::Odd(_)]), "{lines:?}");
        }
    }

    #[test]
    fn a_piece_has_the_keys_of_its_deals_and_not_the_seed() {
        let mut settings = settings();
        settings.seed = crate::schedule::LeagueSeed::Key(games::DealKey::of_seed(3));
        let plan = SessionPlan {
            fixtures: settings.plan().block(0, &[0, 1], 0),
            players: vec![0, 1],
            record: None,
            seeds: Vec::new(),
        };
        let sitting = PieceSitting::of(&settings, &plan);
        let seeds = [0, 1].map(|player| seed(&settings, Some(plan.fixtures[1].key), player));
        assert_eq!(sitting.fixtures[1].seeds, seeds);
        let piece = ToCarrier::Piece(Piece {
            piece: 7,
            sittings: vec![sitting.clone()],
        });
        let text = serde_json::to_string(&piece).unwrap();
        assert!(text.contains(&plan.fixtures[0].deal.to_string()));
        assert!(!text.contains(&settings.seed.to_string()), "{text}");
        assert_eq!(serde_json::from_str::<ToCarrier>(&text).unwrap(), piece);
        let again = sitting.plan();
        assert_eq!(again.seeds, sitting.fixtures[0].seeds);
        assert_eq!(
            (again.fixtures, again.players),
            (plan.fixtures, plan.players)
        );
    }
}
