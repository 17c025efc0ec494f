//! Files that a thread of its own writes: no table waits for a disk. What the disk does not take is kept in memory, and
//! written when there is room.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use record::{Medium, Spool};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use crate::config::limits::{DISK_AGAIN, DISK_WAIT, MOST_UNSYNCED, MOST_UNWRITTEN, ROOM_WAIT};

/// A file that was opened, and the folder in which it is new.
type Opened = (Box<dyn Medium>, PathBuf);

/// Makes a file. It is called again after an error that may pass.
type Opener = Box<dyn FnMut() -> io::Result<Opened> + Send>;

static DISK: LazyLock<Disk> = LazyLock::new(|| Disk::new(MOST_UNWRITTEN, DISK_AGAIN));

pub fn disk() -> &'static Disk {
    &DISK
}

#[derive(Clone, Debug)]
pub struct Disk {
    jobs: Sender<Job>,
    shared: Arc<DiskShared>,
}

#[derive(Debug)]
struct DiskShared {
    /// Bytes that the disk does not surely have, and how many there may be.
    unwritten: AtomicUsize,
    most: usize,
    next: AtomicU64,
    /// Files that could not be made, or not be written to their end.
    lost: AtomicUsize,
    is_full: AtomicBool,
    /// Whether results go without their files, as it takes them too slowly.
    is_slow: AtomicBool,
}

enum Job {
    Create(u64, OpenFile),
    Write(u64, Vec<u8>),
    /// There was no memory for what is written to this file: it is lost.
    Lose(u64, String),
    Close(u64),
    Await(DiskEvent, oneshot::Sender<()>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiskEvent {
    /// When all that was written is in the files, or cannot be.
    Written,
    Synced,
    /// When it has all files, and they are closed.
    Finished,
}

/// What becomes of the files of one kind of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileStatus(Arc<watch::Sender<Count>>);

#[derive(Debug, Default)]
struct Count {
    /// Files that are not made yet, and those that the disk does not have to their end.
    unopened: usize,
    open: usize,
    /// Whether somebody waits for the disk to have them.
    is_awaited: bool,
    lost: Option<String>,
}

/// The end of a file. It is closed when it is dropped.
#[derive(Debug)]
pub(crate) struct DiskFile {
    number: u64,
    disk: Disk,
    /// Whether there was no memory for some of it.
    is_lost: bool,
}

impl FileStatus {
    pub(crate) fn is_lost(&self) -> bool {
        self.0.borrow().lost.is_some()
    }

    pub(crate) async fn opened(&self) -> Result<(), String> {
        let mut count = self.0.subscribe();
        let opened = count.wait_for(|count| count.unopened == 0).await;
        let count = opened.expect("it has the sender itself");
        count.lost.clone().map_or(Ok(()), Err)
    }

    /// Has the disk have each file as soon as it is closed, and not only when [`Disk::synced`] is called.
    pub(crate) fn hurry(&self) {
        self.0.send_modify(|count| count.is_awaited = true);
    }

    /// Waits until the disk has all files, or they are lost.
    pub(crate) async fn settled(&self) {
        let mut count = self.0.subscribe();
        let settled = count.wait_for(|count| count.open == 0).await;
        settled.expect("it has the sender itself");
    }
}

impl Disk {
    /// Keeps at most so many bytes in memory, and tries again after so long what has failed.
    pub(crate) fn new(most: usize, again: Duration) -> Disk {
        let (jobs, waiting) = channel();
        let shared = Arc::new(DiskShared {
            unwritten: AtomicUsize::new(0),
            most,
            next: AtomicU64::new(0),
            lost: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            is_slow: AtomicBool::new(false),
        });
        let writer = Writer {
            files: BTreeMap::new(),
            asked: Vec::new(),
            shared: Arc::clone(&shared),
        };
        // It is left behind when the process ends.
        thread::spawn(move || writer.run(&waiting, again));
        Disk { jobs, shared }
    }

    /// Makes a file, which is called `name` in the log.
    pub(crate) fn create(
        &self,
        name: &'static str,
        status: &FileStatus,
        mut open: impl FnMut() -> io::Result<(File, PathBuf)> + Send + 'static,
    ) -> DiskFile {
        let opener = move || {
            let (file, path) = open()?;
            // One in the current folder has none in its name.
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            Ok((Box::new(file) as Box<dyn Medium>, folder.to_owned()))
        };
        self.create_with(name, status, Box::new(opener))
    }

    fn create_with(&self, name: &'static str, status: &FileStatus, opener: Opener) -> DiskFile {
        status.0.send_modify(|count| {
            count.unopened += 1;
            count.open += 1;
        });
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let file = OpenFile {
            name,
            status: status.clone(),
            opener,
            medium: None,
            folder: None,
            spool: Spool::default(),
            is_closed: false,
            is_due: false,
            has_failed: false,
            lost: None,
        };
        self.tell(Job::Create(number, file));
        DiskFile {
            number,
            disk: self.clone(),
            is_lost: false,
        }
    }

    /// Waits until all that was written before is in its files, where there is room.
    pub async fn written(&self) {
        self.ask(DiskEvent::Written).await;
    }

    /// Waits until the disk has all that was written before, however long there is no room. Files that are lost are not
    /// waited for.
    pub async fn synced(&self) {
        self.ask(DiskEvent::Synced).await;
    }

    /// Waits until the disk has all that was written before, if more than half of what may wait for it does.
    pub(crate) async fn room(&self) {
        if self.shared.unwritten.load(Ordering::Relaxed) > self.shared.most / 2 {
            self.synced().await;
        }
    }

    fn ask(&self, what: DiskEvent) -> impl Future<Output = ()> + Send + use<> {
        let (sender, told) = oneshot::channel();
        self.tell(Job::Await(what, sender));
        async move {
            told.await.expect("the thread of the disk does not end");
        }
    }

    /// Waits until all files are closed and the disk has them, but not for long: longer where there is no room. Gives how
    /// many files it does not have, those included that could not be made.
    pub async fn finish(&self) -> usize {
        let mut finished = pin!(self.ask(DiskEvent::Finished));
        let mut all = timeout(DISK_WAIT, finished.as_mut()).await.is_ok();
        if !all && self.is_full() {
            let seconds = ROOM_WAIT.as_secs();
            log::error!("files are kept in memory: the end waits {seconds} s for room on the disk");
            all = timeout(ROOM_WAIT, finished).await.is_ok();
        }
        let lost = self.shared.lost.load(Ordering::Relaxed);
        // At least one is not closed, or not on the disk.
        lost + usize::from(!all)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.shared.is_full.load(Ordering::Relaxed)
    }

    /// A file called `name` comes later than the result of its match. The first of a spell is logged.
    pub(crate) fn tell_late(&self, name: &str) {
        if !self.is_full() && !self.shared.is_slow.swap(true, Ordering::Relaxed) {
            log::error!("the disk is slow: a {name} was not there after {DISK_WAIT:?}");
        }
    }

    /// Gives whether the thread hears of it: if it has failed, files are lost, and matches go on.
    fn tell(&self, job: Job) -> bool {
        self.jobs.send(job).is_ok()
    }
}

impl Write for DiskFile {
    /// Takes all bytes at once, or none: then the file is lost, for it would have a hole.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_lost {
            return Err(ErrorKind::OutOfMemory.into());
        }
        let DiskShared {
            unwritten, most, ..
        } = &*self.disk.shared;
        let before = unwritten.fetch_add(bytes.len(), Ordering::Relaxed);
        if before + bytes.len() > *most {
            unwritten.fetch_sub(bytes.len(), Ordering::Relaxed);
            let text = format!("{before} bytes wait for the disk already");
            self.is_lost = true;
            self.disk.tell(Job::Lose(self.number, text.clone()));
            return Err(io::Error::new(ErrorKind::OutOfMemory, text));
        }
        if !self.disk.tell(Job::Write(self.number, bytes.to_owned())) {
            return Err(io::Error::other("the thread that writes files has failed"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for DiskFile {
    fn drop(&mut self) {
        self.disk.tell(Job::Close(self.number));
    }
}

struct Writer {
    files: BTreeMap<u64, OpenFile>,
    /// What is to be told, and to whom.
    asked: Vec<(DiskEvent, oneshot::Sender<()>)>,
    shared: Arc<DiskShared>,
}

struct OpenFile {
    name: &'static str,
    status: FileStatus,
    opener: Opener,
    /// `None` until it is made.
    medium: Option<Box<dyn Medium>>,
    /// The folder in which it is new, until the disk knows of that.
    folder: Option<PathBuf>,
    spool: Spool,
    is_closed: bool,
    /// Whether the disk is to have it now.
    is_due: bool,
    /// Whether it is left alone until the next time.
    has_failed: bool,
    /// Why it cannot be made, or not be written to its end.
    lost: Option<String>,
}

impl Writer {
    /// Takes jobs as long as there are any to come.
    fn run(mut self, jobs: &Receiver<Job>, again: Duration) {
        while let Ok(job) = jobs.recv() {
            self.take(job);
            loop {
                while let Ok(job) = jobs.try_recv() {
                    self.take(job);
                }
                if self.work() {
                    break;
                }
                // Nothing is tried again before its time, whatever comes.
                let until = Instant::now() + again;
                while let Some(left) = until.checked_duration_since(Instant::now()) {
                    match jobs.recv_timeout(left) {
                        Ok(job) => self.take(job),
                        Err(RecvTimeoutError::Timeout) => break,
                        Err(RecvTimeoutError::Disconnected) => thread::sleep(left),
                    }
                }
            }
        }
    }

    fn take(&mut self, job: Job) {
        match job {
            Job::Create(number, file) => {
                self.files.insert(number, file);
            }
            Job::Write(number, bytes) => match self.files.get_mut(&number) {
                Some(file) => file.spool.add(&bytes),
                // It is lost.
                None => self.release(bytes.len()),
            },
            Job::Lose(number, why) => {
                if let Some(file) = self.files.get_mut(&number) {
                    let unwritten = std::mem::take(&mut file.spool).len();
                    file.lost = Some(why);
                    self.release(unwritten);
                }
            }
            Job::Close(number) => {
                if let Some(file) = self.files.get_mut(&number) {
                    file.is_closed = true;
                }
            }
            Job::Await(what, whom) => {
                if what != DiskEvent::Written {
                    let files = self.files.values_mut();
                    files.for_each(|file| file.is_due = true);
                }
                self.asked.push((what, whom));
            }
        }
    }

    /// Writes all that there is; gives whether nothing is left to be tried again.
    fn work(&mut self) -> bool {
        let (began, mut trouble) = (Instant::now(), None);
        self.each(OpenFile::write, &mut trouble);
        self.tell(DiskEvent::Written);
        let mut folders = BTreeSet::new();
        self.each(|file| file.sync(&mut folders), &mut trouble);
        for folder in folders {
            // Not every system can.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        self.settle();
        let is_well = trouble.is_none();
        let is_quick = is_well && began.elapsed() < DISK_WAIT / 2;
        if is_quick && self.shared.is_slow.swap(false, Ordering::Relaxed) {
            log::info!("the disk is quick again");
        }
        if is_well {
            self.tell(DiskEvent::Synced);
        }
        if self.files.is_empty() {
            self.tell(DiskEvent::Finished);
        }
        let was_full = self.shared.is_full.swap(!is_well, Ordering::Relaxed);
        match trouble {
            Some((name, e)) if !was_full => log::error!(
                "the {name} cannot be written: {e}; what has no room is kept in memory, up to {} MiB, and written when it has",
                self.shared.most >> 20
            ),
            None if was_full => log::error!("the disk takes files again, and has all that waited"),
            _ => {}
        }
        is_well
    }

    /// Does something with each file. Of errors that may pass the first is kept; other files are lost.
    fn each(
        &mut self,
        mut work: impl FnMut(&mut OpenFile) -> io::Result<()>,
        trouble: &mut Option<(&'static str, io::Error)>,
    ) {
        let mut released = 0;
        let files = self.files.values_mut();
        for file in files.filter(|file| !file.has_failed && file.lost.is_none()) {
            let before = file.spool.len();
            if let Err(e) = work(file) {
                if file.medium.is_some() || may_pass(&e) {
                    file.has_failed = true;
                    trouble.get_or_insert((file.name, e));
                } else {
                    log::error!("the {} is lost: {e}", file.name);
                    file.lost = Some(e.to_string());
                    file.spool = Spool::default();
                }
            }
            released += before - file.spool.len();
        }
        self.release(released);
    }

    /// Lets go of files that are closed and safe, or lost.
    fn settle(&mut self) {
        let lost = &self.shared.lost;
        self.files.retain(|_, file| {
            let failed = std::mem::take(&mut file.has_failed);
            if file.lost.is_some() {
                lost.fetch_add(1, Ordering::Relaxed);
            } else if failed || !file.is_closed || !file.is_safe() {
                return true;
            }
            file.status.0.send_modify(|count| {
                count.unopened -= usize::from(file.medium.is_none());
                count.open -= 1;
                if let Some(why) = file.lost.take() {
                    count.lost.get_or_insert(why);
                }
            });
            false
        });
    }

    fn tell(&mut self, what: DiskEvent) {
        for (_, whom) in self.asked.extract_if(.., |(asked, _)| *asked == what) {
            // Nobody may wait any more.
            let _ = whom.send(());
        }
    }

    fn release(&self, bytes: usize) {
        self.shared.unwritten.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl OpenFile {
    fn write(&mut self) -> io::Result<()> {
        let medium = match &mut self.medium {
            Some(medium) => medium,
            none => {
                let (medium, folder) = (self.opener)()?;
                self.folder = Some(folder);
                self.status.0.send_modify(|count| count.unopened -= 1);
                none.insert(medium)
            }
        };
        self.spool.write(&mut **medium)
    }

    /// Waits until the disk has it, where that is due. A folder that the disk has to know of is added to `folders`.
    fn sync(&mut self, folders: &mut BTreeSet<PathBuf>) -> io::Result<()> {
        let is_awaited = self.is_closed && self.status.0.borrow().is_awaited;
        let Some(medium) = &mut self.medium else {
            return Ok(());
        };
        if self.is_due || is_awaited || self.spool.len() >= MOST_UNSYNCED {
            if !self.spool.is_empty() {
                self.spool.sync(&mut **medium)?;
            }
            folders.extend(self.folder.take());
            self.is_due = false;
        }
        Ok(())
    }

    fn is_safe(&self) -> bool {
        self.spool.is_empty() && self.folder.is_none()
    }
}

/// Whether a file may yet be made after this error.
fn may_pass(e: &io::Error) -> bool {
    !matches!(
        e.kind(),
        ErrorKind::AlreadyExists
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const AGAIN: Duration = Duration::from_millis(5);

    /// A disk with room for some bytes.
    #[derive(Clone, Debug)]
    struct Room(Arc<Mutex<(Vec<u8>, usize)>>);

    impl Room {
        fn new(room: usize) -> Room {
            Room(Arc::new(Mutex::new((Vec::new(), room))))
        }

        fn make(&self) {
            self.0.lock().unwrap().1 = usize::MAX;
        }

        fn create(&self, disk: &Disk, status: &FileStatus) -> DiskFile {
            let room = self.clone();
            let opener = move || Ok((Box::new(room.clone()) as Box<dyn Medium>, PathBuf::new()));
            disk.create_with("record", status, Box::new(opener))
        }

        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().0.clone()).unwrap()
        }
    }

    impl Medium for Room {
        fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<usize> {
            let (file, room) = &mut *self.0.lock().unwrap();
            assert_eq!(place as usize, file.len());
            let n = bytes.len().min(*room - file.len());
            if n == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            file.extend_from_slice(&bytes[..n]);
            Ok(n)
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn what_has_no_room_is_written_when_it_has() {
        let disk = Disk::new(100, AGAIN);
        let room = Room::new(6);
        let status = FileStatus::default();
        let mut file = room.create(&disk, &status);
        file.write_all(b"one\ntwo\n").unwrap();
        let synced = disk.ask(DiskEvent::Synced);
        file.write_all(b"three\n").unwrap();
        status.hurry();
        drop(file);
        assert!(timeout(20 * AGAIN, status.settled()).await.is_err());
        assert!(disk.is_full());
        assert_eq!(room.text(), "one\ntw");
        room.make();
        status.settled().await;
        synced.await;
        assert!(!status.is_lost());
        assert_eq!(room.text(), "one\ntwo\nthree\n");
        assert_eq!((disk.finish().await, disk.is_full()), (0, false));
        assert_eq!(disk.shared.unwritten.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn memory_is_bounded_and_free_again() {
        let disk = Disk::new(10, AGAIN);
        let room = Room::new(0);
        let status = FileStatus::default();
        let mut file = room.create(&disk, &status);
        file.write_all(b"12345678").unwrap();
        let full = file.write_all(b"9ab").unwrap_err();
        assert_eq!(full.kind(), ErrorKind::OutOfMemory);
        // It would have a hole: it is lost, and what it had in memory is free.
        file.write_all(b"9a").unwrap_err();
        status.settled().await;
        assert!(status.is_lost());
        drop(file);
        assert_eq!(room.text(), "");
        assert_eq!(disk.shared.unwritten.load(Ordering::Relaxed), 0);
        let (room, status) = (Room::new(10), FileStatus::default());
        let mut file = room.create(&disk, &status);
        file.write_all(b"0123456789").unwrap();
        drop(file);
        disk.synced().await;
        assert!(!status.is_lost());
        assert_eq!(room.text(), "0123456789");
        assert_eq!(disk.finish().await, 1);
    }

    #[tokio::test]
    async fn one_who_waits_for_room_writes_more_than_memory_takes() {
        let disk = Disk::new(100, AGAIN);
        let (room, status) = (Room::new(1000), FileStatus::default());
        let mut file = room.create(&disk, &status);
        for _ in 0..10 {
            disk.room().await;
            file.write_all(&[b'x'; 50]).unwrap();
        }
        drop(file);
        assert_eq!(disk.finish().await, 0);
        assert_eq!(room.text().len(), 500);
        assert!(!status.is_lost());
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_made_is_lost_and_one_that_may_be_is_tried_again() {
        let disk = Disk::new(100, AGAIN);
        let status = FileStatus::default();
        let opener = || Err(ErrorKind::PermissionDenied.into());
        let mut file = disk.create_with("record", &status, Box::new(opener));
        assert!(status.opened().await.is_err());
        // Nothing is kept for it.
        file.write_all(b"x").unwrap();
        drop(file);
        let (room, status) = (Room::new(100), FileStatus::default());
        let (mut tries, medium) = (3, room.clone());
        let opener = move || {
            tries -= 1;
            match tries {
                0 => Ok((Box::new(medium.clone()) as Box<dyn Medium>, PathBuf::new())),
                // Too many files are open.
                _ => Err(io::Error::from_raw_os_error(24)),
            }
        };
        let mut file = disk.create_with("record", &status, Box::new(opener));
        file.write_all(b"y").unwrap();
        assert_eq!(status.opened().await, Ok(()));
        drop(file);
        let lost = disk.finish().await;
        assert_eq!((room.text(), lost), ("y".to_owned(), 1));
        assert_eq!(disk.shared.unwritten.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn a_slow_disk_is_told_of_once_until_it_is_quick() {
        let disk = Disk::new(100, AGAIN);
        let is_slow = || disk.shared.is_slow.load(Ordering::Relaxed);
        disk.tell_late("record");
        disk.tell_late("record");
        assert!(is_slow());
        // However slow the machine is, a round is quick at last.
        loop {
            drop(Room::new(100).create(&disk, &FileStatus::default()));
            disk.synced().await;
            if !is_slow() {
                break;
            }
        }
    }

    #[tokio::test]
    async fn files_that_are_left_are_counted() {
        let disk = Disk::new(100, AGAIN);
        let mut file = Room::new(100).create(&disk, &FileStatus::default());
        file.write_all(b"x").unwrap();
        assert_eq!(disk.finish().await, 1);
    }
}
