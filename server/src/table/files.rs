//! The files of a match, for every protocol: each may fail while the match goes on.

use std::fs::File;
use std::io;
use std::path::Path;

use record::files::{create_record, keep, named, record_path};
use record::{Event, Header, RecordWriter};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::config::limits::DISK_WAIT;

/// Which files of a match are lost: they could not be made, or not be written to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// The record.
    pub record: bool,
    /// Any other file.
    pub others: bool,
}

impl Lost {
    /// Whether any is.
    pub const fn any(self) -> bool {
        self.record || self.others
    }
}

/// A file of a match, if it is wanted. One that fails is given up with a line in the log, and the match goes
/// on.
#[derive(Debug)]
pub(crate) struct MatchFile<T> {
    name: &'static str,
    file: Option<T>,
    is_lost: bool,
}

impl<T> MatchFile<T> {
    /// A file that was opened, if it was wanted.
    pub(crate) fn new(name: &'static str, opened: Option<io::Result<T>>) -> MatchFile<T> {
        let mut file = MatchFile {
            name,
            file: None,
            is_lost: false,
        };
        match opened {
            Some(Ok(opened)) => file.file = Some(opened),
            Some(Err(e)) => file.give_up(&e),
            None => {}
        }
        file
    }

    /// Writes to it, if it is there.
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut T) -> io::Result<()>) {
        let was_there = self.file.is_some();
        keep(&mut self.file, self.name, write);
        self.is_lost |= was_there && self.file.is_none();
    }

    /// Whether it was wanted and has failed.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    fn give_up(&mut self, why: &dyn std::fmt::Display) {
        log::error!("the {} is given up: {why}", self.name);
        self.file = None;
        self.is_lost = true;
    }
}

/// The record of one match, if one is kept.
#[derive(Debug)]
pub(crate) struct MatchRecord(MatchFile<RecordWriter<File>>);

impl MatchRecord {
    /// Begins the record of match number `number` (from 1) in a folder, or in a file that ends in
    /// `.jsonl`; a name that is taken gets a number.
    pub(crate) fn create(place: Option<&Path>, number: u64, header: &Header) -> MatchRecord {
        let path = place.map(|place| record_path(place, number, header));
        if let Some(path) = &path {
            log::info!("match {number}: record {}", path.display());
        }
        MatchRecord(MatchFile::new(
            "record",
            path.map(|path| new(&path, header)),
        ))
    }

    /// Begins the record in this file.
    ///
    /// # Errors
    /// When the file cannot be made, or is there already, with its name.
    pub(crate) fn at(path: Option<&Path>, header: &Header) -> io::Result<MatchRecord> {
        let writer = path.map(|path| new(path, header)).transpose()?;
        Ok(MatchRecord(MatchFile::new("record", writer.map(Ok))))
    }

    /// Writes an event.
    pub(crate) fn event(&mut self, event: &Event) {
        self.0.write(|record| record.event(event));
    }

    /// Ends the record, and waits until the disk has it, but not for long: a result waits for no file. Gives
    /// whether the record is lost.
    pub(crate) async fn close(mut self) -> bool {
        if let Some(writer) = self.0.file.take() {
            // The disk may be slow, and holds up no clock.
            let written = timeout(DISK_WAIT, spawn_blocking(|| writer.finish())).await;
            match written {
                Ok(Ok(Ok(()))) => {}
                Ok(Ok(Err(e))) => self.0.give_up(&e),
                Ok(Err(e)) => self.0.give_up(&e),
                Err(_) => self
                    .0
                    .give_up(&format_args!("the disk has not taken it in {DISK_WAIT:?}")),
            }
        }
        self.0.is_lost()
    }
}

fn new(path: &Path, header: &Header) -> io::Result<RecordWriter<File>> {
    create_record(path, header).map_err(|e| named(path, &e))
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
        assert!(record.close().await);
        assert!(!MatchRecord::create(None, 1, &header).close().await);
        let record = MatchRecord::create(Some(folder.path()), 1, &header);
        assert!(!record.close().await && folder.path().join("id.jsonl").is_file());
    }

    #[test]
    fn a_file_that_fails_is_given_up_once() {
        let mut file = MatchFile::new("log", Some(Ok(0)));
        file.write(|count| {
            *count += 1;
            Ok(())
        });
        assert!(!file.is_lost());
        file.write(|_| Err(io::ErrorKind::StorageFull.into()));
        assert!(file.is_lost());
        file.write(|_| panic!("a file that was given up"));
    }
}
