//! Lines of the journal on their way: each is written when the records of its games are on the disk.

use std::future::pending;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::journal::{Entry, JournalFile};

/// Lines are written this often at most, so that one wait for the disk is for many.
const TOGETHER: Duration = Duration::from_millis(100);

pub(super) struct Lines<'a> {
    file: &'a mut JournalFile,
    /// Waits until the disk has all records that are written; `None` where none are kept, and no line waits.
    records: Option<SyncRecords>,
    waiting: Vec<Entry>,
    /// When is looked after them next.
    at: Instant,
    /// How many of them are ready, as soon as the disk has what was written.
    synced: Option<(usize, Synced)>,
}

type Synced = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(super) type SyncRecords = Box<dyn Fn() -> Synced + Send + Sync>;

impl<'a> Lines<'a> {
    pub(super) fn new(file: &'a mut JournalFile, records: Option<SyncRecords>) -> Lines<'a> {
        Lines {
            file,
            records,
            waiting: Vec::new(),
            at: Instant::now(),
            synced: None,
        }
    }

    /// Adds a line about games whose records are written, if not yet on the disk.
    pub(super) fn add(&mut self, entry: Entry) -> io::Result<()> {
        if self.records.is_none() {
            return self.file.append(&entry);
        }
        self.waiting.push(entry);
        Ok(())
    }

    /// Writes lines as soon as the disk has the records of their games: ready when some are written. Nothing is lost when
    /// this is given up before it is ready.
    pub(super) async fn flow(&mut self) -> io::Result<()> {
        let Some(records) = self.records.as_ref().filter(|_| !self.waiting.is_empty()) else {
            return pending().await;
        };
        sleep_until(self.at).await;
        let ready = self.waiting.len();
        let (ready, synced) = self.synced.get_or_insert_with(|| (ready, records()));
        synced.await;
        let ready: Vec<Entry> = self.waiting.drain(..*ready).collect();
        self.synced = None;
        self.at = Instant::now() + TOGETHER;
        ready.iter().try_for_each(|entry| self.file.append(entry))
    }

    /// Writes all lines, however long the disk takes.
    pub(super) async fn all(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            self.flow().await?;
        }
        self.file.sync()
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(super) const fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn tick(&mut self) -> io::Result<()> {
        self.file.tick()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::*;
    use crate::journal::Journal;
    use crate::testing::{head, settings};

    #[tokio::test]
    async fn a_line_is_written_when_the_disk_has_the_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut file = JournalFile::create(&path, &head(settings())).unwrap();
        let disk = Arc::new(Semaphore::new(0));
        let slow = Arc::clone(&disk);
        let records: SyncRecords = Box::new(move || {
            let slow = Arc::clone(&slow);
            Box::pin(async move { drop(slow.acquire().await) })
        });
        let mut lines = Lines::new(&mut file, Some(records));
        let entry = |number: u32| Entry::Void {
            key: format!("0.{number}.0").parse().unwrap(),
            void: "no reason".to_owned(),
        };
        lines.add(entry(0)).unwrap();
        let wait = Duration::from_millis(100);
        assert!(tokio::time::timeout(wait, lines.flow()).await.is_err());
        lines.add(entry(1)).unwrap();
        let in_journal = || Journal::read(&path).unwrap().entries;
        assert_eq!(in_journal(), []);
        disk.add_permits(1);
        lines.flow().await.unwrap();
        assert_eq!((in_journal(), lines.len()), (vec![entry(0)], 1));
        lines.all().await.unwrap();
        assert_eq!(in_journal(), [entry(0), entry(1)]);
    }
}
