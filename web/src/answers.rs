//! Answers that were made of records, so that each costs its work once.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use axum::body::Bytes;

use crate::records::Missing;
use crate::thoughts;

/// Most bytes of the answers that are kept, and most answers.
const MOST_BYTES: usize = 32 << 20;
const MOST_ANSWERS: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerSource {
    record: PathBuf,
    /// The game that it is of, where it is of one.
    game: Option<u32>,
    /// The states of the record and of the thoughts beside it.
    states: [Option<FileState>; 2],
}

/// Length of a file, and when it was changed.
type FileState = (u64, Option<SystemTime>);

impl AnswerSource {
    /// A record as it is now, or a game of it.
    ///
    /// # Errors
    /// When the record cannot be looked at.
    pub(crate) fn of(record: &Path, game: Option<u32>) -> io::Result<AnswerSource> {
        let state = |path: &Path| {
            path.metadata()
                .map(|file| (file.len(), file.modified().ok()))
        };
        Ok(AnswerSource {
            record: record.to_owned(),
            game,
            states: [Some(state(record)?), state(&thoughts::beside(record)).ok()],
        })
    }
}

type Answer = Result<Bytes, Missing>;

/// The last answers. One that is asked for while it is made is waited for.
#[derive(Default)]
pub(crate) struct Answers(Mutex<VecDeque<(AnswerSource, Arc<OnceLock<Answer>>)>>);

impl Answers {
    /// The answer that is made of this, by `make` unless it is known.
    pub(crate) fn get(&self, source: &AnswerSource, make: impl FnOnce() -> Answer) -> Answer {
        let place = self.place(source);
        let answer = place.get_or_init(make).clone();
        self.forget();
        answer
    }

    /// The place of an answer, which is now the last.
    fn place(&self, source: &AnswerSource) -> Arc<OnceLock<Answer>> {
        let mut all = self.0.lock().expect("nothing panics with the answers");
        let at = all.iter().position(|(known, _)| known == source);
        let (known, place) = at
            .and_then(|at| all.remove(at))
            .unwrap_or_else(|| (source.clone(), Arc::default()));
        all.push_back((known, place.clone()));
        place
    }

    /// Forgets answers that were asked for long ago, as there are too many.
    fn forget(&self) {
        let mut all = self.0.lock().expect("nothing panics with the answers");
        let length = |place: &OnceLock<Answer>| match place.get() {
            Some(Ok(bytes)) => bytes.len(),
            _ => 0,
        };
        let mut bytes: usize = all.iter().map(|(_, place)| length(place)).sum();
        // The latest answer stays, however long it is.
        while (bytes > MOST_BYTES && all.len() > 1) || all.len() > MOST_ANSWERS {
            let Some((_, oldest)) = all.pop_front() else {
                break;
            };
            bytes -= length(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn an_answer_is_made_once_until_its_record_changes() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("a.jsonl");
        fs::write(&record, "1").unwrap();
        let answers = Answers::default();
        let made = AtomicUsize::new(0);
        let ask = |game| {
            let source = AnswerSource::of(&record, game).unwrap();
            let answer = answers.get(&source, || {
                let number = made.fetch_add(1, Ordering::Relaxed);
                Ok(Bytes::from(number.to_string()))
            });
            answer.unwrap()
        };
        thread::scope(|scope| {
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| ask(None))).collect();
            for one in asked {
                assert_eq!(one.join().unwrap(), "0");
            }
        });
        assert_eq!((ask(Some(1)), ask(None)), ("1".into(), "0".into()));
        fs::write(&record, "12").unwrap();
        assert_eq!(ask(None), "2");
        fs::write(folder.path().join("a.thoughts"), "{}").unwrap();
        assert_eq!(ask(None), "3");
    }

    #[test]
    fn the_answers_that_were_asked_for_long_ago_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let answers = Answers::default();
        let source = |name: &str| {
            let record = folder.path().join(name);
            fs::write(&record, "").unwrap();
            AnswerSource::of(&record, None).unwrap()
        };
        let large = || Ok(Bytes::from(vec![0; MOST_BYTES / 2]));
        let [a, b, c] = ["a", "b", "c"].map(source);
        for one in [&a, &b, &a, &c] {
            answers.get(one, large).unwrap();
        }
        let known = |source: &AnswerSource| {
            let all = answers.0.lock().unwrap();
            all.iter().any(|(known, _)| known == source)
        };
        assert!(known(&a) && known(&c) && !known(&b));
    }
}
