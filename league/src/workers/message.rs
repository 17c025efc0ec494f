//! What the lines say that a league and its workers exchange through a carrier, and the bounds of what other machines say.

use std::collections::{BTreeMap, BTreeSet};

use games::{Printable, is_printable};
use serde::{Deserialize, Serialize};

use crate::journal::{Game, Machine, Played};
use crate::runner::seed;
use crate::schedule::{Fixture, Key};
use crate::settings::Settings;
use crate::table_session::SessionPlan;

/// What a worker must agree with: its file must say the same, and so must its programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeagueContest {
    /// The settings, without the seed.
    pub league: Box<Settings>,
    /// Programs of the project, by name, with their versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionJobs {
    pub sessions: Vec<SessionJob>,
}

/// A session: some fixtures of one matchup, played by the same programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionJob {
    pub players: Vec<usize>,
    /// Entrants whose programs are not started; their seats stay empty.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub out: BTreeSet<usize>,
    pub fixtures: Vec<FixtureJob>,
}

/// A fixture, and all that follows from the league's seed in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixtureJob {
    /// The fixture, with the key of its deal.
    pub fixture: Fixture,
    /// The seeds of the programs that begin with it, by player.
    pub seeds: Vec<u64>,
}

impl SessionJob {
    pub fn of(settings: &Settings, plan: &SessionPlan) -> SessionJob {
        let players = 0..plan.players.len();
        let fixture = |fixture: &Fixture| FixtureJob {
            fixture: fixture.clone(),
            seeds: players
                .clone()
                .map(|player| seed(settings, Some(fixture.key), player))
                .collect(),
        };
        SessionJob {
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

/// A line that a worker writes: one of the journal, or a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WorkLine {
    Played(Played),
    /// A fixture is void, and its session is over.
    Void {
        key: Key,
        void: String,
        /// Standard error of the programs at fault; the journal does not keep it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        said: String,
    },
    /// A file of the record of a session, of which some fixtures were played.
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
        begun: String,
        joined: Machine,
    },
    /// A line that is none of these: it does not count.
    Odd(serde_json::Value),
}

/// Longest name and longest description of a machine, in bytes.
pub(super) const MOST_BYTES: usize = 300;

/// Longest time in a line, in milliseconds: 30 days. Sums of such times do not overflow.
pub(super) const MOST_MS: u64 = 30 * 24 * 3_600_000;

/// Most moves of a game, and most points of a player.
const MOST_MOVES: u32 = 1_000_000;
const MOST_POINTS: f64 = 1e9;

/// Bytes that are kept of a text from another machine.
const MOST_TEXT: usize = 8 << 10;

/// Whether this text can be a machine's name or description: one line within a length.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= MOST_BYTES && text.chars().all(is_printable)
}

/// Whether the numbers and texts of a game are within their bounds.
pub(super) fn is_bounded(game: &Game) -> bool {
    let mut times = game.used.iter().chain(&game.slowest);
    let mut moves = game.moves.iter().chain(&game.refused).chain([&game.plies]);
    let mut points = game.points.iter();
    times.all(|&ms| ms <= MOST_MS)
        && moves.all(|&moves| moves <= MOST_MOVES)
        && points.all(|points| points.abs() <= MOST_POINTS)
        && game.rule.as_ref().is_none_or(|rule| is_name(rule))
        && (game.digest.is_empty() || game.digest.len() == 16 && is_name(&game.digest))
}

/// The beginning of a text from another machine, as it may be printed.
pub(super) fn plain(text: &str) -> String {
    let text = text.trim_end();
    let end = text.floor_char_boundary(MOST_TEXT);
    format!("{:#}", Printable(&text[..end]))
}

#[cfg(test)]
mod tests {
    use program::work::{Piece, Reply, Request};

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
            let Reply::Over { lines, .. } = serde_json::from_str(&text).unwrap() else {
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
        let job = SessionJob::of(&settings, &plan);
        let seeds = [0, 1].map(|player| seed(&settings, Some(plan.fixtures[1].key), player));
        assert_eq!(job.fixtures[1].seeds, seeds);
        let sessions = vec![job.clone()];
        let piece: Request<LeagueContest, _> = Request::Piece(Piece {
            piece: 7,
            work: SessionJobs { sessions },
        });
        let text = serde_json::to_string(&piece).unwrap();
        assert!(text.contains(&plan.fixtures[0].deal.to_string()));
        assert!(!text.contains(&settings.seed.to_string()), "{text}");
        assert_eq!(serde_json::from_str::<Request<_, _>>(&text).unwrap(), piece);
        let again = job.plan();
        assert_eq!(again.seeds, job.fixtures[0].seeds);
        assert_eq!(
            (again.fixtures, again.players),
            (plan.fixtures, plan.players)
        );
    }

    #[test]
    fn texts_of_other_machines_are_bounded_and_plain() {
        assert_eq!(plain("a\u{1b}[2J\nb\n"), "a\\u001b[2J\nb");
        assert_eq!(plain(&"é".repeat(MOST_TEXT)).len(), MOST_TEXT);
    }
}
