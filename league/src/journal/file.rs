//! The journal as it is written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs, io};

use record::files::named;
use serde::Serialize;
use tokio::time::Instant;

use super::{Entry, Head};

/// What is written is on the disk, safe from a loss of power, after this at the latest.
const SYNC: Duration = Duration::from_secs(1);

/// A file that is written at its end only.
pub trait Page: Write + fmt::Debug + Send {
    /// Waits until all that was written outlasts a loss of power.
    fn sync(&self) -> io::Result<()>;
}

impl Page for File {
    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

#[derive(Debug)]
pub struct JournalFile {
    file: Box<dyn Page>,
    path: PathBuf,
    line: Vec<u8>,
    synced: Instant,
    waiting: bool,
}

impl JournalFile {
    /// Begins a journal with its first line. The file appears with that line in it or not at all.
    pub fn create(path: &Path, head: &Head) -> io::Result<JournalFile> {
        let begin = || {
            if path.symlink_metadata().is_ok() {
                return Err(io::Error::from(io::ErrorKind::AlreadyExists));
            }
            let new = path.with_extension("new");
            let line = line_of(head)?;
            // It has the seed of all deals in it.
            let mut file = create(&new)?;
            file.write_all(&line)?;
            file.sync_all()?;
            fs::rename(&new, path)?;
            if let Some(folder) = path.parent()
                && let Ok(folder) = File::open(folder)
            {
                // Not every system can.
                let _ = folder.sync_all();
            }
            Ok(())
        };
        begin().map_err(|e| unwritten(path, &e))?;
        JournalFile::open(path, None)
    }

    /// Goes on with a journal of which `whole` bytes are whole lines: what is behind is cut off.
    pub fn resume(path: &Path, whole: u64) -> io::Result<JournalFile> {
        JournalFile::open(path, Some(whole))
    }

    fn open(path: &Path, whole: Option<u64>) -> io::Result<JournalFile> {
        let open = || {
            let file = OpenOptions::new().append(true).open(path)?;
            if let Some(whole) = whole
                && file.metadata()?.len() > whole
            {
                file.set_len(whole)?;
                file.sync_all()?;
            }
            Ok(file)
        };
        let file = open().map_err(|e| unwritten(path, &e))?;
        Ok(JournalFile {
            file: Box::new(file),
            path: path.to_owned(),
            line: Vec::new(),
            synced: Instant::now(),
            waiting: false,
        })
    }

    /// The same journal, written to what `page` makes of its file: a test's way to a disk that fails.
    #[must_use]
    pub fn on_page(mut self, page: impl FnOnce(Box<dyn Page>) -> Box<dyn Page>) -> JournalFile {
        self.file = page(self.file);
        self
    }

    /// Writes a line, in one piece. It outlives this process at once, and the machine within a second or so, if
    /// [`JournalFile::tick`] is called.
    pub fn append(&mut self, entry: &Entry) -> io::Result<()> {
        self.write(entry)?;
        self.tick()
    }

    /// The same without waiting for the disk.
    pub fn write(&mut self, entry: &Entry) -> io::Result<()> {
        self.line = line_of(entry).map_err(|e| unwritten(&self.path, &e))?;
        let written = self.file.write_all(&self.line);
        written.map_err(|e| unwritten(&self.path, &e))?;
        self.waiting = true;
        Ok(())
    }

    /// Brings lines to the disk that have waited for it for a second.
    pub fn tick(&mut self) -> io::Result<()> {
        if self.synced.elapsed() < SYNC {
            return Ok(());
        }
        self.sync()
    }

    pub fn sync(&mut self) -> io::Result<()> {
        if self.waiting {
            self.file.sync().map_err(|e| unwritten(&self.path, &e))?;
            self.waiting = false;
        }
        self.synced = Instant::now();
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn unwritten(path: &Path, e: &io::Error) -> io::Error {
    let text = format!("the journal cannot be written: {e}");
    named(path, &io::Error::new(e.kind(), text))
}

/// A file for its owner alone, in place of one that a start which was killed has left.
fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(named(path, &e)),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|e| named(path, &e))
}

fn line_of(entry: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    Ok(line)
}

/// The lock of a league's folder. The system gives it free when the process ends, however it does.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

const FILE_NAME: &str = "lock";

/// A process that checks whether the lock is held takes it briefly, and a child that a killed process was about to start
/// has it for a moment longer, so a refusal is tried again.
const TRIES: u32 = 50;
const BETWEEN: Duration = Duration::from_millis(20);

impl Lock {
    /// Takes the lock of a folder, which must be there.
    pub fn take(folder: &Path) -> io::Result<Lock> {
        let path = folder.join(FILE_NAME);
        let failed = |e| named(&path, &e);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(failed)?;
        let mut tries = TRIES;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) => {}
            }
            tries -= 1;
            if tries == 0 {
                let process = process(&path);
                let process = process.map_or_else(
                    || "another process".to_owned(),
                    |process| format!("process {process}"),
                );
                return Err(io::Error::other(format!(
                    "{}: {process} plays this league; wait for its end, or interrupt it (Ctrl-C) and start again",
                    folder.display()
                )));
            }
            std::thread::sleep(BETWEEN);
        }
        let mut lock = Lock { file };
        let own = writeln!(lock.write().map_err(failed)?, "{}", std::process::id());
        own.map_err(failed)?;
        Ok(lock)
    }

    fn write(&mut self) -> io::Result<&mut File> {
        self.file.set_len(0)?;
        Ok(&mut self.file)
    }
}

impl Drop for Lock {
    /// The file stays: if it were removed, two could hold locks of two files of its name.
    fn drop(&mut self) {
        let _ = self.write();
    }
}

/// The process that plays the league of a folder now: `None` if none does, `Some(None)` if it is not known which.
pub fn holder(folder: &Path) -> Option<Option<u32>> {
    let path = folder.join(FILE_NAME);
    let file = File::open(&path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(process(&path)),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

fn process(path: &Path) -> Option<u32> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;
    use crate::settings::{Run, Settings};
    use crate::testing::{head, settings};

    fn first() -> Head {
        head(Settings {
            run: Run::default(),
            ..settings()
        })
    }

    fn void(number: u32) -> Entry {
        Entry::Void {
            key: format!("0.{number}.0").parse().unwrap(),
            void: "no\nreason".to_owned(),
        }
    }

    #[test]
    fn a_journal_torn_at_any_byte_goes_on_behind_its_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut file = JournalFile::create(&path, &first()).unwrap();
        let first = fs::metadata(&path).unwrap().len();
        let all = [void(0), void(1), void(2)];
        for entry in &all {
            file.append(entry).unwrap();
        }
        file.sync().unwrap();
        let bytes = fs::read(&path).unwrap();
        for end in first as usize..=bytes.len() {
            fs::write(&path, &bytes[..end]).unwrap();
            let journal = Journal::read(&path).unwrap();
            let lines = bytes[..end].split(|b| *b == b'\n').count() - 2;
            assert_eq!(journal.entries, all[..lines]);
            let mut file = JournalFile::resume(&path, journal.whole).unwrap();
            file.append(&void(9)).unwrap();
            let journal = Journal::read(&path).unwrap();
            assert_eq!(journal.entries[..lines], all[..lines]);
            assert_eq!(journal.entries[lines..], [void(9)]);
        }
    }

    #[test]
    fn a_journal_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        // What a start that was killed has left does no harm.
        fs::write(path.with_extension("new"), "{").unwrap();
        JournalFile::create(&path, &first()).unwrap();
        let error = JournalFile::create(&path, &first()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert!(error.to_string().contains("journal.jsonl"));
        assert_eq!(Journal::read(&path).unwrap().head, first());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let mut file = JournalFile::open(Path::new("/dev/full"), None).unwrap();
        let error = file.append(&void(0)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(holder(folder.path()), None);
        let lock = Lock::take(folder.path()).unwrap();
        let own = std::process::id();
        assert_eq!(holder(folder.path()), Some(Some(own)));
        let error = Lock::take(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("process {own} ")), "{error}");
        drop(lock);
        assert_eq!(holder(folder.path()), None);
        // A lock that was left by a process that is no more holds nobody up.
        fs::write(folder.path().join(FILE_NAME), "99999999\n").unwrap();
        assert_eq!(holder(folder.path()), None);
        let again = Lock::take(folder.path()).unwrap();
        assert_eq!(holder(folder.path()), Some(Some(own)));
        drop(again);
        let nowhere = folder.path().join("nowhere");
        let error = Lock::take(&nowhere).unwrap_err().to_string();
        assert!(error.contains("nowhere"), "{error}");
    }
}
