//! A worker: it plays sessions with the programs of this machine and writes their results.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tempfile::TempDir;

use super::message::{SessionJob, WorkLine};
use crate::journal::{Host, Machine, Played};
use crate::remote::Readiness;
use crate::runner::{Play as _, Programs};
use crate::settings::Settings;
use crate::table_session::{FixtureResult, SessionEnd, SessionOptions};
use server::table::disk::disk;

#[derive(Debug)]
pub struct Worker {
    programs: Programs,
    name: String,
    /// Where records are until they are lines, if they are kept.
    records: Option<PathBuf>,
}

impl Worker {
    /// A worker of a league on the machine of this name. The standard error of programs that fail goes to files in `folder`,
    /// and so do records, until they are lines.
    pub fn new(settings: Settings, name: String, folder: &Path) -> Worker {
        Worker {
            records: settings.records.then(|| folder.to_owned()),
            programs: Programs::new(settings, folder),
            name,
        }
    }

    /// The line that names this machine.
    pub fn joined(&self) -> WorkLine {
        WorkLine::Joined {
            begun: Timestamp::now().to_string(),
            joined: Machine {
                name: self.name.clone(),
                host: Host::here(),
            },
        }
    }

    /// Plays a session to its end, with new programs where players have left. After the request to stop or to
    /// finish, the remaining fixtures have no line. Gives a message for people, if there is one.
    pub async fn play(
        &self,
        mut session: SessionJob,
        options: &SessionOptions,
        on_line: &mut (dyn FnMut(WorkLine) + Send),
    ) -> String {
        loop {
            let Some(first) = session.fixtures.first() else {
                return String::new();
            };
            let begins = first.fixture.key;
            let mut plan = session.plan();
            let records = self.records.as_ref().map(tempfile::tempdir_in).transpose();
            let records = match records {
                Ok(records) => records,
                Err(e) => {
                    on_line(WorkLine::Void {
                        key: begins,
                        void: format!("it cannot be recorded: {e}"),
                        said: String::new(),
                    });
                    return String::new();
                }
            };
            let record = |folder: &TempDir| folder.path().join(format!("{begins}.jsonl"));
            plan.record = records.as_ref().map(record);
            let Readiness::Ready(guests) = self.programs.call_without(&plan, &session.out) else {
                on_line(WorkLine::Void {
                    key: begins,
                    void: "none of its players is started".to_owned(),
                    said: String::new(),
                });
                return String::new();
            };
            let mut is_done = vec![false; session.fixtures.len()];
            let mut on_done = |done: FixtureResult| {
                let one = session.fixtures.get(done.number);
                if let Some((one, is_done)) = one.zip(is_done.get_mut(done.number))
                    && !std::mem::replace(is_done, true)
                {
                    on_line(WorkLine::Played(Played {
                        key: one.fixture.key,
                        seats: one.fixture.seats.clone(),
                        ms: done.ms,
                        games: done.games,
                        record: done.record,
                        host: Some(self.name.clone()),
                    }));
                }
            };
            let played = self
                .programs
                .play(plan, guests, options.clone(), &mut on_done);
            let played = played.await;
            let is_some_done = is_done.contains(&true);
            if is_some_done && let Some(folder) = &records {
                disk().written().await;
                for (record, text) in texts(folder.path()) {
                    on_line(WorkLine::Record {
                        key: begins,
                        record,
                        text,
                    });
                }
            }
            let mut done = is_done.iter();
            session.fixtures.retain(|_| done.next() == Some(&false));
            let Some(left) = session.fixtures.first() else {
                return match played.ended {
                    SessionEnd::Whole => played.said,
                    _ => String::new(),
                };
            };
            let void = match played.ended {
                _ if options.stop.is_cancelled() => return String::new(),
                SessionEnd::Whole if options.finish.is_cancelled() => return String::new(),
                SessionEnd::Gone if is_some_done => continue,
                SessionEnd::Void(reason) => reason,
                SessionEnd::Whole => "the table ended before its last game".to_owned(),
                SessionEnd::Gone | SessionEnd::Absent => {
                    "a player left before a game was over".to_owned()
                }
            };
            let key = left.fixture.key;
            on_line(WorkLine::Void {
                key,
                void,
                said: played.said,
            });
            return String::new();
        }
    }
}

/// The files of a folder, by name. What cannot be read is left out: its games do not count.
fn texts(folder: &Path) -> Vec<(String, String)> {
    let read = std::fs::read_dir(folder).and_then(|entries| {
        let entries = entries.map(|entry| {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            Ok((name, std::fs::read_to_string(entry.path())?))
        });
        entries.collect::<std::io::Result<Vec<_>>>()
    });
    let mut texts = read.unwrap_or_else(|e| {
        log::error!("records in {} are lost: {e}", folder.display());
        Vec::new()
    });
    texts.sort_unstable();
    texts
}
