//! The end of a file that may fail: bytes that wait for the disk.

use std::fs::File;
use std::io::{self, ErrorKind, Seek as _, SeekFrom, Write as _};

/// A file as a [`Spool`] writes it.
pub trait Medium: Send {
    /// Writes some of these bytes at a place from the beginning of the file, and gives how many.
    ///
    /// # Errors
    /// When it takes none of them.
    fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<usize>;

    /// Waits until all that was written outlasts a loss of power.
    ///
    /// # Errors
    /// When it may not. What was written since the last sync may be gone then, and a later sync does not say so.
    fn sync(&mut self) -> io::Result<()>;
}

impl Medium for File {
    fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<usize> {
        self.seek(SeekFrom::Start(place))?;
        self.write(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// The end of a file: bytes that the disk does not surely have. Each gets to its place in the file, once, however
/// often the disk fails meanwhile.
#[derive(Debug, Default)]
pub struct Spool {
    bytes: Vec<u8>,
    /// How many of them were written, from the first on.
    written: usize,
    /// Where in the file the first belongs: before it the disk has all.
    from: u64,
}

impl Spool {
    /// Adds bytes to the end of the file.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Bytes that the disk does not surely have.
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the disk has all.
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Writes what was not written yet.
    ///
    /// # Errors
    /// Those of the file. What it has not taken is written the next time.
    pub fn write(&mut self, file: &mut (impl Medium + ?Sized)) -> io::Result<()> {
        while self.written < self.bytes.len() {
            let place = self.from + self.written as u64;
            match file.write_at(&self.bytes[self.written..], place) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => self.written += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Writes what was not written yet, and waits until the disk has all.
    ///
    /// # Errors
    /// Those of the file. What it may not have is written the next time.
    pub fn sync(&mut self, file: &mut (impl Medium + ?Sized)) -> io::Result<()> {
        self.write(file)?;
        let synced = file.sync();
        if synced.is_ok() {
            self.from += self.written as u64;
            self.bytes.clear();
        }
        // After a failure the system may have dropped any of it.
        self.written = 0;
        synced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that does what the script says, one word for each call: takes so many bytes, fails for 0, and loses
    /// what was not synced where a sync fails.
    #[derive(Default)]
    struct Flaky {
        cache: Vec<u8>,
        disk: Vec<u8>,
        writes: Vec<usize>,
        syncs: Vec<bool>,
    }

    impl Medium for Flaky {
        fn write_at(&mut self, bytes: &[u8], place: u64) -> io::Result<usize> {
            let most = self.writes.pop().unwrap_or(usize::MAX);
            if most == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            let n = bytes.len().min(most);
            let end = place as usize + n;
            self.cache.resize(self.cache.len().max(end), 0);
            self.cache[place as usize..end].copy_from_slice(&bytes[..n]);
            Ok(n)
        }

        fn sync(&mut self) -> io::Result<()> {
            if self.syncs.pop() == Some(false) {
                self.cache.clone_from(&self.disk);
                return Err(io::Error::other("input/output error"));
            }
            self.disk.clone_from(&self.cache);
            Ok(())
        }
    }

    #[test]
    fn what_a_full_disk_does_not_take_is_written_once_and_later() {
        let mut file = Flaky::default();
        let mut spool = Spool::default();
        spool.add(b"one\n");
        spool.write(&mut file).unwrap();
        // The last word is the first.
        file.writes = vec![0, 3, 0, 2];
        spool.add(b"two\nthree\n");
        let full = spool.write(&mut file).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::StorageFull);
        assert_eq!(file.cache, b"one\ntw");
        spool.add(b"four\n");
        assert!(spool.write(&mut file).is_err());
        assert_eq!(file.cache, b"one\ntwo\nt");
        spool.sync(&mut file).unwrap();
        assert_eq!(file.disk, b"one\ntwo\nthree\nfour\n");
        assert!(spool.is_empty());
    }

    #[test]
    fn what_a_failed_sync_may_have_lost_is_written_again_at_its_place() {
        let mut file = Flaky::default();
        let mut spool = Spool::default();
        spool.add(b"one\n");
        spool.sync(&mut file).unwrap();
        file.syncs = vec![false, false];
        spool.add(b"two\n");
        assert!(spool.sync(&mut file).is_err());
        assert_eq!((&file.cache[..], spool.len()), (&b"one\n"[..], 4));
        spool.add(b"three\n");
        assert!(spool.sync(&mut file).is_err());
        spool.sync(&mut file).unwrap();
        assert_eq!(file.disk, b"one\ntwo\nthree\n");
    }
}
