//! A day of a ladder: a folder with the journal and the records of what was played on it, as a league has them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use record::files::named;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

use super::TableHost;
use crate::archive::{self, RECORDS};
use crate::blocking;
use crate::journal::{
    Entry, FILE_NAME, Head, Host, JournalError, JournalFile, JournalReader, PairedRound, VERSION,
    check_change, difference,
};
use crate::schedule::LeagueSeed;
use crate::settings::Settings;
use server::lobby::drawn_key;

/// Time until a line that the disk has not taken is tried again, and until lines are brought to the disk.
const AGAIN: Duration = Duration::from_secs(1);

/// Name of the folder of records of tables with guests.
const GUESTS: &str = "guests";

/// The number of the first matchup of a day with a guest.
const FIRST_OF_GUESTS: u32 = 1 << 31;

/// The day of a time, in UTC.
pub(super) fn date_of(now: Timestamp) -> Date {
    now.to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// A day, and its part: 1, and more where the settings changed on it.
pub(super) type Part = (Date, u32);

/// The folders of the days in the folder of a ladder, in their order.
pub(super) fn days_in(folder: &Path) -> io::Result<Vec<(Part, PathBuf)>> {
    let files = match folder.read_dir() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files.map_err(|e| named(folder, &e))?,
    };
    let day = |file: io::Result<std::fs::DirEntry>| {
        let path = file.ok()?.path();
        let part = part_of(path.file_name()?.to_str()?)?;
        path.join(FILE_NAME).is_file().then_some((part, path))
    };
    let mut days: Vec<(Part, PathBuf)> = files.filter_map(day).collect();
    days.sort();
    Ok(days)
}

/// The name of its folder.
pub(super) fn name_of((date, part): Part) -> String {
    match part {
        1 => date.to_string(),
        _ => format!("{date}.{part}"),
    }
}

/// The day of a folder's name, such as `2026-11-30`, or `2026-11-30.2` after a change of the settings.
fn part_of(name: &str) -> Option<Part> {
    let (date, part) = name.split_once('.').unwrap_or((name, "1"));
    Some((date.parse().ok()?, part.parse().ok()?))
}

/// Makes an archive of each day before this one that verifies, and removes its records. Its journal stays.
pub(super) fn archive_days(folder: &Path, before: Date) {
    let days = days_in(folder).unwrap_or_default().into_iter();
    let removed = |folder: PathBuf| match std::fs::remove_dir_all(folder) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e.to_string()),
        _ => Ok(()),
    };
    for (part, day) in days.filter(|((date, _), _)| *date < before) {
        let name = name_of(part);
        let packed = folder.join(format!("{name}.tar.gz"));
        let archive = || {
            // An archive is there once it is whole: the removal was interrupted.
            if !packed.is_file() {
                archive::audit(&day).map_err(|e| e.to_string())?;
                archive::pack(&day, &name, &packed, false).map_err(|e| e.to_string())?;
            }
            removed(day.join(GUESTS))?;
            removed(day.join(RECORDS))
        };
        if day.join(RECORDS).is_dir()
            && let Err(reason) = archive()
        {
            log::error!("{name} keeps its records, as it has no archive: {reason}");
        }
    }
}

/// A day that is played.
#[derive(Debug)]
pub(super) struct Day {
    pub(super) part: Part,
    pub(super) records: PathBuf,
    /// The folder of the records of tables with guests, which are in no journal.
    pub(super) guests: PathBuf,
    pub(super) seed: LeagueSeed,
    /// The number of its next matchup, and of the next one with a guest.
    next: u32,
    next_of_guests: u32,
    lines: mpsc::UnboundedSender<Line>,
    /// Lines that wait for their records.
    recorded: TaskTracker,
    writer: JoinHandle<()>,
}

struct Line {
    entry: Entry,
    /// Told when it is written.
    written: Option<oneshot::Sender<()>>,
}

impl Day {
    /// Begins the day of this date in the folder of a ladder, or continues it.
    ///
    /// # Errors
    /// A folder that cannot be made, and a journal that cannot be read or written.
    pub(super) fn open(
        folder: &Path,
        date: Date,
        now: Timestamp,
        settings: &Settings,
    ) -> Result<Day, JournalError> {
        let (mut part, mut before) = (1, None);
        loop {
            let path = folder.join(name_of((date, part))).join(FILE_NAME);
            if !path.is_file() {
                break;
            }
            let journal = JournalReader::open(&path)?;
            let seed = journal.head.settings.seed;
            let now = Settings {
                seed,
                ..settings.clone()
            };
            if check_change(&journal.head.settings, &now).is_ok() {
                before = Some((journal, now));
                break;
            }
            // With other clocks or rules the day has another journal.
            part += 1;
        }
        let folder = folder.join(name_of((date, part)));
        let path = folder.join(FILE_NAME);
        let error = |source| JournalError::File {
            path: path.clone(),
            source,
        };
        let [records, guests] = [RECORDS, GUESTS].map(|name| folder.join(name));
        for folder in [&records, &guests] {
            std::fs::create_dir_all(folder).map_err(error)?;
        }
        let (seed, next, file) = if let Some((mut journal, settings)) = before {
            let seed = settings.seed;
            let mut file = JournalFile::resume(&path, journal.whole).map_err(error)?;
            let is_other = difference(&journal.head.settings, &settings).is_some();
            let begun = Entry::Begun {
                begun: now.to_string(),
                settings: is_other.then(|| Box::new(settings)),
                by: Some(Host::here()),
            };
            file.append(&begun).map_err(error)?;
            (seed, next_of(&mut journal)?, file)
        } else {
            let seed = LeagueSeed::Key(drawn_key());
            let head = Head {
                version: VERSION,
                started: now.to_string(),
                server: format!("taikyoku {}", program::version()),
                machine: Some(program::machine()),
                settings: Settings {
                    seed,
                    ..settings.clone()
                },
            };
            (seed, 0, JournalFile::create(&path, &head).map_err(error)?)
        };
        let (lines, waiting) = mpsc::unbounded_channel();
        Ok(Day {
            part: (date, part),
            records,
            guests,
            seed,
            next,
            // After a restart none is dealt again: tables begin more slowly than milliseconds pass.
            next_of_guests: FIRST_OF_GUESTS + (now.as_millisecond() % 86_400_000) as u32,
            lines,
            recorded: TaskTracker::new(),
            writer: tokio::spawn(write(path, file, waiting)),
        })
    }

    /// Writes a line. A full disk is waited for.
    pub(super) fn add(&self, entry: Entry) {
        self.send(entry, None);
    }

    /// Writes a line when the disk has the records that are written by now.
    pub(super) fn add_recorded(&self, entry: Entry, host: &Arc<impl TableHost>) {
        let (lines, host) = (self.lines.clone(), Arc::clone(host));
        self.recorded.spawn(async move {
            host.synced().await;
            let line = Line {
                entry,
                written: None,
            };
            // The writer outlives these.
            let _ = lines.send(line);
        });
    }

    fn send(&self, entry: Entry, written: Option<oneshot::Sender<()>>) {
        let line = Line { entry, written };
        assert!(
            self.lines.send(line).is_ok(),
            "the writer ends with the day"
        );
    }

    /// The number of a new matchup of these entrants, and when it is in the journal: from then on no other has its number,
    /// so that no deal is dealt twice.
    pub(super) fn pair(
        &mut self,
        players: &[usize],
        now: Timestamp,
    ) -> (u32, oneshot::Receiver<()>) {
        let (written, is_written) = oneshot::channel();
        let first = self.next;
        self.next += 1;
        let round = PairedRound {
            section: 0,
            first,
            matchups: vec![players.to_vec()],
            groups: Vec::new(),
        };
        let entry = Entry::Round {
            begun: now.to_string(),
            round,
        };
        self.send(entry, Some(written));
        (first, is_written)
    }

    /// The number of a new matchup with a guest, which is in no journal.
    pub(super) const fn number_of_guests(&mut self) -> u32 {
        let number = self.next_of_guests;
        self.next_of_guests = number.wrapping_add(1);
        number
    }

    /// Waits until all lines are on the disk.
    pub(super) async fn close(self) {
        self.recorded.close();
        self.recorded.wait().await;
        drop(self.lines);
        // It has no other end.
        let _ = self.writer.await;
    }
}

/// The number behind that of the last matchup of a day.
fn next_of(journal: &mut JournalReader) -> Result<u32, JournalError> {
    let mut next = 0;
    for line in journal.lines()? {
        if let Entry::Round { round, .. } = line?.entry {
            next = next.max(round.first.saturating_add(1));
        }
    }
    Ok(next)
}

async fn write(path: PathBuf, mut file: JournalFile, mut waiting: mpsc::UnboundedReceiver<Line>) {
    let (mut lines, mut is_synced) = (Vec::new(), true);
    loop {
        let next = waiting.recv_many(&mut lines, 1000);
        let next = if is_synced {
            Ok(next.await)
        } else {
            timeout(AGAIN, next).await
        };
        is_synced = next.is_err();
        if next == Ok(0) {
            break;
        }
        let mut left = std::mem::take(&mut lines);
        if is_synced {
            file = blocking(move || {
                if let Err(failure) = file.sync() {
                    log::error!("{failure}");
                }
                file
            })
            .await;
        }
        while !left.is_empty() {
            let path = path.clone();
            (file, left) = blocking(move || {
                let whole = std::fs::metadata(&path).map(|about| about.len());
                let entries = left.iter().map(|line| &line.entry);
                let Err(failure) = entries.into_iter().try_for_each(|entry| file.write(entry))
                else {
                    for written in left.into_iter().filter_map(|line| line.written) {
                        // Its table may have been given up.
                        let _ = written.send(());
                    }
                    if let Err(failure) = file.tick() {
                        log::error!("{failure}");
                    }
                    return (file, Vec::new());
                };
                log::error!("{failure}; it is tried again");
                // What a full disk has taken of these lines is cut off.
                if let Ok(whole) = whole
                    && let Ok(again) = JournalFile::resume(&path, whole)
                {
                    file = again;
                }
                (file, left)
            })
            .await;
            if !left.is_empty() {
                sleep(AGAIN).await;
            }
        }
    }
    let synced = blocking(move || file.sync()).await;
    if let Err(failure) = synced {
        log::error!("{failure}");
    }
}
