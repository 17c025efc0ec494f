//! The files of a match, for every protocol: each may fail while the match goes on.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use record::files::{create_new, keep, named, record_path};
use record::{Event, Header, RecordWriter};
use tokio::time::{Instant, timeout_at};

use super::disk::{DiskFile, FileStatus, disk};
use crate::config::limits::DISK_WAIT;

/// Which files of a match the disk does not have when its result is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    pub record: Option<Missing>,
    pub others: Option<Missing>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// It waits for the disk.
    Late,
    /// It could not be made, or not be written to its end.
    Lost,
}

impl Missing {
    /// Its name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Missing::Late => "late",
            Missing::Lost => "lost",
        }
    }
}

impl Lost {
    /// Whether any is lost for good.
    pub fn any(self) -> bool {
        [self.record, self.others].contains(&Some(Missing::Lost))
    }
}

/// Until when the result of a match that ends now waits for its files.
pub(crate) fn disk_wait() -> Instant {
    Instant::now() + DISK_WAIT
}

/// A file of a match, if it is wanted, or several of a kind. One that fails is given up with a line in the log, and the
/// match goes on.
#[derive(Debug)]
pub(crate) struct MatchFile<T> {
    name: &'static str,
    file: Option<T>,
    status: FileStatus,
    is_given_up: bool,
}

impl<T> MatchFile<T> {
    /// Takes the file that was begun, if one is wanted, with the status of the match's files.
    pub(crate) fn new(
        name: &'static str,
        begun: Option<io::Result<T>>,
        status: FileStatus,
    ) -> MatchFile<T> {
        let is_given_up = matches!(begun, Some(Err(_)));
        if let Some(Err(e)) = &begun {
            log::error!("the {name} is given up: {e}");
        }
        MatchFile {
            name,
            file: begun.and_then(Result::ok),
            status,
            is_given_up,
        }
    }

    /// Writes to it, if it is there.
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut T) -> io::Result<()>) {
        if self.status.is_lost() {
            // The log says so.
            self.file = None;
        }
        let was_there = self.file.is_some();
        keep(&mut self.file, self.name, write);
        self.is_given_up |= was_there && self.file.is_none();
    }

    /// Closes it, and waits until then for the disk to have it. Gives what is wrong with it.
    pub(crate) async fn close(self, until: Instant) -> Option<Missing> {
        self.status.hurry();
        drop(self.file);
        let is_late = timeout_at(until, self.status.settled()).await.is_err();
        if self.is_given_up || self.status.is_lost() {
            return Some(Missing::Lost);
        }
        if is_late {
            disk().tell_late(self.name);
        }
        is_late.then_some(Missing::Late)
    }
}

/// The record of one match, if one is kept.
#[derive(Debug)]
pub struct MatchRecord {
    file: MatchFile<RecordWriter<DiskFile>>,
    path: Arc<OnceLock<PathBuf>>,
}

impl MatchRecord {
    /// Begins the record of match number `number` (from 1) in a folder, or in a file that ends in
    /// `.jsonl`; a name that is taken gets a number.
    pub fn create(place: Option<&Path>, number: u64, header: &Header) -> MatchRecord {
        let (status, path) = (FileStatus::default(), Arc::<OnceLock<PathBuf>>::default());
        let record = place.map(|place| {
            let (place, its_header) = (place.to_owned(), header.clone());
            let made = Arc::clone(&path);
            let open = move || {
                let path = record_path(&place, number, &its_header);
                let file = create_new(&path)?;
                log::info!("match {number}: record {}", path.display());
                // It is made once.
                let _ = made.set(path.clone());
                Ok((file, path))
            };
            RecordWriter::new(disk().create("record", &status, open), header)
        });
        MatchRecord {
            file: MatchFile::new("record", record, status),
            path,
        }
    }

    /// Waits until it is made; gives its path, if one is kept.
    pub async fn opened(&self) -> Result<Option<&Path>, String> {
        self.file.status.opened().await?;
        Ok(self.path.get().map(PathBuf::as_path))
    }

    pub fn event(&mut self, event: &Event) {
        self.file.write(|record| record.event(event));
    }

    /// Drops the game in play, which the next server continues.
    pub(crate) fn discard(&mut self) {
        if let Some(record) = &mut self.file.file {
            record.discard();
        }
    }

    /// Ends the record, and waits until then for the disk to have it. Gives what is wrong with it.
    pub(crate) async fn close(self, until: Instant) -> Option<Missing> {
        self.file.close(until).await
    }
}

/// Makes a file, and its folder; a number is put behind a name that is taken.
pub(crate) fn new_file(folder: &Path, stem: &str, extension: &str) -> io::Result<(File, PathBuf)> {
    fs::create_dir_all(folder).map_err(|e| named(folder, &e))?;
    let mut number = 1;
    loop {
        let path = folder.join(match number {
            1 => format!("{stem}.{extension}"),
            _ => format!("{stem}-{number}.{extension}"),
        });
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(e) => return Err(named(&path, &e)),
            Ok(file) => return Ok((file, path)),
        }
    }
}

/// Writes a whole file into a folder, under this name or, if it is taken, a similar one; gives its name when the file is made.
/// The disk has it after [`Disk::synced`](super::disk::Disk::synced). Callers take turns, so that little waits for the disk.
pub async fn write_whole(folder: &Path, name: &str, text: &str) -> Result<String, String> {
    let (status, path) = (FileStatus::default(), Arc::<OnceLock<PathBuf>>::default());
    let (stem, extension) = name.rsplit_once('.').ok_or("its name has no ending")?;
    let (folder, stem, extension) = (folder.to_owned(), stem.to_owned(), extension.to_owned());
    let made = Arc::clone(&path);
    let open = move || {
        let (file, path) = new_file(&folder, &stem, &extension)?;
        // It is made once.
        let _ = made.set(path.clone());
        Ok((file, path))
    };
    disk().room().await;
    let mut file = disk().create("record", &status, open);
    file.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
    drop(file);
    status.opened().await?;
    let name = path.get().and_then(|path| path.file_name());
    let name = name.map(|name| name.to_string_lossy().into_owned());
    name.ok_or_else(|| "it was not made".to_owned())
}

#[cfg(test)]
mod tests {
    use games::GameName;

    use super::*;

    #[tokio::test]
    async fn a_record_that_cannot_be_made_is_lost_and_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let header = Header::new(GameName::Geister, "id", "gat", Vec::new(), 1);
        let record = MatchRecord::create(Some(&file), 1, &header);
        let why = record.opened().await.unwrap_err();
        assert!(why.contains("file"), "{why}");
        assert_eq!(record.close(disk_wait()).await, Some(Missing::Lost));
        let none = MatchRecord::create(None, 1, &header);
        assert_eq!(none.close(disk_wait()).await, None);
        assert_eq!(
            MatchRecord::create(None, 1, &header).opened().await,
            Ok(None)
        );
        let record = MatchRecord::create(Some(folder.path()), 1, &header);
        let path = folder.path().join("id.jsonl");
        assert_eq!(record.opened().await, Ok(Some(&*path)));
        assert_eq!(record.close(disk_wait()).await, None);
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.lines().count(), 1);
    }

    #[tokio::test]
    async fn a_file_that_fails_is_given_up_once() {
        let mut file = MatchFile::new("log", Some(Ok(0)), FileStatus::default());
        file.write(|count| {
            *count += 1;
            Ok(())
        });
        assert!(!file.is_given_up);
        file.write(|_| Err(io::ErrorKind::StorageFull.into()));
        assert!(file.is_given_up);
        file.write(|_| panic!("a file that was given up"));
        assert_eq!(file.close(disk_wait()).await, Some(Missing::Lost));
    }
}
