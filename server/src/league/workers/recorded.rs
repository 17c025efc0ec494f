//! The files of records that come back with a piece.

use std::collections::BTreeMap;

use super::bounds::MOST_BYTES;
use super::message::WorkLine;
use super::pieces::Word;
use crate::league::journal::InRecord;
use crate::league::schedule::Key;
use crate::league::settings::Settings;

/// The files by sitting: their names, and what is in them.
#[derive(Debug, Default)]
pub(super) struct Recorded(BTreeMap<u64, Vec<(String, String)>>);

impl Recorded {
    /// Takes the files out of the lines of a piece, if the league keeps records. `sitting` gives the sitting of a fixture of the
    /// piece. Other lines stay, and so do files whose name cannot be that of a record.
    pub(super) fn take(
        lines: &mut Vec<WorkLine>,
        settings: &Settings,
        sitting: impl Fn(Key) -> Option<u64>,
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
                && let Some(number) = sitting(key)
            {
                all.0.entry(number).or_default().push((record, text));
            }
        }
        all
    }

    /// Whether the file of these games is there.
    pub(super) fn has(&self, sitting: u64, games: &InRecord) -> bool {
        let files = self.0.get(&sitting);
        files.is_some_and(|files| files.iter().any(|(name, _)| *name == games.file))
    }

    /// The files of sittings that were played, at least in part, and the most bytes of one sitting.
    pub(super) fn words(self, is_played: impl Fn(u64) -> bool) -> (Vec<(u64, Word)>, usize) {
        let (mut words, mut most) = (Vec::new(), 0);
        for (number, files) in self.0.into_iter().filter(|(number, _)| is_played(*number)) {
            most = most.max(files.iter().map(|(_, text)| text.len()).sum());
            let files = files.into_iter();
            words.extend(files.map(|(name, text)| (number, Word::Record(name, text))));
        }
        (words, most)
    }
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

    use super::super::message::PieceSitting;
    use super::super::pieces::Pieces;
    use super::*;
    use crate::league::journal::Played;
    use crate::league::sitting::{Ended, SittingPlan};
    use crate::league::testing::settings;

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
            pieces.set_slots(1);
            let plan = SittingPlan {
                fixtures: settings.plan().block(0, &[0, 1], 0),
                players: vec![0, 1],
                record: None,
                seeds: Vec::new(),
            };
            let sitting = PieceSitting::of(&settings, &plan);
            let number = pieces.add(sitting.clone());
            let piece = pieces.next().unwrap();
            let mut lines = Vec::new();
            for (game, one) in (1..).zip(&sitting.fixtures) {
                let file = "0.0.0.jsonl".to_owned();
                lines.push(WorkLine::Played(Played {
                    host: Some("alpha".to_owned()),
                    record: Some(InRecord { file, game }),
                    ..Played::lost_by_all(&settings, &one.fixture)
                }));
            }
            // It comes last, and is written first.
            lines.extend(file.map(|(key, name)| WorkLine::Record {
                key: key.parse().unwrap(),
                record: name.to_owned(),
                text: "x".repeat(9 << 20),
            }));
            let harvest = pieces.over(piece.piece, 1, lines, &settings);
            let is_done = |word: &&(u64, Word)| matches!(word.1, Word::Done(_));
            assert_eq!(harvest.words.iter().filter(is_done).count(), due);
            if due == 0 {
                assert!(
                    !harvest
                        .words
                        .iter()
                        .any(|word| matches!(word.1, Word::Record(..)))
                );
                assert!(harvest.odd >= 2, "{file:?}");
                continue;
            }
            let (first, word) = &harvest.words[0];
            assert!(
                *first == number && matches!(word, Word::Record(name, _) if name == "0.0.0.jsonl")
            );
            let whole = Word::Ended(Ended::Whole, String::new());
            assert_eq!(harvest.words.last(), Some(&(number, whole)));
            // Two such sittings have more bytes than a piece may.
            (0..4).for_each(|_| _ = pieces.add(sitting.clone()));
            assert_eq!(pieces.next().unwrap().sittings.len(), 1);
        }
    }
}
