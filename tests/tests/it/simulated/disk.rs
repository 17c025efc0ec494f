//! A record on its way to a disk that fails.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::files::keep;
use record::{Event, Header, Medium, Record, RecordReader, RecordWriter, Spool, replay};

use super::Played;

/// A file on a disk that may fill up, for a while or for good, write less than it is given, and fail once.
#[derive(Debug, Default)]
struct Disk {
    /// What readers of the file see, and what outlasts a loss of power.
    cache: Vec<u8>,
    safe: Vec<u8>,
    /// Bytes that it takes, and whether it takes more in the end.
    room: Option<usize>,
    is_full_for_good: bool,
    most: Option<usize>,
    /// A write and a sync that fail, counted from the first.
    failing_write: Option<u32>,
    failing_sync: Option<u32>,
    writes: u32,
    syncs: u32,
}

impl Medium for Disk {
    fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<usize> {
        self.writes += 1;
        if self.failing_write == Some(self.writes) {
            return Err(io::Error::other("the disk failed"));
        }
        let place = place as usize;
        assert!(place <= self.cache.len(), "a hole in the file");
        let room = self
            .room
            .map_or(usize::MAX, |room| room.saturating_sub(place));
        let n = bytes.len().min(room).min(self.most.unwrap_or(usize::MAX));
        if n == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        self.cache.resize(self.cache.len().max(place + n), 0);
        self.cache[place..place + n].copy_from_slice(&bytes[..n]);
        Ok(n)
    }

    /// One that fails drops what was not on the disk.
    fn sync(&mut self) -> io::Result<()> {
        self.syncs += 1;
        if self.failing_sync == Some(self.syncs) {
            self.cache.clone_from(&self.safe);
            return Err(io::Error::other("the disk failed"));
        }
        self.safe.clone_from(&self.cache);
        Ok(())
    }
}

/// What a record is written to: memory, which may be full once, after a part of what it is given.
#[derive(Clone, Debug, Default)]
struct Tail {
    spool: Arc<Mutex<Spool>>,
    failing: Option<u32>,
    writes: u32,
}

impl Tail {
    fn spool(&self) -> MutexGuard<'_, Spool> {
        self.spool.lock().expect("one at a time")
    }
}

impl Write for Tail {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        let (part, n) = match self.failing {
            Some(failing) if self.writes + 1 == failing => (&bytes[..1], 1),
            Some(failing) if self.writes == failing => return Err(ErrorKind::OutOfMemory.into()),
            _ => (bytes, bytes.len()),
        };
        self.spool().add(part);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the record of a match on a disk that is drawn.
pub(super) fn play(mut rng: Xoshiro256PlusPlus) -> Played {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/tests/records");
    let files = folder.read_dir().expect("a folder").flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "jsonl")
    });
    files.sort();
    let record = Record::open(&files[rng.random_range(0..files.len())]).expect("a record");
    let mut played = Played::default();
    played.worlds.insert("disk", 1);
    played.events = record.events.len();
    let (mut book, fault) = Book::draw(&mut rng, &record.header);
    if let Some(fault) = fault {
        played.fault(fault);
    }
    for event in &record.events {
        book.event(event);
    }
    book.close(&record.header);
    played
}

struct Book {
    disk: Disk,
    tail: Tail,
    writer: Option<RecordWriter<Tail>>,
    whole: RecordWriter<Whole>,
    text: Whole,
    rng: Xoshiro256PlusPlus,
}

#[derive(Clone, Debug, Default)]
struct Whole(Arc<Mutex<Vec<u8>>>);

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("one at a time").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Book {
    /// Begins it on a disk that is drawn; gives the fault of the disk, if it has one.
    fn draw(rng: &mut Xoshiro256PlusPlus, header: &Header) -> (Book, Option<&'static str>) {
        let (mut disk, mut tail) = (Disk::default(), Tail::default());
        // What the table does depends on none of its draws.
        let mut own = Xoshiro256PlusPlus::seed_from_u64(rng.clone().random());
        let fault = match (rng.random_range(0..10), own.random_range(0..3)) {
            (0, kind) => {
                disk.room = Some(rng.random_range(0..20_000));
                disk.is_full_for_good = kind == 0;
                ["disk full", "disk full for a while"][usize::from(kind > 0)]
            }
            (1, _) => {
                disk.most = Some(rng.random_range(1..500));
                "short writes"
            }
            (2, 0) => {
                disk.failing_write = Some(rng.random_range(1..10));
                "a write fails"
            }
            (2, 1) => {
                disk.failing_sync = Some(rng.random_range(1..10));
                "a sync fails"
            }
            (2, _) => {
                tail.failing = Some(rng.random_range(1..10) + 1);
                "memory full"
            }
            _ => "",
        };
        let text = Whole::default();
        let whole = RecordWriter::new(text.clone(), header).expect("memory");
        let writer = RecordWriter::new(tail.clone(), header).ok();
        let book = Book {
            disk,
            tail,
            writer,
            whole,
            text,
            rng: own,
        };
        (book, Some(fault).filter(|fault| !fault.is_empty()))
    }

    /// Writes an event. The disk has as much of the record then as it has come to, sometimes after a look of a reader.
    fn event(&mut self, event: &Event) {
        keep(&mut self.writer, "record", |writer| writer.event(event));
        self.whole.event(event).expect("memory");
        let spool = &mut self.tail.spool();
        // What fails is tried again with the next event.
        let _ = match self.rng.random_range(0..10) {
            0 => Ok(()),
            1..4 => spool.sync(&mut self.disk),
            _ => spool.write(&mut self.disk),
        };
        if self.rng.random_bool(0.05) {
            self.assert_part();
        }
    }

    /// What a reader sees, and what is left after a loss of power, is a part of the record from its beginning on.
    fn assert_part(&self) {
        let text = self.text.0.lock().expect("one at a time");
        for (what, bytes) in [("file", &self.disk.cache), ("disk", &self.disk.safe)] {
            let same = bytes.iter().zip(&*text).take_while(|(a, b)| a == b).count();
            assert!(
                same == bytes.len(),
                "the {what} has {:?} instead of {:?}",
                String::from_utf8_lossy(&bytes[same.saturating_sub(80)..]),
                String::from_utf8_lossy(&text[same.saturating_sub(80)..])
            );
        }
    }

    /// Ends the record. The disk has all of it where it can, and a record as far as it goes otherwise.
    fn close(mut self, header: &Header) {
        let is_whole = self.tail.failing.is_none() && !self.disk.is_full_for_good;
        self.writer = None;
        if !self.disk.is_full_for_good {
            self.disk.room = None;
        }
        for _ in 0..3 {
            let _ = self.tail.spool().sync(&mut self.disk);
        }
        self.assert_part();
        let (bytes, text) = (&self.disk.safe, self.text.0.lock().expect("one at a time"));
        if is_whole {
            assert_eq!(bytes.len(), text.len());
        }
        if bytes.contains(&b'\n') {
            let reader = RecordReader::new(&bytes[..], "disk").expect("the header is whole");
            assert_eq!(reader.header(), header);
            replay(reader).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}
