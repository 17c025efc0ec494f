//! The files of records that come back with a piece.

use std::collections::BTreeMap;
use std::path::Path;

use super::message::{MOST_BYTES, WorkLine};
use crate::archive::compare_record;
use crate::journal::{InRecord, Played};
use crate::schedule::Key;
use crate::settings::Settings;

/// The files by session: their names, and what is in them.
#[derive(Debug, Default)]
pub(super) struct Recorded(BTreeMap<u64, Vec<(String, String)>>);

impl Recorded {
    /// Takes the files out of the lines of a piece, if the league keeps records. `session` gives the session of a fixture of the
    /// piece. Other lines stay, and so do files whose name cannot be that of a record. A record that contradicts what the lines
    /// say of its games is left out.
    pub(super) fn take(
        lines: &mut Vec<WorkLine>,
        settings: &Settings,
        session: impl Fn(Key) -> Option<u64>,
    ) -> Recorded {
        let mut all = Recorded::default();
        if !settings.records {
            return all;
        }
        let (files, others) = std::mem::take(lines).into_iter().partition::<Vec<_>, _>(
            |line| matches!(line, WorkLine::Record { key, record, .. } if is_record(record, *key)),
        );
        *lines = others;
        for file in files {
            if let WorkLine::Record { key, record, text } = file
                && let Some(number) = session(key)
            {
                let files = all.0.entry(number).or_default();
                if files.iter().all(|(name, _)| *name != record) {
                    files.push((record, text));
                }
            }
        }
        for (&number, files) in &mut all.0 {
            let is_own = |key| session(key) == Some(number);
            files.retain(|(name, text)| agrees(settings, name, text, lines, is_own));
        }
        all
    }

    /// Whether the file of these games is there.
    pub(super) fn has(&self, session: u64, games: &InRecord) -> bool {
        let files = self.0.get(&session);
        files.is_some_and(|files| files.iter().any(|(name, _)| *name == games.file))
    }

    /// All files: the session, the name, and what is in it.
    pub(super) fn files(self) -> impl Iterator<Item = (u64, String, String)> {
        let sessions = self.0.into_iter();
        sessions.flat_map(|(number, files)| {
            let files = files.into_iter();
            files.map(move |(name, text)| (number, name, text))
        })
    }
}

/// Whether a file is no record, or one that says the same as those of the lines which say that their games are in it.
fn agrees(
    settings: &Settings,
    name: &str,
    text: &str,
    lines: &[WorkLine],
    is_own: impl Fn(Key) -> bool,
) -> bool {
    if Path::new(name).extension().is_none_or(|e| e != "jsonl") {
        return true;
    }
    let mut results: BTreeMap<u32, (u64, &Played)> = BTreeMap::new();
    for (number, line) in (1..).zip(lines) {
        if let WorkLine::Played(played) = line
            && let Some(at) = played.record.as_ref().filter(|at| at.file == name)
            && is_own(played.key)
        {
            let (_, other) = results.entry(at.game).or_insert((number, played));
            // A line may come twice.
            if (other.key, other.ms, &other.games) != (played.key, played.ms, &played.games) {
                return false;
            }
        }
    }
    let compared = compare_record(settings, name, text, results);
    if let Err(e) = &compared {
        log::warn!("a worker contradicts its own record: {e}");
    }
    compared.is_ok()
}

/// Whether this can be the name of a file of a record that begins with this fixture.
fn is_record(name: &str, key: Key) -> bool {
    let rest = name.strip_prefix(&key.to_string()[..]);
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    name.len() <= MOST_BYTES
        && rest.is_some_and(|rest| rest.starts_with(['.', '-']))
        && name.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::message::SessionJob;
    use super::super::pieces::{Pieces, Update};
    use record::{EndKind, What};

    use super::*;
    use crate::schedule::Fixture;
    use crate::table_session::{
        Counting, FixtureCollector, RecordedFixture, SessionEnd, SessionPlan, header_of,
    };
    use crate::testing::settings;

    #[test]
    fn a_record_has_the_name_of_its_first_fixture() {
        let key: Key = "0.1.2".parse().unwrap();
        for name in ["0.1.2.jsonl", "0.1.2-2.jsonl", "0.1.2-game-1.blksgf"] {
            assert!(is_record(name, key), "{name}");
        }
        for name in [
            "0.1.20.jsonl",
            "0.1.2",
            "0.1.2./x",
            "../0.1.2.jsonl",
            "0.1.2.\n",
        ] {
            assert!(!is_record(name, key), "{name}");
        }
        assert!(!is_record(
            &format!("{key}.{}", "x".repeat(MOST_BYTES)),
            key
        ));
    }

    /// The record of a session of two games, and what it comes to.
    fn recorded(settings: &Settings, plan: &SessionPlan) -> (String, Vec<Played>) {
        let seating = |number| plan.seating(number).unwrap();
        let named = |(number, fixture): (usize, &Fixture)| RecordedFixture {
            game: fixture.key,
            players: seating(number),
        };
        let fixtures: Vec<RecordedFixture> = plan.fixtures.iter().enumerate().map(named).collect();
        let players = plan.players.iter().map(|&entrant| (entrant, None));
        let header = header_of(settings, "0.0.0", players.collect(), &fixtures);
        let seatings = fixtures.iter().map(|one| one.players.clone()).collect();
        let mut collector = FixtureCollector::new(Counting::of(settings), seatings);
        collector = collector.recorded_in(Some("0.0.0.jsonl".to_owned()));
        let mut text = serde_json::to_string(&header).unwrap() + "\n";
        let mut played = Vec::new();
        for (game, fixture) in (1..).zip(&fixtures) {
            let end = What::End {
                game,
                places: vec![0, 1],
                points: vec![1.0, 0.0],
                game_points: Vec::new(),
                kinds: vec![EndKind::Normal; 2],
                rule: Some("line".to_owned()),
            };
            let begin = What::Begin {
                game,
                seats: fixture.players.clone(),
                ranks: None,
                hands: Vec::new(),
                position: None,
            };
            for what in [begin, What::play(0, "a1"), end] {
                let event = what.at(7);
                text += &(serde_json::to_string(&event).unwrap() + "\n");
                let Some(done) = collector.event(&event) else {
                    continue;
                };
                played.push(Played {
                    key: fixture.game,
                    seats: plan.fixtures[done.number].seats.clone(),
                    ms: done.ms,
                    games: done.games,
                    record: done.record,
                    host: Some("alpha".to_owned()),
                });
            }
        }
        (text, played)
    }

    #[test]
    fn a_result_that_contradicts_its_record_does_not_count_and_a_record_counts_once() {
        let mut settings = settings();
        settings.records = true;
        for change in [
            "none",
            "places",
            "kinds",
            "other game",
            "no record",
            "twice",
        ] {
            let mut pieces = Pieces::new(Duration::from_mins(1));
            pieces.queue.set_slots(1);
            let plan = SessionPlan {
                fixtures: settings.plan().block(0, &[0, 1], 0),
                players: vec![0, 1],
                record: None,
                seeds: Vec::new(),
            };
            pieces.queue.add(SessionJob::of(&settings, &plan));
            let piece = pieces.next().0.unwrap();
            let (text, mut played) = recorded(&settings, &plan);
            match change {
                "places" => played[1].games[0].places.reverse(),
                "kinds" => played[1].games[0].kinds = vec![EndKind::Crash, EndKind::Normal],
                "other game" => played[1].record = played[0].record.clone(),
                "no record" => played[1].record = None,
                _ => {}
            }
            let record = WorkLine::Record {
                key: plan.fixtures[0].key,
                record: "0.0.0.jsonl".to_owned(),
                text,
            };
            let mut lines: Vec<WorkLine> = played.into_iter().map(WorkLine::Played).collect();
            lines.push(record.clone());
            if change == "twice" {
                lines.extend(lines.clone());
            }
            let result = pieces.over(piece.piece, 1, lines, &settings);
            let count = |is: fn(&Update) -> bool| {
                let updates = result.updates.iter();
                updates.filter(|(_, update)| is(update)).count()
            };
            let done = count(|update| matches!(update, Update::Done(_)));
            let records = count(|update| matches!(update, Update::Record(..)));
            let due = match change {
                "none" | "twice" => (2, 1),
                "no record" => (1, 1),
                _ => (0, 0),
            };
            assert_eq!((done, records), due, "{change}");
        }
    }

    #[test]
    fn a_fixture_that_is_recorded_counts_with_its_record_alone() {
        for (is_kept, file, due) in [
            (true, Some(("0.0.0", "0.0.0.jsonl")), 2),
            (false, Some(("0.0.0", "0.0.0.jsonl")), 0),
            (true, Some(("0.0.0", "0.0.0-2.jsonl")), 0),
            (true, Some(("0.0.0", "../0.0.0.jsonl")), 0),
            (true, Some(("0.7.0", "0.7.0.jsonl")), 0),
            (true, None, 0),
        ] {
            let mut settings = settings();
            settings.records = is_kept;
            let mut pieces = Pieces::new(Duration::from_mins(1));
            pieces.queue.set_slots(1);
            let plan = SessionPlan {
                fixtures: settings.plan().block(0, &[0, 1], 0),
                players: vec![0, 1],
                record: None,
                seeds: Vec::new(),
            };
            let job = SessionJob::of(&settings, &plan);
            let number = pieces.queue.add(job.clone());
            let piece = pieces.next().0.unwrap();
            let (text, played) = recorded(&settings, &plan);
            let mut lines: Vec<WorkLine> = played.into_iter().map(WorkLine::Played).collect();
            // It comes last, and is written first.
            lines.extend(file.map(|(key, name)| WorkLine::Record {
                key: key.parse().unwrap(),
                record: name.to_owned(),
                text,
            }));
            // Files of single games go with a record.
            lines.push(WorkLine::Record {
                key: plan.fixtures[0].key,
                record: "0.0.0-game-1.blksgf".to_owned(),
                text: "x".repeat(9 << 20),
            });
            let result = pieces.over(piece.piece, 1, lines, &settings);
            let is_done = |update: &&(u64, Update)| matches!(update.1, Update::Done(_));
            assert_eq!(result.updates.iter().filter(is_done).count(), due);
            if due == 0 {
                assert!(
                    !result
                        .updates
                        .iter()
                        .any(|update| matches!(update.1, Update::Record(..)))
                );
                assert!(result.odd >= 2, "{file:?}");
                continue;
            }
            let (first, update) = &result.updates[0];
            assert!(
                *first == number
                    && matches!(update, Update::Record(name, _) if name == "0.0.0.jsonl")
            );
            let whole = Update::ended(SessionEnd::Whole);
            assert_eq!(result.updates.last(), Some(&(number, whole)));
            // Two such sessions have more bytes than a piece may.
            (0..4).for_each(|_| _ = pieces.queue.add(job.clone()));
            assert_eq!(pieces.next().0.unwrap().work.sessions.len(), 1);
        }
    }
}
